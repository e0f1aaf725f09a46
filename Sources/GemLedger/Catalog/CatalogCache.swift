internal import Synchronization

/// The currencies of one version of the catalog, by code and by number.
package final class CurrencyDefinitions: Sendable {
  let version: Int64
  /// The currencies, in the order of codes.
  package let currencies: [CurrencyDefinition]
  private let byNumber: [Int64: CurrencyDefinition]
  private let names: [Int64: (name: String, description: String?)]
  /// Each currency as the versions of the catalog had it, from the first.
  private let versions: [Int64: [CurrencyVersion]]
  /// When the newest version of a currency took effect; these definitions are never used for an earlier instant.
  let inForceFrom: Timestamp
  /// Whether any currency has policies.
  let hasPolicies: Bool
  /// Whether any currency is inactive.
  let hasInactive: Bool
  package let transactionIDs: TransactionIDMaker
  /// The parsed frozen definitions of purchases, by their text; their number grows only with the catalog's versions.
  private let readFrozenProducts = Mutex<[ByteString: FrozenProduct]>([:])
  private static let readFrozenProductCountMax = 1000

  /// The fields that the feed and the list of purchases read from the product as it was when it was bought.
  struct FrozenProduct: Sendable {
    let type: ProductType
    let entitlement: String?
    /// The title in the catalog's preferred language; the code if it has none.
    let title: String
    let storeIDs: [String: String]

    init(_ product: Product) {
      type = product.type
      entitlement = product.entitlement
      title = product.localizations.first?.title ?? product.code.text
      storeIDs = product.storeIDs
    }
  }

  /// - Parameter versions: In the order of instants; a currency without any has never changed.
  init(
    version: Int64, currencies: [(number: Int64, currency: Currency)], versions: [CurrencyVersion] = [], salt: UInt64
  ) {
    self.version = version
    let versionsByNumber = Dictionary(grouping: versions, by: \.number)
    self.versions = versionsByNumber
    inForceFrom = versions.last?.from ?? Timestamp(milliseconds: .min)
    self.currencies = currencies.map { number, currency in
      CurrencyDefinition(number: number, currency: currency, versions: versionsByNumber[number] ?? [])
    }.sorted { $0.code < $1.code }
    hasPolicies = self.currencies.contains { $0.policies != nil }
    hasInactive = self.currencies.contains { !$0.isActive }
    byNumber = Dictionary(self.currencies.map { ($0.number, $0) }) { first, _ in first }
    names = Dictionary(
      currencies.map { ($0.number, ($0.currency.name, $0.currency.description)) }
    ) { first, _ in first }
    transactionIDs = TransactionIDMaker(salt: salt)
  }

  package func currency(_ code: CurrencyCode) -> CurrencyDefinition? {
    var (low, high) = (0, currencies.count)
    while low < high {
      let middle = (low + high) / 2
      if currencies[middle].code < code { low = middle + 1 } else { high = middle }
    }
    return low < currencies.count && currencies[low].code == code ? currencies[low] : nil
  }

  package func currency(number: Int64) -> CurrencyDefinition? { byNumber[number] }

  /// The counted currency; nil if the count is of an item.
  func currency(subject: String) -> CurrencyDefinition? { (try? CurrencyCode(subject)).flatMap { currency($0) } }

  func frozenProduct(of row: PurchaseRow) throws(LedgerError) -> FrozenProduct {
    let document = ByteString(row.frozenProduct)
    if let known = readFrozenProducts.withLock({ $0[document] }) { return known }
    let stored = CatalogRow(kind: .product, code: row.product.text, position: 0, document: row.frozenProduct)
    let product = try CatalogCache.read(stored, as: Product.self)
    let definitions = FrozenProduct(product)
    readFrozenProducts.withLock { known in
      if known.count >= Self.readFrozenProductCountMax { known.removeAll() }
      known[document] = definitions
    }
    return definitions
  }

  /// The currency as the catalog had it at an instant; nil if it was not in the catalog yet.
  func currency(number: Int64, at instant: Timestamp) -> (name: String, description: String?)? {
    guard let versions = versions[number] else { return names[number] }
    return versions.last { $0.from <= instant }.map { ($0.currency.name, $0.currency.description) }
  }

  /// When the currency was added to the catalog; nil if that was before the ledger kept versions of currencies.
  package func addedAt(_ currency: CurrencyDefinition) -> Timestamp? {
    versions[currency.number]?.first.flatMap { $0.from.milliseconds > 0 ? $0.from : nil }
  }

  package func name(of number: Int64) -> String { names[number]?.name ?? "" }
  package func description(of number: Int64) -> String? { names[number]?.description }
}

