internal import GemLedger
internal import GemLedgerAudit

// Merges, freezes, refunds and holds: their effects other than balances.

extension JournalReplay {
  // MARK: Customers

  func customer(_ number: CustomerNumber) throws(LineFaultOrError) -> CustomerRow {
    if let known = changedCustomers[number] ?? newCustomers[number] { return known }
    guard var row = try asking({ () throws(LedgerError) in try snapshot.customer(number: number) }) else {
      throw .fault("Customer \(number) is missing.")
    }
    if unnamed.contains(number) {
      row.id = CustomerID(ofErased: number, salt: try asking { () throws(LedgerError) in try snapshot.project().salt })
    }
    return row
  }

  /// The customers merged into this one.
  func parts(of customer: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
    var found = try snapshot.mergedCustomers(into: customer).filter { changedCustomers[$0] == nil }
    found += changedCustomers.values.filter { $0.mergedInto == customer }.map(\.number)
    return found.sorted()
  }

  /// The same steps as the merge itself: see `Decider.becomeOne`.
  func merge(_ from: CustomerNumber, _ transaction: ImportedTransaction) throws(LineFaultOrError) {
    let into = transaction.row.customer
    guard from != into else { throw .fault("Customer \(from) is merged into itself.") }
    var survivor = try customer(into)
    let moved = try asking { () throws(LedgerError) in try parts(of: from) }
    for number in [from] + moved {
      var row = try customer(number)
      if number == from {
        survivor.frozen = FreezeRules.frozen(survivor.frozen, and: row.frozen)
        survivor.frozenReason = survivor.frozenReason ?? row.frozenReason
        survivor.merged += 1 + row.merged
        (row.frozen, row.frozenReason, row.merged) = (0, nil, 0)
      }
      row.mergedInto = into
      changedCustomers[number] = row
    }
    changedCustomers[into] = survivor
    changes.ownCold.merges.append(MergeRow(transaction: transaction.row.number, from: from, into: into))
    try moveHolds(from: from, into: into, transaction)
    let counts = try asking { () throws(LedgerError) in try snapshot.counts(of: from) }
    changes.ownCold.endedCounts += counts
    changes.ownCold.counts.removeAll { $0.customer == from }
  }

  func applyFreeze(_ transaction: ImportedTransaction) throws(LineFaultOrError) {
    let kind = transaction.row.kind
    if kind == .erase { return try erase(transaction.row) }
    guard kind == .freeze || kind == .unfreeze else { return }
    var row = try customer(transaction.row.customer)
    row.frozen = FreezeRules.frozen(row.frozen, byPerson: kind == .freeze)
    row.frozenReason = kind == .freeze ? transaction.note?.reason : nil
    changedCustomers[row.number] = row
  }

  /// The same steps as the erasure itself: see `Decider.decideErasure`.
  ///
  /// The ids and keys were erased before the first page, and the export has none: see ``ImportedErasures``.
  private func erase(_ transaction: TransactionRow) throws(LineFaultOrError) {
    let numbers = try asking { () throws(LedgerError) in
      [transaction.customer] + (try parts(of: transaction.customer))
    }
    for number in numbers {
      var row = try customer(number)
      guard row.id.isOfErased else { throw .fault("Customer \(number) was erased and still has the id \"\(row.id)\".") }
      if row.mergedInto == 0 { row.frozen = FreezeRules.frozen(row.frozen, byPerson: true) }
      row.frozenReason = nil
      changedCustomers[number] = row
    }
  }

  // MARK: Refunds

  func add(_ refund: RefundRow, _ transaction: ImportedTransaction) throws(LineFaultOrError) {
    changes.ownCold.refunds.append(refund)
    changes.ownCold.refundParts += transaction.refundParts
    let purchase = try purchase(refund.purchase)
    purchaseOwners[purchase.number] = purchase.customer
    guard refund.freezes != 0 else { return }
    var row = try customer(transaction.row.customer)
    row.frozen = FreezeRules.frozen(row.frozen, byRefunds: refund.freezes)
    if row.frozen == 0 { row.frozenReason = nil }
    if refund.freezes > 0, row.frozenReason == nil { row.frozenReason = FreezeRules.refundReason }
    changedCustomers[row.number] = row
  }

  private func purchase(_ number: Int64) throws(LineFaultOrError) -> PurchaseRow {
    if let new = newPurchases[number] { return new }
    guard let row = try asking({ () throws(LedgerError) in try snapshot.purchase(number: number) }) else {
      throw .fault("Purchase \(number) is missing.")
    }
    return row
  }

  // MARK: Holds and counts

  /// A hold's state within the page.
  struct HoldChange {
    var row: HoldRow
    /// The remaining amounts, in holding order.
    var parts: [HeldPart]
    /// The customer under which the storage keeps the hold; nil if it has no row of it.
    var storedOwner: CustomerNumber?

