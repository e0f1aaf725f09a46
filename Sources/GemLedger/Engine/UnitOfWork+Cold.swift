/// Merged customers, refunds, holds and counts, as the current group left them; few groups touch these.
struct ColdWork {
  var customers: [CustomerNumber: CustomerRow] = [:]
  var ids: [CustomerID: CustomerNumber] = [:]
  var evidence: [PurchaseIdentity: [EvidenceRow]] = [:]
  /// The refund states of purchases after the group's refunds.
  var refundStates: [Int64: RefundStateRow] = [:]
  var events = PendingEvents()
  /// The past instant of the unit of work, and the customer with the loaded accounts; nil for now.
  var moment: (instant: Timestamp, customer: CustomerNumber, numbers: [CustomerNumber])?
}

extension UnitOfWork {
  /// The past instant that the unit of work shows; nil for now.
  var instant: Timestamp? { hasCold ? cold.moment?.instant : nil }

  // MARK: Customers

  /// The customer as the group left them; the number may be of a merged customer.
  func found(_ original: CustomerNumber) throws(LedgerError) -> FoundCustomer {
    let row = try knownCustomer(original)
    guard row.mergedInto != 0 else { return FoundCustomer(row, original: original) }
    return FoundCustomer(try knownCustomer(row.mergedInto), original: original)
  }

  /// Returns the customer that the id names after the group's changes, given the customer that it named before.
  func current(_ found: FoundCustomer?, _ id: CustomerID) throws(LedgerError) -> FoundCustomer? {
    guard hasCold else { return found }
    if cold.events.erasedIDs.contains(id) { return nil }
    guard let found else {
      guard let original = cold.ids[id] else { return nil }
      return try self.found(original)
    }
    let isChanged = cold.customers[found.number] != nil || cold.customers[found.original] != nil
    return isChanged ? try self.found(found.original) : found
  }

  /// Returns the row of a customer that must exist.
  func knownCustomer(_ number: CustomerNumber) throws(LedgerError) -> CustomerRow {
    guard let row = try customer(number) else {
      throw LedgerError(.storageDamaged, "Customer number \(number) has no row; run verify.")
    }
    return row
  }

  mutating func change(_ row: CustomerRow) {
    cold.customers[row.number] = row
    hasCold = true
  }

  /// Checks that the current group has not erased the id; such an id is free for the next group.
  ///
  /// - Throws: `in_progress`.
  func checkNotErased(_ id: CustomerID) throws(LedgerError) {
    guard hasCold, cold.events.erasedIDs.contains(id) else { return }
    throw LedgerError(.inProgress, "The customer \"\(id)\" is being erased. Ask again.")
  }

  mutating func add(_ id: CustomerID, to customer: CustomerNumber) {
    cold.ids[id] = customer
    hasCold = true
    changes.ownCold.addedIDs.append(AddedIDRow(customer: customer, id: id))
  }

  /// All numbers of this customer, beginning with the current number.
  func numbers(of customer: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
    if let moment = cold.moment, moment.customer == customer { return moment.numbers }
    var others = try session.mergedCustomers(into: customer).filter { cold.customers[$0] == nil }
    others += cold.customers.values.filter { $0.mergedInto == customer }.map(\.number)
    return [customer] + others.sorted()
  }

  /// All ids of the customer, with those that the group added.
  func ids(of customer: CustomerNumber) throws(LedgerError) -> [CustomerID] {
    try numbers(of: customer).gather { (number) throws(LedgerError) in
      [try knownCustomer(number).id] + (try session.addedIDs(of: number))
        + cold.ids.filter { $0.value == number }.map(\.key)
    }.flatMap { $0 }
  }

  /// All numbers of this customer, without a read if no customer was merged into it.
  func numbers(of customer: FoundCustomer) throws(LedgerError) -> [CustomerNumber] {
    customer.isOneOfSeveral ? try numbers(of: customer.number) : [customer.number]
  }

  // MARK: Refunds

  /// The store's evidence about a purchase, whether the purchase is credited or not.
  func evidence(_ identity: PurchaseIdentity, _ purchase: PurchaseRow?) throws(LedgerError) -> [EvidenceRow] {
    let kept: [EvidenceRow]
    if let known = cold.evidence[identity] {
      kept = known
    } else {
      kept = try session.rows(EvidenceRow.ofPurchase, [IndexKey(identity)])
    }
    guard let purchase, purchase.refund != nil else { return kept }
    return RefundRules.known(kept, and: try refunds(of: purchase), about: identity)
  }

