/// Changes one balance of an existing customer by a signed amount; granted currency is earned, in production.
///
/// Most commands are of this kind. It moves the amount in the account's lot, if neither policies, scheduled
/// effects nor conditions take part; in all other cases ``AdjustCommand`` decides.
struct AdjustOneCommand: Command {
  let adjustment: Adjustment

  var action: LedgerCommand.Action { .adjustOne(self) }

  static var keyFields: KeyFields { AdjustCommand.keyFields }
  var asked: Int64 {
    AdjustCommand.asked(
      .adjust, Fingerprint.digest(of: adjustment), source: .earned, environment: Self.production, expiry: 0)
  }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { nil }
  var independence: Independence { .ofOtherCustomers }

  private static let production = Fingerprint.digest(of: .production)

  /// - Throws: as ``AdjustCommand``.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    if !command.conditions.isEmpty { try RequestRules.check(command.conditions, cover: [adjustment]) }
    try RequestRules.check(adjustment, isGrant: false)
    guard let customer = try decider.books.work.customers.find(of: command) else {
      throw .customerNotFound(command.customer)
    }
    if let key = command.key,
      let row = try KeyReplay.earlier(&decider.books.work, key, command: command, customer: customer)
    {
      return try KeyReplay.answer(decider.books, row, under: key, command: command)
    }
    do throws(LedgerError) {
      let booking = try change(&decider, command, customer: customer)
      if let key = command.key {
        decider.books.work.keys.keep(decider.books.booked, under: key, of: command, customer.number)
      }
      return booking
    } catch {
      if let key = command.key, error.code.isKept {
        decider.books.work.keys.keep(
          error, after: decider.books.work.journal.end, under: key, of: command, customer.number)
      }
      throw error
    }
  }

  @inline(__always)
  private func change(
    _ decider: inout Decider, _ command: LedgerCommand.Body, customer: FoundCustomer
  ) throws(LedgerError) -> Booking {
    guard let currency = decider.books.definitions.currency(adjustment.currency) else {
      throw .unknownCurrency(adjustment.currency)
    }
    let number = AccountNumber(customer: customer.number, currency: currency.number)
    let slot = try decider.books.work.accounts.slot(of: number)
    if command.conditions.isEmpty, !customer.isFrozen, currency.isActive, currency.policies == nil,
      !decider.books.work.isDue(slot, currency),
      decider.books.work.accounts[slot].row.hasOnlyPool(at: decider.books.work.now, for: adjustment.amount)
    {
      return try Self.move(
        &decider, adjustment.amount, of: currency, slot: slot, command: command, customer: customer.number)
    }
    let adjust = AdjustCommand(
      adjustments: [adjustment], source: .earned, environment: .production, expiresAt: nil, createsCustomer: false)
    return try adjust.book(&decider, command, customer: customer)
  }

  /// Moves currency in the account's lot: the same steps as of every other adjustment, without those that it cannot
  /// need.
  @inline(__always)
  private static func move(
    _ decider: inout Decider, _ amount: Int64, of currency: CurrencyDefinition, slot: Int, command: LedgerCommand.Body,
    customer: CustomerNumber
  ) throws(LedgerError) -> Booking {
    let kind: EntryKind = amount < 0 ? .spend : .grant
    try AccountRules.check(
      amount, of: currency, balance: decider.books.work.accounts[slot].row.balance,
      held: decider.books.work.accounts[slot].row.held
    )
    let now = decider.books.work.now
    let number = decider.books.work.journal.appendTransaction(kind, of: customer)
    decider.books.booked = number
    let entry = decider.books.work.accounts[slot].moveInPool(
      by: amount, as: kind, entry: decider.books.work.journal.sequences.drawEntry(), transaction: number)
    decider.books.work.journal.append(entry)
    decider.books.work.journal.addNote(of: command, to: number)
    let source = LotSource(rawValue: decider.books.work.accounts[slot].row.poolSource) ?? .admin
    return Booking(
      transactionID: decider.books.definitions.transactionIDs.id(number: number, createdAt: now),
      customer: command.customer, kind: kind, createdAt: now,
      entries: CompactList(
        PostedEntry(
          currency: currency.code, kind: kind, amount: amount, balance: entry.balance, debt: entry.debt,
          version: entry.version,
          allocations: CompactList(Allocation(lot: entry.lot, source: source, amount: amount)),
          held: HeldAmount(amount: decider.books.work.accounts[slot].row.held))))
  }
}

extension AccountRow {
  /// Whether the amount can only fall on the pooled lot, with no expiry due before it.
  fileprivate func hasOnlyPool(at now: Timestamp, for amount: Int64) -> Bool {
    guard poolLot != 0, nextExpiry > now.milliseconds, debt == 0 else { return false }
    if amount < 0 { return openLots == 0 && poolRemaining >= -amount }
    return poolSource == LotSource.earned.rawValue
      && poolEnvironment == StoreEnvironment.production.kind.rawValue
  }
}

extension WorkingAccount {
  fileprivate mutating func moveInPool(
    by amount: Int64, as kind: EntryKind, entry: EntryNumber, transaction: TransactionNumber
  ) -> EntryRow {
    let previous = row.lastEntry
    row.balance += amount
    row.version += 1
    row.lastEntry = entry
    row.poolRemaining += amount
    if amount > 0 { row.poolGranted = LoadedLots.granted(row.poolGranted, plus: amount) }
    isChanged = true
    return EntryRow(
      number: entry, transaction: transaction, account: row.number, kind: kind, amount: amount, balance: row.balance,
      debt: row.debt, version: row.version, previous: previous, lot: row.poolLot)
  }
}