    mutating func move(_ amount: Int64, _ event: JournalEventRow) throws(LineFaultOrError) {
      let index = parts.firstIndex { $0.lot == event.lot && $0.account == event.account }
      let held = index.map { parts[$0].amount } ?? 0
      let (sum, overflow) = held.addingReportingOverflow(amount)
      guard !overflow, sum >= 0 else {
        throw .fault("Hold \(row.number) has \(held) of lot \(event.lot), but \(amount) moves.")
      }
      if let index { parts.remove(at: index) }
      guard sum > 0 else { return }
      parts.insert(HeldPart(account: event.account, lot: event.lot, amount: sum), at: index ?? parts.count)
    }
  }

  func applyEvents(
    of transaction: ImportedTransaction, where isWanted: (JournalEventRow.Kind) -> Bool
  ) throws(LineFaultOrError) {
    for row in transaction.events where isWanted(row.kind) {
      if let deadline = row.deadline {
        var hold = try hold(row.target, beganBy: row)
        hold.row.deadline = deadline
        holds[row.target] = hold
      }
      switch row.kind {
      case .held, .captured, .released: try moveHeld(row)
      case .counted:
        guard let key = row.count else { throw .fault("An effect counts nothing.") }
        changes.ownCold.counts.removeAll { $0.customer == row.customer && $0.key == key }
        changes.ownCold.endedCounts.removeAll { $0.customer == row.customer && $0.key == key }
        changes.ownCold.counts.append(
          CountRow(customer: row.customer, key: key, period: row.period, value: row.value))
      case .deadline, .reversal, .late, .linked, .reclaimed, .unproven: break
      }
    }
  }

  private func moveHeld(_ row: JournalEventRow) throws(LineFaultOrError) {
    let amount = row.heldChange
    // A captured amount leaves with the entry that follows.
    let moved = row.kind == .captured ? 0 : -amount
    var hold = try hold(row.target, beganBy: row)
    try hold.move(amount, row)
    holds[row.target] = hold
    var account = try account(row.account)
    if moved != 0 { try move(moved, in: row.lot, &account, isReturn: true) }
    // Added, not taken from the row: effects are not applied in journal order.
    account.row.held += amount
    // A safe bound: scheduled effects of the currency may be due before the hold ends, and the next command checks
    // both.
    account.row.nextDue = 0
    put(account)
  }

  private func hold(_ number: TransactionNumber, beganBy event: JournalEventRow) throws(LineFaultOrError) -> HoldChange
  {
    if let known = holds[number] { return known }
    let owners = try asking { () throws(LedgerError) in [event.customer] + (try parts(of: event.customer)) }
    guard let row = try asking({ () throws(LedgerError) in try snapshot.hold(number, ofAny: owners) }) else {
      let row = HoldRow(
        number: number, customer: event.customer, deadline: event.createdAt, begunAt: event.createdAt)
      return HoldChange(row: row, parts: [], storedOwner: nil)
    }
    let events = try asking { () throws(LedgerError) in try snapshot.events(about: number, ofAny: owners) }
    return HoldChange(
      row: row, parts: HoldRules.outstanding(events, of: row.customer), storedOwner: row.customer)
  }

  private func moveHolds(
    from: CustomerNumber, into: CustomerNumber, _ transaction: ImportedTransaction
  ) throws(LineFaultOrError) {
    for row in try asking({ () throws(LedgerError) in try snapshot.holds(of: from) }) where holds[row.number] == nil {
      let event = JournalEventRow(
        transaction: row.number, position: 1, customer: from, kind: .deadline, createdAt: row.deadline)
      holds[row.number] = try hold(row.number, beganBy: event)
    }
    for (number, hold) in holds where hold.row.customer == from {
      holds[number]?.row.customer = into
      holds[number]?.row.begunAt = nil
    }
    // A balance includes held amounts, so the merge has an entry for each such account.
    for currency in Set(transaction.entries.map(\.row.account.currency)).sorted() {
      var old = try account(AccountNumber(customer: from, currency: currency))
      guard old.row.held != 0 else { continue }
      var new = try account(AccountNumber(customer: into, currency: currency))
      new.row.held += old.row.held
      new.row.nextDue = min(new.row.nextDue, old.row.nextDue)
      old.row.held = 0
      put(old)
      put(new)
    }
  }

  /// Closes holds without a remaining amount.
  func endHolds() {
    for hold in holds.values.sorted(by: { $0.row.number < $1.row.number }) {
      if !hold.parts.isEmpty {
        var row = hold.row
        row.sole = HeldPart.sole(hold.parts)
        changes.ownCold.holds.append(row)
      } else if hold.storedOwner != nil {
        changes.ownCold.endedHolds.append(hold.row)
      }
    }
  }
}
