public import GemLedger

/// The customers whose first purchase in an environment was in one period.
public struct Cohort: Hashable, Sendable {
  /// Production, sandbox, or a test session.
  public let environment: StoreEnvironment
  /// The start of the period.
  public let from: Timestamp
  /// The end of the period, exclusive.
  public let until: Timestamp
  /// The number of customers; at least 1.
  public let size: Int64
  /// The prices of the first purchases, by price currency; purchases without a known price are left out.
  public let value: [Money]
  /// The number of customers that spent currency after their first purchase, up to the last boundary.
  public let spenders: Int64
  /// The median time from the first purchase to the first spend of ``spenders``; nil if nobody spent.
  ///
  /// It is the lower of the two middle times of an even number.
  public let medianTimeToSpend: Duration?
  /// The spends after the first purchase by period, from the cohort's period to the last.
  public let periods: [Period]

  /// The spends of a cohort in one period.
  public struct Period: Hashable, Sendable {
    /// The start of the period.
    public let from: Timestamp
    /// The number of customers that spent currency.
    public let spenders: Int64
    /// The spent amounts minus reversals, by currency; without zeros.
    public let spent: [CurrencyCode: Int64]
  }
}

extension SalesReports {
  /// The maximum number of periods of one result.
  public static let cohortPeriodsMax = 128

  /// Returns the customers by the period of their first purchase, with their spends in that and each later period.
  ///
  /// The caller specifies the periods, since days, weeks and months depend on a time zone. A purchase is in the period
  /// in which it was credited; free purchases (price 0) do not count. Each environment has separate cohorts, with
  /// spends of currency of that environment only; granted currency belongs to the environment of its grant. A reversal
  /// is subtracted at its time. Merged customers are one customer. The result is computed from the journal up to the
  /// last boundary, so it does not change for past periods.
  ///
  /// Time grows with the length of the journal; memory with the number of buyers, about 100 bytes each, and of lots
  /// outside production.
  ///
  /// - Parameters:
  ///   - boundaries: The start of each period and the end of the last period; ascending.
  ///   - progress: Called with the number of entries read and their total.
  /// - Returns: The cohorts with at least one customer, by environment, production first, then oldest first.
  /// - Throws: `LedgerError` with, in order of precedence, `limit_exceeded`, `invalid_request` if the boundaries do
  ///   not ascend.
  public func cohorts(
    between boundaries: [Timestamp], progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> [Cohort] {
    let periods = try Periods(between: boundaries, limit: Self.cohortPeriodsMax, of: "periods")
    return try ledger.reading { (snapshot, definitions) throws(LedgerError) -> [Cohort] in
      let scan = try SpendScan(snapshot, until: boundaries[boundaries.count - 1])
      var buyers = Buyers(scan: scan, periods: periods)
      try buyers.readPurchases()
      try scan.run(progress: progress) { (step) throws(LedgerError) in try buyers.add(step) }
      return try buyers.cohorts(definitions: definitions)
    }
  }
}

/// The buyers of each environment with their spends.
private struct Buyers {
  private struct Buyer {
    let boughtAt: Timestamp
    let purchase: TransactionNumber
    /// An index of the price currencies.
    let currency: Int
    let minorUnits: Int64
    var spentAt: Timestamp?
    /// A bit for each period with a spend.
    var spentIn: UInt128 = 0
  }

  let scan: SpendScan
  private let periods: Periods
  /// By environment and customer.
  private var buyers: [Int64: IntegerMap<Buyer>] = [:]
  private var priceCurrencies: [String] = []
  /// The spent amounts by environment; the index is that of the cohort, then that of the period.
  private var spent: [Int64: [[[Int64: Int64]]]] = [:]

  init(scan: SpendScan, periods: Periods) {
    self.scan = scan
    self.periods = periods
  }

  private var periodCount: Int { periods.boundaries.count - 1 }

  // MARK: Reading

  mutating func readPurchases() throws(LedgerError) {
    try scan.scan.pages(after: .blank) { (page: [PurchaseRow]) throws(LedgerError) in
      let paid = page.filter { $0.price?.minorUnits != 0 }
      let transactions = try scan.snapshot.transactions(paid.map { RowAddress($0.transaction, of: $0.customer) })
      for row in paid {
        guard let transaction = transactions[row.transaction] else { throw .lacksTransaction(row.transaction) }
        if periods.position(of: transaction.createdAt) <= periodCount { add(row, at: transaction.createdAt) }
      }
    }
  }

