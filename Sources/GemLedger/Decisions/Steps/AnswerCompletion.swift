/// Completes a replayed answer, and a page of history: both have the content of the first answer.
enum AnswerCompletion {
  /// Adds the extras of holds, reversals and baskets to a booking.
  static func complete(
    _ work: borrowing UnitOfWork, _ booking: inout Booking, of row: TransactionRow, definitions: CurrencyDefinitions
  ) throws(LedgerError) {
    if row.kind == .unmerge {
      booking.extras = try UnmergeAnswer.extras(work, of: row, definitions: definitions)
      return
    }
    let survivingCustomer = try work.customers.found(row.customer)
    let owners = try work.customers.related(to: survivingCustomer)
    var reads = JointReads()
    let ofRow = try reads.read { () throws(LedgerError) in try work.journal.events(of: row.number, ofAny: owners) }
    let aboutRow = try reads.read { () throws(LedgerError) in
      try work.journal.events(about: row.number, ofAny: owners)
    }
    try reads.end()
    guard let own = ofRow, let about = aboutRow, !own.isEmpty || !about.isEmpty else { return }
    var extras = BookingExtras()
    let lost = try lost(work, about, owners: owners, &extras, definitions: definitions)
    if !lost.isEmpty { booking.entries = CompactList(Array(booking.entries) + lost) }
    for event in own {
      switch event.kind {
      case .reversal: extras.reversed = try id(work, of: event.target, definitions: definitions)
      case .linked: extras.parties += try party(work, event, definitions: definitions)
      case .held, .captured, .released, .deadline, .counted, .late, .reclaimed, .unproven: continue
      }
    }
    // A merge may move several holds, and its booking shows none of them.
    if row.kind != .merge, let hold = own.first(where: { $0.kind.isOfHold }) {
      extras.hold = try holdBooking(work, hold.target, at: row, booking, own, owners: owners, definitions: definitions)
    }
    if extras != BookingExtras() { booking.extras = extras }
  }

  /// Adds the extras without the entries of returned currency that was lost at once: a list has those transactions too.
  static func completeAlone(
    _ work: borrowing UnitOfWork, _ booking: inout Booking, of row: TransactionRow, definitions: CurrencyDefinitions
  ) throws(LedgerError) {
    let entries = booking.entries
    try complete(work, &booking, of: row, definitions: definitions)
    booking.entries = entries
  }

  private static func id(
    _ work: borrowing UnitOfWork, of number: TransactionNumber, definitions: CurrencyDefinitions
  ) throws(LedgerError) -> TransactionID {
    var row = work.journal.own(number)
    if row == nil { row = try work.session.transaction(number) }
    guard let row else {
      throw LedgerError(.storageDamaged, "The journal lacks transaction \(number); run verify.")
    }
    return definitions.transactionIDs.id(number: number, createdAt: row.createdAt)
  }

  private static func booking(
    _ work: borrowing UnitOfWork, of number: TransactionNumber, ofAny owners: [CustomerNumber], _ id: CustomerID,
    definitions: CurrencyDefinitions
  ) throws(LedgerError) -> Booking {
    guard let parts = try work.parts(of: number, ofAny: owners) else {
      throw LedgerError(.storageDamaged, "The journal lacks transaction \(number); run verify.")
    }
    return try parts.booking(customer: id, definitions: definitions)
  }

  private static func party(
    _ work: borrowing UnitOfWork, _ event: JournalEventRow, definitions: CurrencyDefinitions
  ) throws(LedgerError) -> [BookingParty] {
    let id = try work.customers.known(event.value).id
    let booking = try booking(work, of: event.target, ofAny: [event.value], id, definitions: definitions)
    return BookingParty(booking, of: id).map { [$0] } ?? []
  }

  /// Returns the entries for returned currency that was lost at once.
  private static func lost(
    _ work: borrowing UnitOfWork, _ events: [JournalEventRow], owners: [CustomerNumber], _ extras: inout BookingExtras,
    definitions: CurrencyDefinitions
  ) throws(LedgerError) -> [PostedEntry] {
    var numbers: [TransactionNumber] = []
    for event in events where event.kind == .late || event.kind == .reclaimed {
      if numbers.last != event.transaction { numbers.append(event.transaction) }
      guard let code = definitions.currency(number: event.currency)?.code else { continue }
      let amount = CurrencyAmount(currency: code, amount: event.amount)
      if event.kind == .late {
        extras.expired = CurrencySums.sum(extras.expired, [amount])
      } else {
        extras.reclaimed = CurrencySums.sum(extras.reclaimed, [amount])
      }
    }
    var entries: [PostedEntry] = []
    for number in numbers {
      // The owner does not matter for the entries.
      let id = CustomerID(unchecked: "")
      entries += try booking(work, of: number, ofAny: owners, id, definitions: definitions).entries
    }
    return entries
  }

  // MARK: Holds

  private static func holdBooking(
    _ work: borrowing UnitOfWork, _ hold: TransactionNumber, at row: TransactionRow, _ booking: Booking,
    _ own: [JournalEventRow], owners: [CustomerNumber], definitions: CurrencyDefinitions
  ) throws(LedgerError) -> HoldBooking {
    let all = try work.journal.events(about: hold, ofAny: owners).filter { $0.transaction <= row.number }
    let isEnded = own.contains { $0.kind == .released } || row.kind == .release
    let parts = isEnded ? [] : HoldRules.outstanding(all, of: row.customer)
    let deadline = all.lazy.compactMap(\.deadline).last
    var (amounts, balances, available): ([CurrencyAmount], [CurrencyAmount], [CurrencyAmount]) = ([], [], [])
    var seen: [Int64: Int64] = [:]
    for event in own where event.currency != 0 {
      seen[event.currency] = own.last { $0.currency == event.currency }?.heldAfter
    }
    for currency in definitions.currencies {
      let held = parts.filter { $0.account.currency == currency.number }.reduce(0) { $0 + $1.amount }
      if held > 0 { amounts.append(CurrencyAmount(currency: currency.code, amount: held)) }
      guard let heldAfter = seen[currency.number] else { continue }
      let account = AccountNumber(customer: row.customer, currency: currency.number)
      var balance = booking.balance(currency.code)
      if balance == nil { balance = try Self.balance(work, of: account, before: row.number) }
      balances.append(CurrencyAmount(currency: currency.code, amount: balance ?? 0))
      available.append(CurrencyAmount(currency: currency.code, amount: (balance ?? 0) - heldAfter))
    }
    return HoldBooking(
      id: HoldID(try id(work, of: hold, definitions: definitions)), amounts: amounts,
      expiresAt: parts.isEmpty ? nil : deadline, balances: balances, available: available)
  }

  /// The balance after the account's newest entry before the transaction.
  private static func balance(
    _ work: borrowing UnitOfWork, of account: AccountNumber, before number: TransactionNumber
  ) throws(LedgerError) -> Int64 {
    if let own = work.journal.entries.last(where: { $0.account == account && $0.transaction < number }) {
      return own.balance
    }
    guard let row = try work.session.account(account) else { return 0 }
    return try AccountHistory(snapshot: work.session, account: row).newest(below: number)?.balance ?? 0
  }
}

extension JournalEventRow.Kind {
  /// Whether its target is a hold.
  var isOfHold: Bool { self == .deadline || self == .held || self == .captured || self == .released }
}
