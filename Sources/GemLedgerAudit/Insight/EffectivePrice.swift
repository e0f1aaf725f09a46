public import GemLedger

/// An item's cost in real money, from the price paid for the currency spent on it.
public struct EffectivePrice: Hashable, Sendable {
  /// The item.
  public let item: ItemID
  /// The number of items sold in the period, minus returned items.
  public let units: Int64
  /// The charges for these units, in the order of codes.
  public let charges: [Charge]
  /// The cost of the paid part, by environment and price currency; production before the others.
  public let costs: [Cost]

  /// The charge in one currency.
  public struct Charge: Hashable, Sendable {
    /// The currency.
    public let currency: CurrencyCode
    /// The amount.
    public let amount: Int64
    /// The part from paid lots.
    public let paid: Int64
    /// The share from free lots, in thousandths of a percent, rounded down.
    public var freeMilliPercent: Int64 {
      amount > 0 ? Int64(clamping: Int128(amount - paid) * 100_000 / Int128(amount)) : 0
    }
  }

  /// The cost of the paid part.
  public struct Cost: Hashable, Sendable {
    /// Production, sandbox, or a test session.
    public let environment: StoreEnvironment
    /// The cost of all units together.
    public let total: Money
    /// The cost of one unit, rounded down.
    public let perUnit: Money
  }
}

extension Ledger {
  /// Returns the real cost of items in a period: the paid value of the lots spent on them, in total and per unit.
  ///
  /// A reversal subtracts its part at the time of the reversal. Sales of several items at once are left out: the charge
  /// of each item is unknown. The result is computed from the journal, so it does not change for a past period.
  ///
  /// - Parameters:
  ///   - item: The item; nil for all items.
  ///   - from: The start of the period; nil for the start of the journal.
  ///   - until: The end of the period, exclusive; nil for now.
  ///   - progress: Called with the number of entries read and their total.
  /// - Returns: The prices, in the order of items; unsold items are left out.
  /// - Throws: ``LedgerError`` with `invalid_request` for a period that ends before it begins.
  public func effectivePrices(
    of item: ItemID? = nil, from: Timestamp? = nil, until: Timestamp? = nil,
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> [EffectivePrice] {
    try reading { (snapshot, definitions) throws(LedgerError) -> [EffectivePrice] in
      if let from, let until, from > until {
        throw .invalid("The period ends at \(until), before its start at \(from).")
      }
      var replay = try LotReplay(snapshot: snapshot, at: try clock.instant(until?.before, in: snapshot))
      var sums = PriceSums(item: item, from: from, sales: SaleWalk(snapshot: snapshot, scan: try snapshot.scan()))
      try replay.run(
        follows: { $0.source == .paid }, progress: progress,
        entry: { (entry, transaction) throws(LedgerError) in try sums.add(entry, of: transaction) },
        step: { (step) throws(LedgerError) in try sums.add(step) },
        window: { (_) throws(LedgerError) in sums.goOn(SaleWalk(snapshot: snapshot, scan: try snapshot.scan())) })
      return try sums.prices(in: snapshot, definitions: definitions)
    }
  }
}

/// Adds up the currency spent on items.
private struct PriceSums {
  private struct Key: Hashable, Comparable {
    let environment: Int64
    let currency: String

    static func < (left: Self, right: Self) -> Bool {
      (left.environment, left.currency) < (right.environment, right.currency)
    }
  }

  private struct Sum {
    var units: Int64 = 0
    var charged: [Int64: Int64] = [:]
    var paid: [Int64: Int64] = [:]
    var costs: [Key: Int64] = [:]
  }

  private let item: ItemID?
  private let from: Timestamp?
  private var sales: SaleWalk
  private var sums: [ItemID: Sum] = [:]
  private var lastCounted: TransactionNumber = 0

  init(item: ItemID?, from: Timestamp?, sales: SaleWalk) {
    self.item = item
    self.from = from
    self.sales = sales
  }

  mutating func goOn(_ sales: SaleWalk) { self.sales = sales }

  /// Returns the sale of an entry if the sale is requested.
  private mutating func sale(
    _ entry: EntryRow, of transaction: TransactionRow
  ) throws(LedgerError) -> SaleWalk.Sale? {
    guard entry.kind == .spend || entry.kind == .reversal, transaction.createdAt >= from ?? transaction.createdAt,
      let sale = try sales.sale(of: transaction), item.map({ $0 == sale.item }) ?? true
    else { return nil }
    return sale
  }

  mutating func add(_ entry: EntryRow, of transaction: TransactionRow) throws(LedgerError) {
    guard let sale = try sale(entry, of: transaction) else { return }
    var sum = sums[sale.item] ?? Sum()
    // A price in two currencies has two entries.
    if lastCounted != transaction.number { try sum.units.add(sale.quantity) }
    lastCounted = transaction.number
    try sum.charged[entry.account.currency, default: 0].add(-entry.amount)
    sums[sale.item] = sum
  }

  mutating func add(_ step: LotReplay.Step) throws(LedgerError) {
    guard let sale = try sale(step.entry, of: step.transaction) else { return }
    try sums[sale.item, default: Sum()].paid[step.entry.account.currency, default: 0].add(-step.amount)
    let before = step.lot.remaining
    var after = before
    try after.add(step.amount)
    guard let price = step.lot.price, let had = step.lot.value(of: before), let has = step.lot.value(of: after) else {
      return
    }
    let position = Key(environment: step.lot.environment, currency: price.currency)
    try sums[sale.item, default: Sum()].costs[position, default: 0].add(had)
    try sums[sale.item, default: Sum()].costs[position, default: 0].add(-has)
  }

  func prices(in snapshot: any StorageSnapshot, definitions: CurrencyDefinitions) throws(LedgerError)
    -> [EffectivePrice]
  {
    var reader = PurchaseReader(snapshot: snapshot, definitions: definitions)
    var prices: [EffectivePrice] = []
    for (item, sum) in sums.sorted(by: { $0.key < $1.key }) {
      var charges: [EffectivePrice.Charge] = []
      for (number, amount) in sum.charged {
        guard let currency = definitions.currency(number: number) else { continue }
        charges.append(EffectivePrice.Charge(currency: currency.code, amount: amount, paid: sum.paid[number] ?? 0))
      }
      var costs: [EffectivePrice.Cost] = []
      for (position, total) in sum.costs.sorted(by: { $0.key < $1.key }) {
        costs.append(
          EffectivePrice.Cost(
            environment: try reader.environment(position.environment),
            total: Money(minorUnits: total, currency: position.currency),
            perUnit: Money(minorUnits: sum.units > 0 ? total / sum.units : 0, currency: position.currency)))
      }
      prices.append(
        EffectivePrice(
          item: item, units: sum.units, charges: charges.sorted { $0.currency < $1.currency }, costs: costs))
    }
    return prices
  }
}
