public import GemLedger

/// A purchase that can be withdrawn from: less than fourteen days old, with an unused paid amount.
public struct Withdrawable: Hashable, Sendable {
  /// The withdrawal period in milliseconds: fourteen times twenty-four hours, the end exclusive.
  public static let periodMilliseconds: Int64 = 14 * 86_400_000

  /// The purchase.
  public let purchase: Purchase
  /// The end of the withdrawal period, exclusive.
  public let until: Timestamp
  /// The unused amounts of the purchase, in the order of codes.
  public let currencies: [Currency]

  /// The unused part of the paid amount in one currency, without a bonus.
  public struct Currency: Hashable, Sendable {
    /// The currency.
    public let currency: CurrencyCode
    /// The paid amount.
    public let granted: Int64
    /// The unused part, held amounts included.
    public let unused: Int64
    /// The price of the unused part; nil if unknown.
    public let value: Money?
  }
}

extension Ledger {
  /// Returns the customer's purchases that can be withdrawn from now, oldest first.
  ///
  /// - Parameter customer: Must exist.
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  public func withdrawable(of customer: CustomerID) throws(LedgerError) -> [Withdrawable] {
    try reading { (snapshot, definitions) throws(LedgerError) -> [Withdrawable] in
      let found = try CustomerFinder(snapshot).customer(customer)
      let now = try clock.now(in: snapshot)
      var reader = ConsumptionReader(snapshot: snapshot, definitions: definitions, now: now)
      var open: [Withdrawable] = []
      for number in try CustomerFinder(snapshot).numbers(of: found) {
        var below = Int64.max
        while true {
          let page = try snapshot.purchases(of: number, below: below, limit: 100)
          for row in page where row.isWithdrawable(at: now) {
            if let one = try Self.withdrawable(row, &reader) { open.append(one) }
          }
          guard let last = page.last, page.count == 100 else { break }
          guard last.number < below else { throw .leadsBack("purchases") }
          below = last.number
        }
      }
      return open.sorted { ($0.until, $0.purchase.storeTransactionID) < ($1.until, $1.purchase.storeTransactionID) }
    }
  }

  private static func withdrawable(
    _ row: PurchaseRow, _ reader: inout ConsumptionReader
  ) throws(LedgerError) -> Withdrawable? {
    var currencies: [Withdrawable.Currency] = []
    for lots in try reader.lots(of: row) {
      for lot in lots.lots where lot.source == .paid && lot.remaining + lot.held > 0 {
        let unused = lot.remaining + lot.held
        let value = lot.price.map { price in
          Money(
            minorUnits: LotValue.rest(of: price.minorUnits, granted: lot.granted, remaining: unused),
            currency: price.currency)
        }
        currencies.append(
          Withdrawable.Currency(currency: lots.currency.code, granted: lot.granted, unused: unused, value: value))
      }
    }
    guard !currencies.isEmpty else { return nil }
    return Withdrawable(purchase: try reader.purchase(row), until: row.withdrawableUntil, currencies: currencies)
  }

  /// Returns all customers' purchases that could be withdrawn from at an instant, oldest first.
  ///
  /// It is computed only from the journal up to the instant, so a later call returns the same result, except for marks
  /// of later refunds on the purchases. Time grows with the length of the journal, memory with the number of purchases
  /// in two weeks.
  ///
  /// - Parameters:
  ///   - instant: The instant; nil for now.
  ///   - progress: Called with the number of entries read and their total.
  /// - Throws: ``LedgerError`` if the storage fails.
  public func withdrawable(
    at instant: Timestamp? = nil, progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> [Withdrawable] {
    try reading { (snapshot, definitions) throws(LedgerError) -> [Withdrawable] in
      let instant = try clock.instant(instant, in: snapshot)
      let rows = try Self.purchases(withdrawableAt: instant, in: snapshot)
      var replay = try LotReplay(snapshot: snapshot, at: instant)
      var unused: [Int64: [Withdrawable.Currency]] = [:]
      let follows = { (lot: LotAttributesRow) in lot.source == .paid && lot.purchase.map { rows[$0] != nil } ?? false }
      try replay.run(follows: follows, progress: progress) { (window) throws(LedgerError) in
        for lot in window.lots where lot.remaining > 0 {
          guard let purchase = lot.purchase, let currency = definitions.currency(number: lot.currency) else { continue }
          let value = lot.value(of: lot.remaining).map { Money(minorUnits: $0, currency: lot.price?.currency ?? "") }
          unused[purchase, default: []].append(
            Withdrawable.Currency(
              currency: currency.code, granted: lot.granted, unused: lot.remaining, value: value))
        }
      }
      var reader = PurchaseReader(snapshot: snapshot, definitions: definitions)
      var open: [Withdrawable] = []
      for (number, currencies) in unused {
        guard let row = rows[number] else { continue }
        open.append(
          Withdrawable(
            purchase: try reader.purchase(row), until: row.withdrawableUntil,
            currencies: currencies.sorted { $0.currency < $1.currency }))
      }
      return open.sorted { ($0.until, $0.purchase.storeTransactionID) < ($1.until, $1.purchase.storeTransactionID) }
    }
  }

  private static func purchases(
    withdrawableAt instant: Timestamp, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> [Int64: PurchaseRow] {
    let scan = try snapshot.scan()
    var rows: [Int64: PurchaseRow] = [:]
    try scan.pages(after: .blank) { (page: [PurchaseRow]) in
      for row in page where row.isWithdrawable(at: instant) { rows[row.number] = row }
    }
    return rows
  }
}

extension PurchaseRow {
  fileprivate var withdrawableUntil: Timestamp {
    let (end, overflow) = purchasedAt.milliseconds.addingReportingOverflow(Withdrawable.periodMilliseconds)
    return Timestamp(milliseconds: overflow ? .max : end)
  }

  fileprivate func isWithdrawable(at instant: Timestamp) -> Bool {
    purchasedAt <= instant && instant < withdrawableUntil
  }
}
