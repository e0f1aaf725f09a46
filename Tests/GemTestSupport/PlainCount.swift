internal import GemLedger
internal import GemLedgerAudit

/// Sales counted from all rows in memory, one after the other.
struct PlainCount {
  /// The figures of the top items as texts.
  private(set) var items: Set<String> = []
  /// The figures of the cohorts as texts.
  private(set) var cohorts: Set<String> = []

  private struct Spend {
    let transaction: TransactionRow
    let customer: CustomerNumber
    let kind: EntryKind
    let currency: Int64
    var amounts: [Int64: Int64] = [:]
  }

  private var spends: [Spend] = []
  private var transactions: [TransactionNumber: TransactionRow] = [:]
  private var sold: [TransactionNumber: [ItemEntryRow]] = [:]
  private var undone: [TransactionNumber: TransactionNumber] = [:]
  private var purchases: [(row: PurchaseRow, customer: CustomerNumber)] = []
  private var codes: [Int64: CurrencyCode] = [:]
  private var environments: [Int64: StoreEnvironment] = [:]

  init(_ ledger: Ledger, boundaries: [Timestamp]) throws(LedgerError) {
    self = try ledger.reading { (snapshot, definitions) throws(LedgerError) -> Self in
      var count = Self()
      for currency in definitions.currencies { count.codes[currency.number] = currency.code }
      try count.read(snapshot, definitions)
      return count
    }
    countItems(from: boundaries[0], until: boundaries[boundaries.count - 1])
    countCohorts(boundaries)
  }

  private init() {}

  private mutating func read(
    _ snapshot: any StorageSnapshot, _ definitions: CurrencyDefinitions
  ) throws(LedgerError) {
    func all<Row: StoredRow>(_: Row.Type) throws(LedgerError) -> [Row] {
      try snapshot.scan().page(after: nil as Row?, limit: 1 << 30)
    }
    func survivor(_ number: CustomerNumber) throws(LedgerError) -> CustomerNumber {
      let merged = try snapshot.customer(number: number)?.mergedInto ?? 0
      return merged == 0 ? number : merged
    }
    var reader = PurchaseReader(snapshot: snapshot, definitions: definitions)
    var lots: [LotNumber: Int64] = [:]
    for lot in try all(LotAttributesRow.self) {
      lots[lot.lot] = lot.environment
      environments[lot.environment] = try reader.environment(lot.environment)
    }
    for row in try all(TransactionRow.self) { transactions[row.number] = row }
    for row in try all(ItemEntryRow.self) { sold[row.transaction, default: []].append(row) }
    for row in try all(JournalEventRow.self) where row.kind == .reversal { undone[row.transaction] = row.target }
    for row in try all(PurchaseRow.self) {
      environments[row.identity.environment] = try reader.environment(row.identity.environment)
      purchases.append((row, try survivor(row.customer)))
    }
    let allocations = Dictionary(grouping: try all(AllocationRow.self), by: \.entry)
    for entry in try all(EntryRow.self) where entry.kind == .spend || entry.kind == .reversal {
      guard let transaction = transactions[entry.transaction] else { continue }
      var spend = Spend(
        transaction: transaction, customer: try survivor(entry.account.customer), kind: entry.kind,
        currency: entry.account.currency)
      let taken = entry.lot == 0 ? (allocations[entry.number] ?? []).map { ($0.lot, $0.amount) } : []
      let rest = entry.amount - taken.reduce(0) { $0 + $1.1 }
      for (lot, amount) in [(taken.first?.0 ?? entry.lot, rest)] + taken {
        spend.amounts[lots[lot] ?? 1, default: 0] -= amount
      }
      spends.append(spend)
    }
  }

  // MARK: Items

