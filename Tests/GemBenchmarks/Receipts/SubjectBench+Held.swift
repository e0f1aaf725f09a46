internal import GemLedger
internal import GemLedgerSQLite

extension SubjectBench {
  func held() throws {
    let receipts = settings.entryCount ?? 1_000_000
    let customers = settings.customerCount ?? 10_000
    let operations = settings.operationCount ?? 20_480
    for ids in HeldFixture.IDs.allCases {
      let files = try LedgerFiles(directory: settings.directory, customerCount: customers)
      defer { files.remove() }
      let (without, with) = (try files.copy(), try files.copy())
      try HeldFixture.apply(to: without)
      try HeldFixture.apply(to: with)
      try HeldFixture.fill(with, count: receipts, ids: ids)
      print("  \(receipts) held receipts, \(ids.rawValue) ids")
      for groupSize in [256, 1] {
        let count = groupSize == 1 ? max(1, operations / 20) : operations
        let measurement = try Measurement(
          [(without, "with no held receipt"), (with, "with \(receipts) held receipts")].map { path, name in
            CreditBenchmark(
              "credits in groups of \(groupSize), \(name)", path: path, operationCount: count, groupSize: groupSize,
              customers: try Workload(customerCount: customers).customers, ids: ids)
          }, rounds: settings.rounds)
        show(measurement)
        print("    cost ratio, many to none: \(Figure.ratio(measurement.costRatio(of: 1, to: 0)))")
      }
    }
  }
}

/// Held receipts, and purchases as a store's receipts state them.
enum HeldFixture {
  /// The order of the stores' ids.
  enum IDs: String, CaseIterable {
    /// Rising, like ids of the App Store.
    case rising
    /// In no order, like purchase tokens of Google Play.
    case random

    func id(_ number: Int) throws -> StoreTransactionID {
      switch self {
      case .rising: return try StoreTransactionID("\(2_000_000_000_000_000 + number)")
      case .random:
        var random = SplitMix64(seed: UInt64(number))
        return try StoreTransactionID(HexForm.uuid(high: random.next(), low: random.next()))
      }
    }
  }

  private static let date = Timestamp(milliseconds: 1_790_000_000_000)

  static func statement(_ id: StoreTransactionID) -> StoreStatement {
    StoreStatement(
      content: """
        {"bundleId":"com.example.gems","currency":"USD","inAppOwnershipType":"PURCHASED","price":990,\
        "productId":"pack","purchaseDate":1790000000000,"quantity":1,"storefront":"USA","transactionId":"\(id.text)",\
        "type":"Consumable"}
        """, original: "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0")
  }

  static func apply(to path: String) throws {
    let ledger = try Ledger.openSQLite(at: path)
    defer { ledger.close() }
    let gem = try CurrencyCode("GEM")
    try ledger.apply(
      Catalog(
        currencies: [Currency(code: gem, name: "Gems")],
        products: [Product(code: ProductCode("pack"), type: .consumable, grants: [Grant(currency: gem, amount: 100)])]))
  }

  static func fill(_ path: String, count: Int, ids: IDs) throws {
    let ledger = try Ledger.openSQLite(at: path)
    defer { ledger.close() }
    let reasons: [HoldReason] = [.product, .buyer, .unattributed, .pending]
    var next = 0
    while next < count {
      let end = min(count, next + Limits.commandsPerGroup)
      let holds = try (next..<end).map { number in
        let id = try ids.id(number)
        return LedgerCommand.holdReceipt(
          ReceiptHold(
            store: .apple, environment: .production, transactionID: id, statedAt: date, statement: statement(id),
            reason: reasons[number % reasons.count],
            dueAt: Timestamp(milliseconds: date.milliseconds + Int64(number) * 1000), subject: "subject-\(number)"),
          customer: nil)
      }
      for result in ledger.submit(holds) { _ = try result.get() }
      next = end
    }
  }

  static func purchase(_ number: Int, ids: IDs) throws -> StorePurchase {
    let id = try ids.id(number)
    return StorePurchase(
      store: .apple, environment: .production, transactionID: id, product: try ProductCode("pack"),
      price: Money(minorUnits: 99, currency: "USD"), purchasedAt: date, statedAt: date, statement: statement(id))
  }
}

/// Credits of purchases in groups of a given size, on an existing file.
private final class CreditBenchmark: Benchmark {
  let name: String
  let operationCount: Int
  let batchSize: Int
  private let path: String
  private let customers: [CustomerID]
  private let ids: HeldFixture.IDs
  private var ledger: Ledger?
  private var commands: [LedgerCommand] = []
  /// The next id, above those of held receipts and of earlier rounds on the same file.
  private var next: Int

  init(
    _ name: String, path: String, operationCount: Int, groupSize: Int, customers: [CustomerID], ids: HeldFixture.IDs
  ) {
    self.name = name
    self.path = path
    self.operationCount = operationCount
    self.customers = customers
    self.ids = ids
    batchSize = groupSize
    next = 1_000_000_000 * (groupSize == 1 ? 2 : 1)
  }

  func setUp() throws { ledger = try Ledger.openSQLite(at: path) }

  func prepare(_ count: Int) throws {
    commands = try (next..<next + count).map { number in
      .creditPurchase(
        try HeldFixture.purchase(number, ids: ids), customer: customers[number % customers.count])
    }
    next += count
  }

  func run() throws -> UInt64 {
    var checksum: UInt64 = 0
    for result in ledger?.submit(commands) ?? [] { checksum &+= UInt64(try result.get().entries[0].amount) }
    return checksum
  }

  func tearDown() { ledger?.close() }
}
