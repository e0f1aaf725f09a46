extension Ledger {
  /// Returns a customer's balances in every currency of the project; a missing account counts as 0.
  ///
  /// An expired lot is not counted from its expiry on, and a hold ends at its deadline, booked or not. Later bookings
  /// do not change the answer for a past instant. If an id was merged after the instant, it names its customer of that
  /// time.
  ///
  /// - Parameters:
  ///   - customer: Must exist.
  ///   - instant: The instant of the balances; nil for now.
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  public func balances(of customer: CustomerID, at instant: Timestamp? = nil) throws(LedgerError) -> [Balance] {
    try reading { (snapshot, definitions) throws(LedgerError) -> [Balance] in
      let customer = try CustomerFinder(snapshot).customer(customer, at: instant)
      if let instant { _ = try clock.instant(instant, in: snapshot) }
      let moments = try moments(of: customer, at: instant, in: snapshot, definitions: definitions)
      var balances: [Balance] = []
      for currency in definitions.currencies where definitions.has(currency, at: instant) {
        let account = AccountNumber(customer: customer.number, currency: currency.number)
        balances.append(Balance(currency, definitions, moments.moment(account), at: instant))
      }
      return balances
    }
  }

  /// Returns a customer's balance in one currency.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `unknown_currency`.
  public func balance(
    of code: CurrencyCode, customer: CustomerID, at instant: Timestamp? = nil
  ) throws(LedgerError) -> Balance {
    try reading { (snapshot, definitions) throws(LedgerError) -> Balance in
      let customer = try CustomerFinder(snapshot).customer(customer, at: instant)
      if let instant { _ = try clock.instant(instant, in: snapshot) }
      guard let currency = definitions.currency(code) else { throw .unknownCurrency(code) }
      let moments = try moments(
        of: customer, at: instant, currency: currency.number, in: snapshot, definitions: definitions)
      let account = AccountNumber(customer: customer.number, currency: currency.number)
      return Balance(currency, definitions, moments.moment(account), at: instant)
    }
  }

  /// Returns a customer's balance in one currency at a version of the account; version 0 is before its first entry.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `unknown_currency`,
  ///   `invalid_request` if the account has no such version.
  public func balance(
    of code: CurrencyCode, customer: CustomerID, version: Int64
  ) throws(LedgerError) -> Balance {
    try reading { (snapshot, definitions) throws(LedgerError) -> Balance in
      let row = try CustomerFinder(snapshot).customer(customer)
      let (currency, account) = try definitions.account(code, customer: row.number, in: snapshot)
      guard (0...account.version).contains(version) else {
        throw .invalid("\(code) of \"\(customer)\" has versions 0 to \(account.version), but not \(version).")
      }
      let entry = try snapshot.entry(of: account, version: version)
      return Balance(
        currency, definitions, balance: entry?.balance ?? 0, held: 0, debt: entry?.debt ?? 0, version: version)
    }
  }

  // MARK: Shared by the reads

  package func reading<R>(
    _ body: (any StorageSnapshot, CurrencyDefinitions) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try storage.read { (snapshot) throws(LedgerError) -> R in
      try body(snapshot, try definitions(in: snapshot))
    }
  }

  /// Returns the currencies of the snapshot's catalog.
  package func definitions(in snapshot: any StorageSnapshot) throws(LedgerError) -> CurrencyDefinitions {
    try catalog.definitions(in: snapshot)
  }
}

extension CurrencyDefinitions {
  /// Returns the currency with this code, and the customer's account in it; an account without entries is empty.
  ///
  /// - Throws: `unknown_currency`.
  package func account(
    _ code: CurrencyCode, customer: CustomerNumber, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> (CurrencyDefinition, AccountRow) {
    guard let currency = self.currency(code) else { throw .unknownCurrency(code) }
    let number = AccountNumber(customer: customer, currency: currency.number)
    return (currency, try snapshot.account(number) ?? AccountRow(number: number))
  }

  /// Whether the catalog had the currency at an instant; nil for now.
  func has(_ currency: CurrencyDefinition, at instant: Timestamp?) -> Bool {
    guard let instant else { return true }
    return self.currency(number: currency.number, at: instant) != nil
  }
}

extension Balance {
  /// - Parameter instant: The instant of the balance, with the currency's name at that time. Nil for now.
  package init(
    _ currency: CurrencyDefinition, _ definitions: CurrencyDefinitions, _ moment: AccountMoment,
    at instant: Timestamp? = nil
  ) {
    let names = instant.flatMap { definitions.currency(number: currency.number, at: $0) }
    self.init(
      currency: currency.code, name: names?.name ?? definitions.name(of: currency.number),
      description: names == nil ? definitions.description(of: currency.number) : names?.description,
      balance: moment.balance, held: moment.row.held, debt: moment.row.debt, version: moment.row.version,
      isActive: currency.isActive)
  }

  init(
    _ currency: CurrencyDefinition, _ definitions: CurrencyDefinitions, balance: Int64, held: Int64, debt: Int64,
    version: Int64
  ) {
    self.init(
      currency: currency.code, name: definitions.name(of: currency.number),
      description: definitions.description(of: currency.number), balance: balance, held: held, debt: debt,
      version: version, isActive: currency.isActive)
  }
}
