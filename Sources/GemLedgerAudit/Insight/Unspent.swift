public import GemLedger

/// Customers' unspent currency at an instant.
public struct Unspent: Hashable, Sendable {
  /// The instant.
  public let at: Timestamp
  /// Each currency in each environment with an unspent amount.
  ///
  /// Production is before the other environments; within an environment the order is that of codes.
  public let parts: [Part]

  /// The unspent amount of one currency in one environment; money of different environments never mixes.
  public struct Part: Hashable, Sendable {
    /// Production, sandbox, or a test session.
    public let environment: StoreEnvironment
    /// The currency.
    public let currency: CurrencyCode
    /// The paid part.
    public let paid: Int64
    /// The free part.
    public let free: Int64
    /// The price of the paid part, by price currency; paid units without a known price are last.
    public let values: [Value]
  }

  /// Paid units and their price.
  public struct Value: Hashable, Sendable {
    /// The number of units.
    public let units: Int64
    /// The price of the units; nil if unknown.
    ///
    /// The rest of a lot gets the remainder of rounding.
    public let price: Money?
  }
}

extension Ledger {
  /// Returns all customers' unspent currency at an instant, separated into the paid part with its value and the free
  /// part.
  ///
  /// It is computed only from the journal up to the instant: later spends, refunds and merges do not affect it. Expired
  /// amounts are excluded, booked or not; held amounts are included. Customers' debts are not subtracted.
  ///
  /// Time grows with the length of the journal and the number of lots; memory does not.
  ///
  /// - Parameters:
  ///   - instant: The instant; nil for now.
  ///   - progress: Called with the number of entries read and their total.
  /// - Throws: ``LedgerError`` if the storage fails.
  public func unspent(
    at instant: Timestamp? = nil, progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> Unspent {
    try unspent(
      at: instant, followedPerWindow: LotReplay.followedPerWindow, lotsPerWindow: LotReplay.lotsPerWindow,
      progress: progress)
  }

  /// Like ``unspent(at:progress:)``, with windows of another size.
  package func unspent(
    at instant: Timestamp?, followedPerWindow: Int, lotsPerWindow: Int,
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> Unspent {
    try reading { (snapshot, definitions) throws(LedgerError) -> Unspent in
      let instant = try clock.instant(instant, in: snapshot)
      var replay = try LotReplay(snapshot: snapshot, at: instant)
      (replay.followedPerWindow, replay.lotsPerWindow) = (followedPerWindow, lotsPerWindow)
      var sums = UnspentSums()
      try replay.run(
        follows: { $0.source == .paid || $0.expiresAt <= instant.milliseconds }, progress: progress
      ) { (window) throws(LedgerError) in try sums.add(window) }
      return Unspent(at: instant, parts: try sums.parts(in: snapshot, definitions: definitions))
    }
  }
}

/// Adds up unspent amounts.
private struct UnspentSums {
  private struct Key: Hashable {
    let environment: Int64
    let currency: Int64
  }

  private struct Sum {
    var paid: Int64 = 0
    var free: Int64 = 0
    var unpriced: Int64 = 0
    var values: [String: (units: Int64, minorUnits: Int64)] = [:]
  }

  private var sums: [Key: Sum] = [:]

  mutating func add(_ window: LotReplay.Window) throws(LedgerError) {
    for (environment, currencies) in window.sums {
      for (currency, amount) in currencies {
        try sums[Key(environment: environment, currency: currency), default: Sum()].free.add(amount)
      }
    }
    for lot in window.lots where lot.remaining > 0 {
      let position = Key(environment: lot.environment, currency: lot.currency)
      guard lot.source == .paid else {
        try sums[position, default: Sum()].free.add(lot.remaining)
        continue
      }
      try sums[position, default: Sum()].paid.add(lot.remaining)
      guard let price = lot.price, let value = lot.value(of: lot.remaining) else {
        try sums[position, default: Sum()].unpriced.add(lot.remaining)
        continue
      }
      var known = sums[position]?.values[price.currency] ?? (0, 0)
      try known.units.add(lot.remaining)
      try known.minorUnits.add(value)
      sums[position]?.values[price.currency] = known
    }
  }

  func parts(in snapshot: any StorageSnapshot, definitions: CurrencyDefinitions) throws(LedgerError) -> [Unspent.Part] {
    var reader = PurchaseReader(snapshot: snapshot, definitions: definitions)
    var parts: [(environment: Int64, part: Unspent.Part)] = []
    for (position, sum) in sums where sum.paid != 0 || sum.free != 0 {
      guard let currency = definitions.currency(number: position.currency) else { continue }
      var values = sum.values.sorted { $0.key < $1.key }.map { code, value in
        Unspent.Value(units: value.units, price: Money(minorUnits: value.minorUnits, currency: code))
      }
      if sum.unpriced != 0 { values.append(Unspent.Value(units: sum.unpriced, price: nil)) }
      parts.append(
        (
          position.environment,
          Unspent.Part(
            environment: try reader.environment(position.environment), currency: currency.code, paid: sum.paid,
            free: sum.free, values: values)
        ))
    }
    return parts.sorted { ($0.environment, $0.part.currency) < ($1.environment, $1.part.currency) }.map(\.part)
  }
}