  /// Keeps a store's statement, or a note of the ledger, unless it is already kept.
  ///
  /// - Parameter known: The known evidence about the same purchase.
  mutating func keep(_ notice: EvidenceRow, among known: [EvidenceRow]) {
    let row = RefundRules.joined(notice, with: known)
    if known.contains(row) { return }
    cold.evidence[notice.identity] = RefundRules.adding(notice, to: known)
    hasCold = true
    changes.ownCold.evidence.append(row)
  }

  /// Keeps a row as it is, and replaces the row about the same subject.
  mutating func keep(replacing row: EvidenceRow) {
    if let known = cold.evidence[row.identity] {
      cold.evidence[row.identity] = known.filter { !$0.isAboutTheSame(as: row) } + [row]
    }
    changes.ownCold.evidence.append(row)
  }

  mutating func add(_ refund: RefundRow, _ parts: [RefundChange.Part]) {
    changes.ownCold.refunds.append(refund)
    for (index, part) in parts.enumerated() {
      changes.ownCold.refundParts.append(
        RefundPartRow(
          transaction: refund.transaction, position: Int64(index) + 1, lot: part.lot, kind: part.kind,
          source: part.source, amount: part.amount))
    }
    cold.refundStates[refund.purchase] = refund.state
    hasCold = true
  }

  func refunds(of purchase: PurchaseRow) throws(LedgerError) -> [RefundRow] {
    var known = try session.rows(RefundRow.ofPurchase, [IndexKey(purchase.number, of: purchase.customer)])
    if let instant {
      var then: [RefundRow] = []
      for refund in known where try isBooked(refund.transaction, by: instant) { then.append(refund) }
      known = then
    }
    return known + (changes.cold?.refunds ?? []).filter { $0.purchase == purchase.number }
  }

  /// - Parameter customers: The customers that may have made the purchase.
  func refund(
    bookedBy transaction: TransactionNumber, ofAny customers: [CustomerNumber]
  ) throws(LedgerError) -> RefundRow? {
    if let new = changes.cold?.refunds.first(where: { $0.transaction == transaction }) { return new }
    return try customers.firstRow { (customer) throws(LedgerError) in
      try session.row(RefundRow.byTransaction, IndexKey(transaction, of: customer))
    }
  }

  private func isBooked(_ transaction: TransactionNumber, by instant: Timestamp) throws(LedgerError) -> Bool {
    guard let row = try session.transaction(transaction) else { throw .lacksTransaction(transaction) }
    return row.createdAt <= instant
  }

  func refundParts(of transaction: TransactionNumber, of purchase: PurchaseRow) throws(LedgerError) -> [RefundPartRow] {
    guard parts(of: transaction) == nil else {
      return (changes.cold?.refundParts ?? []).filter { $0.transaction == transaction }
    }
    return try session.rows(RefundPartRow.ofTransaction, [IndexKey(transaction, of: purchase.customer)])
  }

  // MARK: Lots

  func lotAttributes(_ lot: LotNumber, of numbers: [CustomerNumber]) throws(LedgerError) -> LotAttributesRow? {
    if let new = changes.cold?.lotAttributes.first(where: { $0.lot == lot }) { return new }
    return try numbers.firstRow { (number) throws(LedgerError) in try session.lotAttributes(lot, of: number) }
  }

  /// A transaction of this group or an earlier one, with the sources of all lots that it names.
  func parts(of number: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> TransactionParts? {
    guard var parts = parts(of: number) else { return try session.parts(of: number, ofAny: owners) }
    for entry in parts.entries {
      // A captured amount is spent without a read of its lots.
      for lot in parts.lots(of: entry) where parts.sources[lot] == nil {
        let owners = try MergeRecords.related(to: entry.account.customer, self)
        parts.sources[lot] = try lotAttributes(lot, of: owners)?.source
      }
    }
    return parts
  }

  /// Takes a lot out of the book of its former account, of a merged customer.
  ///
  /// A merge leaves empty lots in place, and reads no lots at all for a balance of 0.
  mutating func takeLot(_ number: LotNumber) -> WorkingLot? {
    for lotsIndex in loadedLots.indices {
      if let lotSlot = loadedLots[lotsIndex].lotSlot(of: number) { return loadedLots[lotsIndex].remove(at: lotSlot) }
    }
    return nil
  }

  // MARK: Collecting

  mutating func collectCold() {
    guard hasCold else { return }
    collectEvents()
    if !cold.customers.isEmpty {
      changes.ownCold.changedCustomers = cold.customers.values.sorted { $0.number < $1.number }
    }
  }
}