/// Keeps the catalog between commands and notices when another process has changed it.
package final class CatalogCache: Sendable {
  private struct State {
    var definitions: CurrencyDefinitions?
    var products: [ProductCode: (product: Product, document: String)] = [:]
    var items: [ItemID: Item] = [:]
    /// The earlier versions of products.
    var former: FormerProducts?
  }

  private let state = Mutex(State())

  package init() {}

  /// The currencies as the snapshot has them.
  package func definitions(in snapshot: any StorageSnapshot) throws(LedgerError) -> CurrencyDefinitions {
    let version = try snapshot.catalogVersion()
    if let definitions = state.withLock({ $0.definitions }), definitions.version == version { return definitions }
    let kinds: [CatalogRow.Kind] = [.currency, .currencyVersion, .formerProduct, .settings]
    let stored = try kinds.gather { (kind) throws(LedgerError) in try snapshot.catalogRows(kind) }
    var currencies: [(number: Int64, currency: Currency)] = []
    for row in stored[0] {
      let currency = try Self.read(row, as: Currency.self)
      try Self.check(row, currency, besides: currencies)
      currencies.append((row.position, currency))
    }
    let numbers = Dictionary(currencies.map { ($0.currency.code, $0.number) }) { first, _ in first }
    var versions: [CurrencyVersion] = []
    for row in stored[1] {
      let currency = try Self.read(row, as: Currency.self)
      guard let number = numbers[currency.code] else { continue }
      versions.append(
        CurrencyVersion(number: number, from: Timestamp(milliseconds: row.position), currency: currency))
    }
    let definitions = CurrencyDefinitions(
      version: version, currencies: currencies, versions: versions, salt: try snapshot.project().salt)
    let former = try FormerProducts(stored[2], settings: stored[3], version: version)
    state.withLock { $0 = State(definitions: definitions, former: former) }
    return definitions
  }

  /// The currencies as the last command or read of this process found them; nil before the first.
  ///
  /// For names in answers: a read of an older state may have left them as they were just before a change.
  package var lastRead: CurrencyDefinitions? { state.withLock { $0.definitions } }

  /// The product and its document as the snapshot has them.
  func product(
    _ code: ProductCode, in snapshot: any StorageSnapshot, definitions: CurrencyDefinitions
  ) throws(LedgerError) -> (product: Product, document: String) {
    if let known = state.withLock({ $0.definitions === definitions ? $0.products[code] : nil }) { return known }
    guard let row = try snapshot.catalogRow(.product, code: code.text) else {
      throw LedgerError(.productNotFound, "There is no product \"\(code)\" in the catalog.")
    }
    let loaded = (product: try Self.read(row, as: Product.self), document: row.document)
    state.withLock { if $0.definitions === definitions { $0.products[code] = loaded } }
    return loaded
  }

  /// The product and its document as they were in force at an instant, or in the first later catalog that has it.
  func product(
    _ code: ProductCode, boughtAt instant: Timestamp, in snapshot: any StorageSnapshot,
    definitions: CurrencyDefinitions
  ) throws(LedgerError) -> (product: Product, document: String) {
    if let row = try formerProducts(in: snapshot, definitions: definitions).row(of: code, at: instant) {
      return (try Self.read(row, as: Product.self), row.document)
    }
    return try product(code, in: snapshot, definitions: definitions)
  }

  /// The earlier versions of products as the snapshot has them.
  func formerProducts(
    in snapshot: any StorageSnapshot, definitions: CurrencyDefinitions
  ) throws(LedgerError) -> FormerProducts {
    // A group uses the definitions that it read, even if another group has read newer ones since.
    if let known = state.withLock({ $0.definitions === definitions ? $0.former : nil }) { return known }
    return try FormerProducts(in: snapshot)
  }

  func item(_ id: ItemID, in snapshot: any StorageSnapshot, definitions: CurrencyDefinitions) throws(LedgerError)
    -> Item
  {
    if let known = state.withLock({ $0.definitions === definitions ? $0.items[id] : nil }) { return known }
    guard let row = try snapshot.catalogRow(.item, code: id.text) else {
      throw LedgerError(.itemNotFound, "There is no item \"\(id)\" in the catalog.")
    }
    let item = try Self.read(row, as: Item.self)
    state.withLock { if $0.definitions === definitions { $0.items[id] = item } }
    return item
  }

  /// Whether the item has a stock, as far as the item has been read.
  func hasStock(_ id: ItemID) -> Bool { state.withLock { $0.items[id]?.stock != nil } }

  /// The journal names a currency by its number alone, so no two currencies share a number.
  private static func check(
    _ row: CatalogRow, _ currency: Currency, besides others: [(number: Int64, currency: Currency)]
  ) throws(LedgerError) {
    let finding: String
    if !currency.code.description.hasBytes(of: row.code) {
      finding = "the document of the currency \"\(row.code)\" is of \(currency.code)"
    } else if !CatalogRow.currencyNumbers.contains(row.position) {
      finding = "the currency \(currency.code) has number \(row.position), which no currency can have"
    } else if let other = others.first(where: { $0.number == row.position }) {
      finding = "the currencies \(other.currency.code) and \(currency.code) both have number \(row.position)"
    } else {
      return
    }
    throw LedgerError(.storageDamaged, "The stored catalog is damaged: \(finding). Restore it from a backup.")
  }

  /// Reads a document that was checked when it was stored.
  static func read<Value: CatalogDocument>(_ row: CatalogRow, as type: Value.Type) throws(LedgerError) -> Value {
    do {
      return try Value(json: try JSONValue.parse(row.document))
    } catch {
      throw LedgerError(.storageDamaged, "The stored \(row.kind) \"\(row.code)\" cannot be read: \(error)")
    }
  }
}

extension CurrencyDefinition {
  init(number: Int64, currency: Currency, versions: [CurrencyVersion] = []) {
    self.init(
      number: number, code: currency.code, maximumBalance: currency.maximumBalance ?? Limits.amount,
      burnsPaidFirst: currency.burnOrder == .paidFirst, isActive: currency.isActive,
      refundPolicy: currency.refundPolicy,
      policies: CurrencyPolicies(
        of: currency, eras: versions.map { PolicyEra(from: $0.from.milliseconds, $0.currency) }))
  }
}
