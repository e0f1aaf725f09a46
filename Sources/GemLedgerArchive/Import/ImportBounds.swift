internal import GemLedger

/// Checks the numbers in the lines of an export: they ascend, and the rows that they name exist.
///
/// An export is not trusted: a line that names a missing row would leave a gap in the ledger. A repeated number would
/// contradict an existing row.
struct ImportBounds {
  private let isDense: Bool
  private var environment: Int64 = 0
  private var customer: CustomerNumber = 0
  private var purchase: Int64 = 0
  private var order: OrderNumber = 0
  /// The highest lot number of each lane.
  private var lots: [Int64: LotNumber] = [:]
  private var customerCount: Int64 = 0
  private var attributes: Set<String> = []

  /// - Parameter after: The end of the previous export.
  init(isDense: Bool, after: ExportPosition?) {
    self.isDense = isDense
    guard let after else { return }
    environment = after.environment
    lots = after.lots
    // If lanes assign numbers concurrently, all customers and purchases are exported again.
    guard isDense else { return }
    (customer, purchase, customerCount) = (after.customer, after.purchase, after.customer)
  }

  /// Whether customers have all numbers from 1.
  var hasAllCustomers: Bool { customer == customerCount }

  // MARK: Lines

  mutating func check(_ record: ImportRecord) throws(LineFault) {
    switch record {
    case .environment(let row): try Self.ascend(&environment, to: row.number, "environment")
    case .customer(let row):
      try Self.ascend(&customer, to: row.number, "customer")
      customerCount += 1
    case .purchase(let row):
      try Self.ascend(&purchase, to: row.number, "purchase")
      try expectCustomer(row.customer)
      try checkLotAttributes(row)
    case .transaction(let transaction): try check(transaction)
    case .key(let row): try expectCustomer(row.customer)
    case .addedID(let row): try expectCustomer(row.customer)
    case .order(let row):
      try Self.ascend(&order, to: row.number, "order")
      try expectCustomer(row.customer)
      if let number = row.purchase { try expectPurchase(number) }
    case .accountToken(let row): try expectCustomer(row.customer)
    case .entitlement(let row):
      try expectCustomer(row.holder, "holder")
      try expectPurchase(row.purchase)
    case .evidence(let row): if let held = row.held, held.customer != 0 { try expectCustomer(held.customer) }
    case .header, .catalog, .end: break
    }
  }

  private mutating func check(_ transaction: ImportedTransaction) throws(LineFault) {
    try expectCustomer(transaction.row.customer)
    for lot in transaction.newLots {
      try Self.ascend(&lots[isDense ? 0 : Numbering.lane(of: lot.lot), default: 0], to: lot.lot, "lot", "lot")
      if let number = lot.purchase { try expectPurchase(number) }
    }
    for entry in transaction.entries { try expectCustomer(entry.row.account.customer) }
    for item in transaction.items { try expectCustomer(item.customer) }
    if let merged = transaction.merged { try expectCustomer(merged, "merged_customer") }
    if let refund = transaction.refund { try expectPurchase(refund.purchase) }
    for event in transaction.events {
      try expectCustomer(event.customer)
      guard !isDense || event.kind == .linked || event.target <= transaction.row.number else {
        throw LineFault("\"target\" is \(event.target), a later transaction.")
      }
    }
  }

  private static func ascend(
    _ last: inout Int64, to number: Int64, _ row: StaticString, _ field: StaticString = "number"
  ) throws(LineFault) {
    guard number > last else {
      throw LineFault("\"\(field)\" is \(number), but follows the \(row) \(last).")
    }
    last = number
  }

  /// Checks a customer's number, if numbers have no gaps.
  ///
  /// If lanes assign numbers concurrently, a number does not prove that its row exists. The replay finds such problems
  /// line by line.
  private func expectCustomer(_ number: CustomerNumber, _ field: StaticString = "customer") throws(LineFault) {
    guard isDense, number > customer else { return }
    throw LineFault("\"\(field)\" is \(number), a missing customer.")
  }

  private func expectPurchase(_ number: Int64) throws(LineFault) {
    guard isDense, number > purchase else { return }
    throw LineFault("\"purchase\" is \(number), a missing purchase.")
  }

  // MARK: Documents

  private mutating func checkLotAttributes(_ row: PurchaseRow) throws(LineFault) {
    guard !attributes.contains(row.frozenProduct) else { return }
    // Enough for all versions of a catalog's products.
    if attributes.count >= 1000 { attributes.removeAll() }
    try Self.read(
      CatalogRow(kind: .product, code: row.product.text, position: 0, document: row.frozenProduct), as: Product.self,
      "terms")
    attributes.insert(row.frozenProduct)
  }

  /// Checks that a ledger could have this catalog: each object once, each document readable.
  static func check(_ rows: [CatalogRow]) throws(LineFault) {
    var (codes, positions): ([CatalogRow.Kind: Set<ByteString>], Set<Int64>) = ([:], [])
    for row in rows {
      guard codes[row.kind, default: []].insert(ByteString(row.code)).inserted else {
        throw LineFault("\"objects\" has the \(row.kind.name) \"\(row.code.prefix(60))\" twice.")
      }
      switch row.kind {
      case .currency:
        guard CatalogRow.currencyNumbers.contains(row.position), positions.insert(row.position).inserted else {
          throw LineFault(
            "\"position\" of the currency \"\(row.code.prefix(60))\" is \(row.position): used already, or not from 1 "
              + "to 1023.")
        }
        let currency = try read(row, as: Currency.self)
        guard currency.code.description.hasBytes(of: row.code) else {
          throw LineFault("\"document\" of the currency \"\(row.code.prefix(60))\" defines \(currency.code).")
        }
      case .product: try read(row, as: Product.self)
      case .offering: try read(row, as: CatalogOffering.self)
      case .item: try read(row, as: Item.self)
      case .settings:
        if row.code == CatalogRow.settingsCode { try read(row, as: CatalogSettings.self) }
        if row.code == CatalogRow.formerProductsSinceCode, Int64(row.document) == nil {
          throw LineFault("\"document\" of the settings \"\(row.code)\" is not an instant.")
        }
      case .currencyVersion:
        let currency = try read(row, as: Currency.self)
        guard row.position >= 0, "\(currency.code)@\(row.position)".hasBytes(of: row.code) else {
          throw LineFault(
            "\"code\" of the version \"\(row.code.prefix(60))\" of a currency does not match its currency and instant.")
        }
      case .formerProduct:
        let product = try read(row, as: Product.self)
        guard row.position >= 0, "\(product.code)@\(row.position)".hasBytes(of: row.code) else {
          throw LineFault(
            "\"code\" of the former product \"\(row.code.prefix(60))\" does not match its product and instant.")
        }
      }
    }
  }

  @discardableResult
  private static func read<Value: CatalogDocument>(
    _ row: CatalogRow, as type: Value.Type, _ field: String = "document"
  ) throws(LineFault) -> Value {
    do {
      return try Value(json: try JSONValue.parse(row.document))
    } catch {
      throw LineFault("\"\(field)\" of the \(row.kind.name) \"\(row.code.prefix(60))\" cannot be read: \(error)")
    }
  }
}
