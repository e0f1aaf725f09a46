public import GemLedger

/// A customer's balance of one currency, separated into its paid and free part.
public struct BalanceSplit: Hashable, Sendable {
  /// The currency.
  public let currency: CurrencyCode
  /// Production, sandbox, or a test session.
  public let environment: StoreEnvironment
  /// The paid part, held amounts included.
  public let paid: Int64
  /// The free part, held amounts included.
  public let free: Int64
  /// The price of the paid part, by price currency; the rest of a lot takes the remainder of rounding.
  public let values: [Money]
}

extension Ledger {
  /// Returns a customer's balances, separated into paid and free parts, by currency and environment.
  ///
  /// It omits empty balances.
  ///
  /// - Parameter customer: Must exist.
  /// - Returns: The balances in the order of codes, production before the other environments.
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  public func split(of customer: CustomerID) throws(LedgerError) -> [BalanceSplit] {
    try reading { (snapshot, definitions) throws(LedgerError) -> [BalanceSplit] in
      let found = try CustomerFinder(snapshot).customer(customer)
      return try split(of: found, in: snapshot, definitions: definitions)
    }
  }

  private func split(
    of customer: FoundCustomer, in snapshot: any StorageSnapshot, definitions: CurrencyDefinitions
  ) throws(LedgerError) -> [BalanceSplit] {
    var reader = LotReader(snapshot: snapshot, definitions: definitions)
    var splits: [BalanceSplit] = []
    let moments = try moments(of: customer, hasParts: true, in: snapshot, definitions: definitions)
    for currency in definitions.currencies {
      let moment = moments.moment(AccountNumber(customer: customer.number, currency: currency.number))
      var sums: [Int64: SplitSum] = [:]
      for lot in try LiveLots(snapshot: snapshot, moment: moment, now: moments.at).all().lots {
        try sums[lot.environment, default: SplitSum()].add(lot)
      }
      for (environment, sum) in sums.sorted(by: { $0.key < $1.key }) where sum.paid > 0 || sum.free > 0 {
        splits.append(
          BalanceSplit(
            currency: currency.code, environment: try reader.environment(environment), paid: sum.paid, free: sum.free,
            values: sum.values.sorted { $0.key < $1.key }.map { Money(minorUnits: $0.value, currency: $0.key) }))
      }
    }
    return splits
  }
}

private struct SplitSum {
  var paid: Int64 = 0
  var free: Int64 = 0
  var values: [String: Int64] = [:]

  mutating func add(_ lot: LiveLot) throws(LedgerError) {
    var amount = lot.remaining
    try amount.add(lot.held)
    guard lot.source == .paid else {
      try free.add(amount)
      return
    }
    try paid.add(amount)
    guard let price = lot.price, amount > 0 else { return }
    try values[price.currency, default: 0].add(
      LotValue.rest(of: price.minorUnits, granted: lot.granted, remaining: amount))
  }
}
