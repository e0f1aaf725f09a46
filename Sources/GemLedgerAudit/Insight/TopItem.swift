public import GemLedger

/// The sales of an item in a period, paid in one currency of one environment.
public struct TopItem: Hashable, Sendable {
  /// Production, sandbox, or a test session.
  public let environment: StoreEnvironment
  /// The currency.
  public let currency: CurrencyCode
  /// The item.
  public let item: ItemID
  /// The paid amount, minus reversals.
  public let amount: Int64
  /// The number of units sold, minus returned units.
  public let units: Int64
  /// The number of customers that bought more units than they returned.
  public let customers: Int64
}

extension SalesReports {
  /// Returns the items with the highest sales in a period.
  ///
  /// A sale belongs to the environment of the currency that paid for it. A sale that took currency of two environments
  /// or in two currencies has its units in both, and in each only that part of the amount. A reversal is subtracted at
  /// its time, and units when the last part of the price is given back. Sales of several items at once are left out:
  /// the charge of each item is unknown. Merged customers count once. The result is computed from the journal up to the
  /// period's end, so it does not change for a past period.
  ///
  /// Time grows with the length of the journal; memory with the number of sold items and their customers, and of lots
  /// outside production.
  ///
  /// - Parameters:
  ///   - from: The start of the period; nil for the start of the journal.
  ///   - until: The end of the period, exclusive; nil for now.
  ///   - limit: The maximum number of items by environment and currency, 1 to `Limits.historyPage`.
  ///   - progress: Called with the number of entries read and their total.
  /// - Returns: The items by environment, production first, then by currency, highest amount first.
  /// - Throws: `LedgerError` with, in order of precedence, `limit_exceeded`, `invalid_request` for a period that ends
  ///   before it begins.
  public func topItems(
    from: Timestamp? = nil, until: Timestamp? = nil, limit: Int = 100,
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> [TopItem] {
    try Limits.check(page: limit)
    if let from, let until, from > until {
      throw .invalid("The period ends at \(until), before its start at \(from).")
    }
    return try ledger.reading { (snapshot, definitions) throws(LedgerError) -> [TopItem] in
      // Includes transactions booked at this very instant.
      let now = try ledger.clock.now(in: snapshot)
      let scan = try SpendScan(snapshot, until: until ?? now.after)
      var sums = ItemSums(scan: scan, from: from)
      try scan.run(progress: progress) { (step) throws(LedgerError) in try sums.add(step) }
      return try sums.items(limit: limit, definitions: definitions)
    }
  }
}

/// Adds up the sales of items.
private struct ItemSums {
  private struct Key: Hashable {
    let environment: Int64
    let currency: Int64
    let item: ItemID
  }

  private struct Sum {
    var amount: Int64 = 0
    var units: Int64 = 0
    /// The units of each customer.
    var customers: [CustomerNumber: Int64] = [:]
  }

  let scan: SpendScan
  private let from: Timestamp?
  private var sales: SaleWalk
  private var sums: [Key: Sum] = [:]
  private var lastReturned: TransactionNumber = 0

  init(scan: SpendScan, from: Timestamp?) {
    self.scan = scan
    self.from = from
    sales = SaleWalk(snapshot: scan.snapshot, scan: scan.scan)
  }

  mutating func add(_ step: SpendScan.Step) throws(LedgerError) {
    guard step.transaction.createdAt >= from ?? step.transaction.createdAt,
      let sale = try sales.sale(of: step.transaction)
    else { return }
    for part in step.parts {
      let key = Key(environment: part.environment, currency: part.currency, item: sale.item)
      try sums[key, default: Sum()].amount.add(-part.amount)
      if sale.original == nil { try add(sale.quantity, to: key, of: step.customer) }
    }
    guard let original = sale.original, sale.quantity != 0, lastReturned != step.transaction.number else { return }
    lastReturned = step.transaction.number
    // The last part of the price may be in one currency, or in one environment, of several.
    for part in try scan.parts(of: original) {
      let key = Key(environment: part.environment, currency: part.currency, item: sale.item)
      try add(sale.quantity, to: key, of: step.customer)
    }
  }

  private mutating func add(_ units: Int64, to key: Key, of customer: CustomerNumber) throws(LedgerError) {
    try sums[key, default: Sum()].units.add(units)
    try sums[key]?.customers[customer, default: 0].add(units)
  }

  func items(limit: Int, definitions: CurrencyDefinitions) throws(LedgerError) -> [TopItem] {
    var reader = PurchaseReader(snapshot: scan.snapshot, definitions: definitions)
    var groups: [SaleGroup: [TopItem]] = [:]
    for (key, sum) in sums where sum.amount != 0 || sum.units != 0 {
      guard let currency = definitions.currency(number: key.currency) else { continue }
      groups[SaleGroup(environment: key.environment, currency: currency.code), default: []].append(
        TopItem(
          environment: try reader.environment(key.environment), currency: currency.code, item: key.item,
          amount: sum.amount, units: sum.units, customers: Int64(sum.customers.values.count { $0 > 0 })))
    }
    return groups.sorted { $0.key < $1.key }.flatMap { group in
      group.value.sorted { ($1.amount, $0.item) < ($0.amount, $1.item) }.prefix(limit)
    }
  }

  private struct SaleGroup: Hashable, Comparable {
    let environment: Int64
    let currency: CurrencyCode

    static func < (left: Self, right: Self) -> Bool {
      (left.environment, left.currency) < (right.environment, right.currency)
    }
  }
}
