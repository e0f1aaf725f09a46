extension Ledger {
  /// What a customer has, of every currency of the project; the absent ones are 0.
  ///
  /// What has expired counts as gone from the instant it expires, whether that is booked yet or not.
  ///
  /// - Parameters:
  ///   - customer: Must exist.
  ///   - instant: What the customer had then; nil for now.
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  public func balances(of customer: CustomerID, at instant: Timestamp? = nil) throws(LedgerError) -> [Balance] {
    try reading { (snapshot, terms) throws(LedgerError) -> [Balance] in
      let row = try Self.customer(customer, in: snapshot)
      var accounts: [Int64: AccountRow] = [:]
      for account in try snapshot.accounts(of: row.number) { accounts[account.number.currency] = account }
      let settled = instant == nil ? try settled(accounts, of: row, in: snapshot, terms: terms) : [:]
      var balances: [Balance] = []
      for currency in terms.currencies {
        if let settled = settled[currency.number] {
          balances.append(Balance(currency, terms, settled))
          continue
        }
        let account =
          accounts[currency.number]
          ?? AccountRow(number: AccountNumber(customer: row.number, currency: currency.number))
        balances.append(try balance(of: account, currency, at: instant, in: snapshot, terms: terms))
      }
      return balances
    }
  }

  /// What a customer has of one currency.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `unknown_currency`.
  public func balance(
    of code: CurrencyCode, customer: CustomerID, at instant: Timestamp? = nil
  ) throws(LedgerError) -> Balance {
    try reading { (snapshot, terms) throws(LedgerError) -> Balance in
      let row = try Self.customer(customer, in: snapshot)
      let (currency, account) = try Self.account(code, customer: row, in: snapshot, terms: terms)
      let settled = instant == nil
        ? try settled([currency.number: account], of: row, in: snapshot, terms: terms)[currency.number] : nil
      if let settled { return Balance(currency, terms, settled) }
      return try balance(of: account, currency, at: instant, in: snapshot, terms: terms)
    }
  }

  /// What a customer had of one currency when the account was at that version; version 0 is before its first entry.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `unknown_currency`,
  ///   `invalid_request` where the account has no such version.
  public func balance(
    of code: CurrencyCode, customer: CustomerID, version: Int64
  ) throws(LedgerError) -> Balance {
    try reading { (snapshot, terms) throws(LedgerError) -> Balance in
      let row = try Self.customer(customer, in: snapshot)
      let (currency, account) = try Self.account(code, customer: row, in: snapshot, terms: terms)
      guard (0...account.version).contains(version) else {
        throw .invalid("\(code) of \"\(customer)\" has versions 0 to \(account.version); \(version) is none of them.")
      }
      let entry = try AccountHistory(snapshot: snapshot, account: account).entry(version: version)
      return Balance(
        currency, terms, balance: entry?.balance ?? 0, held: 0, debt: entry?.debt ?? 0, version: version)
    }
  }

  // MARK: Shared by the reads

  func reading<R>(
    _ body: (any StorageSnapshot, CatalogTerms) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try storage.read { (snapshot) throws(LedgerError) -> R in
      try body(snapshot, try catalog.terms(in: snapshot))
    }
  }

  static func customer(_ id: CustomerID, in snapshot: any StorageSnapshot) throws(LedgerError) -> FoundCustomer {
    guard let row = try snapshot.customer(id) else { throw .customerNotFound(id) }
    return row
  }

  func balance(
    of account: AccountRow, _ currency: CurrencyTerms, at instant: Timestamp?, in snapshot: any StorageSnapshot,
    terms: CatalogTerms
  ) throws(LedgerError) -> Balance {
    // An instant that the journal has passed does not come again, whatever the machine's clock does. Where nothing can
    // expire, the instant does not matter, and the journal need not be asked.
    var now = clock.now()
    if instant != nil || account.nextExpiry != .max { now = max(now, try snapshot.sequences().createdAt) }
    guard let instant, instant < now else {
      let due = try Self.dueLots(of: account, at: instant ?? now, in: snapshot)
      return Balance(
        currency, terms, balance: account.balance - due, held: account.held, debt: account.debt,
        version: account.version)
    }
    let (entry, successor) = try AccountHistory(snapshot: snapshot, account: account).newest(at: instant)
    // What had expired by then was booked by the very next entry, or is not booked yet.
    let due =
      if let successor {
        successor.kind == .expiry ? try Self.dueLots(bookedBy: successor, at: instant, in: snapshot) : 0
      } else {
        try Self.dueLots(of: account, at: instant, in: snapshot)
      }
    return Balance(
      currency, terms, balance: (entry?.balance ?? 0) - due, held: 0, debt: entry?.debt ?? 0,
      version: entry?.version ?? 0)
  }

  private static func account(
    _ code: CurrencyCode, customer: FoundCustomer, in snapshot: any StorageSnapshot, terms: CatalogTerms
  ) throws(LedgerError) -> (CurrencyTerms, AccountRow) {
    guard let currency = terms.currency(code) else { throw .unknownCurrency(code) }
    let number = AccountNumber(customer: customer.number, currency: currency.number)
    return (currency, try snapshot.account(number) ?? AccountRow(number: number))
  }

  /// What lots that still hold something hold, of those that are due.
  private static func dueLots(
    of account: AccountRow, at instant: Timestamp, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> Int64 {
    guard account.nextExpiry <= instant.milliseconds else { return 0 }
    var due: Int64 = 0
    for paid in [false, true] {
      var after: LotPosition?
      var isAtEnd = false
      while !isAtEnd {
        let page = try snapshot.openLots(account.number, paid: paid, after: after, limit: 256)
        for lot in page where lot.expiresAt <= instant.milliseconds { due += lot.remaining }
        after = page.last.map { LotPosition(expiresAt: $0.expiresAt, lot: $0.number) }
        isAtEnd = page.count < 256 || (page.last?.expiresAt ?? .max) > instant.milliseconds
      }
    }
    return due
  }

  private static func dueLots(
    bookedBy entry: EntryRow, at instant: Timestamp, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> Int64 {
    var taken = try snapshot.allocations(of: entry.number, of: entry.account.customer)
    if entry.lot != 0 {
      taken = [AllocationRow(entry: entry.number, position: 1, lot: entry.lot, amount: entry.amount)]
    }
    var due: Int64 = 0
    for allocation in taken {
      guard let lot = try snapshot.lotTerms(allocation.lot, of: entry.account.customer) else { continue }
      if lot.expiresAt <= instant.milliseconds { due -= allocation.amount }
    }
    return due
  }
}

extension Balance {
  init(_ currency: CurrencyTerms, _ terms: CatalogTerms, _ settled: SettledAccount) {
    let row = settled.row
    self.init(
      currency, terms, balance: row.balance - settled.due, held: row.held, debt: row.debt, version: row.version)
  }

  init(
    _ currency: CurrencyTerms, _ terms: CatalogTerms, balance: Int64, held: Int64, debt: Int64, version: Int64
  ) {
    self.init(
      currency: currency.code, name: terms.name(of: currency.number),
      description: terms.description(of: currency.number), balance: balance, held: held, debt: debt, version: version)
  }
}