  private mutating func add(_ row: PurchaseRow, at instant: Timestamp) {
    let environment = row.identity.environment
    let customers = buyers[environment] ?? IntegerMap()
    buyers[environment] = customers
    let customer = scan.customer(row.customer)
    if let known = customers[customer], (known.boughtAt, known.purchase) < (instant, row.transaction) { return }
    let code = row.price?.currency ?? ""
    if !priceCurrencies.contains(code) { priceCurrencies.append(code) }
    customers[customer] = Buyer(
      boughtAt: instant, purchase: row.transaction, currency: priceCurrencies.firstIndex(of: code) ?? 0,
      minorUnits: row.price?.minorUnits ?? 0)
  }

  mutating func add(_ step: SpendScan.Step) throws(LedgerError) {
    let instant = step.transaction.createdAt
    for part in step.parts {
      guard let customers = buyers[part.environment], var buyer = customers[step.customer], buyer.boughtAt <= instant
      else { continue }
      let (cohort, period) = (periods.position(of: buyer.boughtAt) - 1, periods.position(of: instant) - 1)
      guard cohort >= 0 else { continue }
      if spent[part.environment] == nil {
        let row = [[Int64: Int64]](repeating: [:], count: periodCount)
        spent[part.environment] = [[[Int64: Int64]]](repeating: row, count: periodCount)
      }
      try spent[part.environment]?[cohort][period][part.currency, default: 0].add(-part.amount)
      guard step.entry.kind == .spend else { continue }
      buyer.spentIn |= 1 << UInt128(period)
      buyer.spentAt = min(buyer.spentAt ?? instant, instant)
      customers[step.customer] = buyer
    }
  }

  // MARK: Adding up

  private struct Sum {
    var size: Int64 = 0
    var values: [String: Int64] = [:]
    var times: [Int64] = []
    var spenders: [Int64]

    init(periodCount: Int) { spenders = [Int64](repeating: 0, count: periodCount) }

    mutating func add(_ buyer: Buyer, price currency: String) throws(LedgerError) {
      size += 1
      if !currency.isEmpty { try values[currency, default: 0].add(buyer.minorUnits) }
      if let spentAt = buyer.spentAt { times.append(Self.length(from: buyer.boughtAt, to: spentAt)) }
      for period in spenders.indices where buyer.spentIn >> UInt128(period) & 1 == 1 { spenders[period] += 1 }
    }

    private static func length(from start: Timestamp, to end: Timestamp) -> Int64 {
      Int64(clamping: Int128(end.milliseconds) - Int128(start.milliseconds))
    }

    /// The lower of the two middle times of an even number.
    var median: Duration? { times.isEmpty ? nil : .milliseconds(times.sorted()[(times.count - 1) / 2]) }
  }

  func cohorts(definitions: CurrencyDefinitions) throws(LedgerError) -> [Cohort] {
    var reader = PurchaseReader(snapshot: scan.snapshot, definitions: definitions)
    var cohorts: [Cohort] = []
    for (number, customers) in buyers.sorted(by: { $0.key < $1.key }) {
      var sums = [Sum](repeating: Sum(periodCount: periodCount), count: periodCount)
      for buyer in customers.values {
        let cohort = periods.position(of: buyer.boughtAt) - 1
        if cohort >= 0 { try sums[cohort].add(buyer, price: priceCurrencies[buyer.currency]) }
      }
      let environment = try reader.environment(number)
      for (index, sum) in sums.enumerated() where sum.size > 0 {
        cohorts.append(
          Cohort(
            environment: environment, from: periods.boundaries[index], until: periods.boundaries[index + 1],
            size: sum.size,
            value: sum.values.sorted { $0.key < $1.key }.map { Money(minorUnits: $0.value, currency: $0.key) },
            spenders: Int64(sum.times.count), medianTimeToSpend: sum.median,
            periods: (index..<periodCount).map { period in
              Cohort.Period(
                from: periods.boundaries[period], spenders: sum.spenders[period],
                spent: amounts(spent[number]?[index][period] ?? [:], definitions))
            }))
      }
    }
    return cohorts
  }

  private func amounts(_ sums: [Int64: Int64], _ definitions: CurrencyDefinitions) -> [CurrencyCode: Int64] {
    var amounts: [CurrencyCode: Int64] = [:]
    for (number, amount) in sums where amount != 0 {
      if let currency = definitions.currency(number: number) { amounts[currency.code] = amount }
    }
    return amounts
  }
}
