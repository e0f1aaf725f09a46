extension Ledger {
  /// What a customer has, of every currency of the project; the absent ones are 0.
  ///
  /// What has expired counts as gone from the instant it expires, and a hold as ended from its deadline on, whether
  /// that is booked yet or not. What is booked later changes nothing of what was: an id that was merged into another
  /// customer after the instant names who it named then.
  ///
  /// - Parameters:
  ///   - customer: Must exist.
  ///   - instant: What the customer had then; nil for now.
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  public func balances(of customer: CustomerID, at instant: Timestamp? = nil) throws(LedgerError) -> [Balance] {
    try reading { (snapshot, terms) throws(LedgerError) -> [Balance] in
      let number = try Self.customer(customer, at: instant, in: snapshot)
      var accounts: [Int64: AccountRow] = [:]
      for account in try snapshot.accounts(of: number) { accounts[account.number.currency] = account }
      let settled = instant == nil ? try settled(accounts, of: customer, in: snapshot, terms: terms) : [:]
      var balances: [Balance] = []
      for currency in terms.currencies {
        if let settled = settled[currency.number] {
          balances.append(Balance(currency, terms, settled))
          continue
        }
        let account =
          accounts[currency.number]
          ?? AccountRow(number: AccountNumber(customer: number, currency: currency.number))
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
      let number = try Self.customer(customer, at: instant, in: snapshot)
      let (currency, account) = try Self.account(code, customer: number, in: snapshot, terms: terms)
      if instant == nil {
        let settled = try settled([currency.number: account], of: customer, in: snapshot, terms: terms)
        if let account = settled[currency.number] { return Balance(currency, terms, account) }
      }
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
      let (currency, account) = try Self.account(code, customer: row.number, in: snapshot, terms: terms)
      guard (0...account.version).contains(version) else {
        throw .invalid("\(code) of \"\(customer)\" has versions 0 to \(account.version); \(version) is none of them.")
      }
      let entry = try snapshot.entry(of: account, version: version)
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
    // Where nothing can expire or end, the instant of now does not matter, and the journal need not be asked.
    let matters = instant != nil || account.nextExpiry != .max || account.held != 0
    let now = matters ? try now(in: snapshot) : clock.now()
    if let instant { try Self.check(instant, isOverAt: now) }
    let times = AccountTimes(snapshot: snapshot, account: account, now: now)
    let moment = try times.moment(at: instant ?? now)
    var balance = moment.balance
    if let instant, instant < now, let policies = currency.policies {
      balance += try times.given(by: policies, currency, at: instant)
    }
    return Balance(
      currency, terms, balance: balance, held: moment.held, debt: moment.debt, version: moment.version)
  }

  static func account(
    _ code: CurrencyCode, customer: CustomerNumber, in snapshot: any StorageSnapshot, terms: CatalogTerms
  ) throws(LedgerError) -> (CurrencyTerms, AccountRow) {
    guard let currency = terms.currency(code) else { throw .unknownCurrency(code) }
    let number = AccountNumber(customer: customer, currency: currency.number)
    return (currency, try snapshot.account(number) ?? AccountRow(number: number))
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