  private mutating func countItems(from: Timestamp, until: Timestamp) {
    var amounts: [String: Int64] = [:]
    var units: [String: [CustomerNumber: Int64]] = [:]
    var counted: Set<String> = []
    for spend in spends where (from..<until).contains(spend.transaction.createdAt) {
      let number = spend.transaction.number
      let sale = undone[number] ?? number
      guard let item = sold[sale], item.count == 1 else { continue }
      func name(_ environment: Int64, _ currency: Int64) -> String {
        "\(text(environment)) \(text(code: currency)) \(item[0].item)"
      }
      for (environment, amount) in spend.amounts { amounts[name(environment, spend.currency), default: 0] += amount }
      for part in spends where part.transaction.number == sale && part.kind == .spend {
        for environment in part.amounts.keys {
          let name = name(environment, part.currency)
          guard counted.insert("\(number) \(name)").inserted else { continue }
          units[name, default: [:]][spend.customer, default: 0] += sold[number]?.first?.quantity ?? 0
        }
      }
    }
    for (name, bought) in units {
      let (amount, sum) = (amounts[name] ?? 0, bought.values.reduce(0, +))
      if amount != 0 || sum != 0 { items.insert("\(name) \(amount) \(sum) \(bought.values.count { $0 > 0 })") }
    }
  }

  // MARK: Cohorts

  private mutating func countCohorts(_ boundaries: [Timestamp]) {
    var first: [String: (at: Timestamp, row: PurchaseRow, customer: CustomerNumber)] = [:]
    for (row, customer) in purchases where row.price?.minorUnits != 0 {
      guard let at = transactions[row.transaction]?.createdAt else { continue }
      let name = "\(row.identity.environment) \(customer)"
      guard let known = first[name] else {
        first[name] = (at, row, customer)
        continue
      }
      if (at, row.transaction) < (known.at, known.row.transaction) { first[name] = (at, row, customer) }
    }
    for (index, (from, until)) in zip(boundaries, boundaries.dropFirst()).enumerated() {
      let buyers = Dictionary(
        grouping: first.values.filter { (from..<until).contains($0.at) }, by: \.row.identity.environment)
      for (environment, buyers) in buyers {
        var (times, spenders, spent) = ([Int64](), [Int](), [String]())
        for (from, until) in zip(boundaries, boundaries.dropFirst()).dropFirst(index) {
          var (who, sums): (Set<CustomerNumber>, [CurrencyCode: Int64]) = ([], [:])
          for buyer in buyers {
            for spend in spends where spend.customer == buyer.customer && spend.transaction.createdAt >= buyer.at {
              guard (from..<until).contains(spend.transaction.createdAt), let amount = spend.amounts[environment],
                let code = codes[spend.currency]
              else { continue }
              sums[code, default: 0] += amount
              if spend.kind == .spend { who.insert(spend.customer) }
            }
          }
          spenders.append(who.count)
          spent.append(Self.text(sums))
        }
        for buyer in buyers {
          let own = spends.filter {
            $0.customer == buyer.customer && $0.kind == .spend && $0.amounts[environment] != nil
              && $0.transaction.createdAt >= buyer.at && $0.transaction.createdAt < boundaries[boundaries.count - 1]
          }
          if let at = own.map(\.transaction.createdAt).min() { times.append(at.milliseconds - buyer.at.milliseconds) }
        }
        times.sort()
        let prices = buyers.compactMap(\.row.price?.minorUnits)
        let median = times.isEmpty ? nil : Duration.milliseconds(times[(times.count - 1) / 2])
        cohorts.insert(
          "\(text(environment)) \(from) \(buyers.count) \(prices.reduce(0, +)) \(times.count) "
            + "\(median.map { "\($0)" } ?? "never") \(spenders) \(spent)")
      }
    }
  }

  /// The figures of a cohort with prices in one currency.
  static func text(_ cohort: Cohort) -> String {
    "\(text(cohort.environment)) \(cohort.from) \(cohort.size) \(cohort.value.reduce(0) { $0 + $1.minorUnits }) "
      + "\(cohort.spenders) \(cohort.medianTimeToSpend.map { "\($0)" } ?? "never") "
      + "\(cohort.periods.map(\.spenders)) \(cohort.periods.map { text($0.spent) })"
  }

  private static func text(_ sums: [CurrencyCode: Int64]) -> String {
    sums.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  private static func text(_ environment: StoreEnvironment) -> String { "\(environment)" + (environment.session ?? "") }
  private func text(_ environment: Int64) -> String { environments[environment].map(Self.text) ?? "unknown" }
  private func text(code: Int64) -> String { codes[code]?.description ?? "unknown" }
}
