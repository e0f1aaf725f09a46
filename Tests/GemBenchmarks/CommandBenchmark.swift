internal import GemLedger
internal import GemLedgerSQLite

/// One kind of command, in groups of 256 on a separate ledger; earlier transactions that it needs are not timed.
final class CommandBenchmark: Benchmark {
  enum Kind: String, CaseIterable {
    case adjustment
    case item
    case hold
    case capture
    case extend
    case release
    case reversal
    case exchange
    case transfer
    case refund
    case erase
  }

  let name: String
  let operationCount: Int
  let batchSize = 256
  private let kind: Kind
  private let makeLedger: () throws -> Ledger
  private var workload: Workload
  private var ledger: Ledger?
  private var commands: [LedgerCommand] = []
  private var round = 0

  init(
    _ kind: Kind, on storage: String, workload: Workload, operationCount: Int, ledger: @escaping () throws -> Ledger
  ) {
    name = "\(kind.rawValue) \(storage)"
    self.kind = kind
    self.workload = workload
    self.operationCount = operationCount
    makeLedger = ledger
  }

  func setUp() throws {
    let ledger = try makeLedger()
    let gem = try CurrencyCode("GEM")
    try ledger.apply(
      Catalog(
        currencies: [Currency(code: gem, name: "Gems"), Currency(code: CurrencyCode("COIN"), name: "Coins")],
        products: [Product(code: ProductCode("pack"), type: .consumable, grants: [Grant(currency: gem, amount: 100)])],
        items: [Item(id: ItemID("life"), name: "Life", price: [CurrencyAmount(currency: gem, amount: 1)])]))
    self.ledger = ledger
  }

  func prepare(_ count: Int) throws {
    let plain = try workload.next(count)
    commands = try plain.enumerated().map { try command($0.element, $0.offset) }
    round += 1
  }

  private func command(_ plain: LedgerCommand, _ position: Int) throws -> LedgerCommand {
    let one = Adjustment(try CurrencyCode("GEM"), 1)
    let (customer, key) = (plain.customer, plain.key)
    func booked(_ command: LedgerCommand) throws -> Booking {
      guard let ledger else { throw LedgerError(.unexpected, "no ledger") }
      return try ledger.submit([command])[0].get()
    }
    func held() throws -> HoldID {
      guard let hold = try booked(.hold([one], customer: customer)).hold?.id else {
        throw LedgerError(.unexpected, "no hold")
      }
      return hold
    }
    switch kind {
    case .adjustment: return plain
    case .item: return .buyItem(try ItemID("life"), customer: customer, key: key)
    case .hold: return .hold([one], customer: customer, key: key)
    case .capture: return .capture(try held(), key: key)
    case .extend: return .extend(try held(), for: .seconds(1800), key: key)
    case .release: return .release(try held(), key: key)
    case .reversal:
      var spend = plain
      spend.key = nil
      guard let id = try booked(spend).transactionID else { throw LedgerError(.unexpected, "no transaction") }
      return .reverse(id, key: key)
    case .exchange:
      return .exchange(
        one, into: try CurrencyCode("COIN"), rate: ExchangeRate(10, for: 1), customer: customer, key: key)
    case .transfer:
      let other = workload.customers[(position + round + 1) % workload.customers.count]
      let to = other == customer ? workload.customers[(position + round + 2) % workload.customers.count] : other
      return .transfer([one], from: customer, to: to, key: key)
    case .refund:
      let id = try StoreTransactionID("t-\(round)-\(position)")
      let now = Timestamp(milliseconds: 1_790_000_000_000)
      _ = try booked(
        .creditPurchase(
          StorePurchase(
            store: .apple, environment: .production, transactionID: id, product: try ProductCode("pack"),
            price: Money(minorUnits: 99, currency: "USD"), purchasedAt: now), customer: customer))
      return .refund(
        StoreRefund(
          store: .apple, environment: .production, transactionID: id, revokedAt: now, extent: .full, signedAt: now))
    case .erase:
      let id = try CustomerID("gone-\(round)-\(position)")
      _ = try booked(.grant([one], customer: id))
      return .erase(id)
    }
  }

  func run() throws -> UInt64 {
    var checksum: UInt64 = 0
    for result in ledger?.submit(commands) ?? [] { checksum &+= UInt64(try result.get().createdAt.milliseconds & 1) }
    return checksum
  }

  func tearDown() { ledger?.close() }
}

extension SubjectBench {
  func commands() throws {
    #if !PostgreSQL
    guard settings.storage == nil else {
      throw LedgerError(.invalidRequest, "Build gembench with --traits PostgreSQL.")
    }
    #endif
    let customers = settings.customerCount ?? 10_000
    let operations = settings.operationCount ?? 5120
    let files = try LedgerFiles(directory: settings.directory, customerCount: customers)
    defer { files.remove() }
    func bench(_ storage: String, _ ledger: @escaping () throws -> Ledger) throws {
      let benchmarks = try CommandBenchmark.Kind.allCases.map {
        CommandBenchmark(
          $0, on: storage, workload: try Workload(customerCount: customers), operationCount: operations, ledger: ledger)
      }
      let measurement = try Measurement(benchmarks, rounds: settings.rounds)
      for (index, kind) in CommandBenchmark.Kind.allCases.enumerated() {
        add(measurement.names[index], measurement.nanoseconds[index])
        // A transfer has an entry for each customer, an exchange one for each currency.
        let entries = kind == .transfer || kind == .exchange ? 2.0 : 1.0
        print(
          "    \(measurement.names[index]): \(measurement.time(index).text(Figure.nanoseconds)), "
            + "\(Figure.ratio(measurement.rateRatio(of: index, to: 0))) of the plain adjustment's rate"
            + (entries == 1
              ? "" : ", \(Figure.ratio(entries * measurement.rateRatio(of: index, to: 0).median)) by entry"))
      }
    }
    try bench("in memory") {
      let ledger = Ledger.inMemory()
      try Workload(customerCount: customers).open(ledger)
      return ledger
    }
    try bench("on SQLite") { try Ledger.openSQLite(at: files.copy()) }
    #if PostgreSQL
    guard let url = settings.storage else { return }
    let schemas = PostgresSchemas(url, customerCount: customers)
    defer { schemas.remove() }
    try bench("on PostgreSQL", schemas.next)
    #endif
  }
}
