#if Server
internal import GemLedger
internal import SimulatedStores
internal import StoreBackend

/// The filter of a history request over a customer's transactions.
struct SimulatedHistory {
  static let pageSize = 20

  private var ids: Set<String> = []
  private var types: Set<ProductType> = []
  private var groups: Set<String> = []
  private var ownership: StoreTransaction.Ownership?
  private var isRevoked: Bool?
  private var start: Int64?
  private var end: Int64?
  private var isDescending = false
  /// The number of transactions on the previous pages.
  private var offset = 0

  /// A page of the selected transactions.
  struct Page {
    let transactions: [StoreTransaction]
    let hasMore: Bool
    /// The start of the next page, which also includes later transactions.
    let revision: String
  }

  /// Selects all refunded transactions.
  static func refunds(revision: String?) throws(SimulatedAppStoreError) -> Self {
    var history = Self()
    history.isRevoked = true
    if let revision { try history.take("revision", revision) }
    return history
  }

  private init() {}

  /// - Throws: The error of the first invalid parameter.
  init(_ query: [(name: String, value: String)]) throws(SimulatedAppStoreError) {
    for parameter in query { try take(parameter.name, parameter.value) }
    if let start, let end, start > end { throw .startAfterEnd }
  }

  private mutating func take(_ name: String, _ value: String) throws(SimulatedAppStoreError) {
    switch name {
    case "revision":
      guard let bytes = Base64URL.decode(Array(value.utf8)), let offset = Int(String(decoding: bytes, as: UTF8.self)),
        offset >= 0
      else { throw .revision }
      self.offset = offset
    case "startDate": start = try Self.number(value, orThrow: .startDate)
    case "endDate": end = try Self.number(value, orThrow: .endDate)
    case "productId":
      guard !value.isEmpty else { throw .productID }
      ids.insert(value)
    case "productType": types.insert(try Self.word(value, Self.typeWords, orThrow: .productType))
    case "subscriptionGroupIdentifier":
      guard !value.isEmpty else { throw .group }
      groups.insert(value)
    case "inAppOwnershipType":
      guard let one = StoreTransaction.Ownership(rawValue: value) else { throw .ownership }
      ownership = one
    case "revoked": isRevoked = try Self.word(value, [("true", true), ("false", false)], orThrow: .revoked)
    case "sort":
      isDescending = try Self.word(value, [("ASCENDING", false), ("DESCENDING", true)], orThrow: .sort)
    default: break
    }
  }

  private static let typeWords: [(String, ProductType)] = [
    ("CONSUMABLE", .consumable), ("NON_CONSUMABLE", .nonConsumable), ("AUTO_RENEWABLE", .autoRenewableSubscription),
    ("NON_RENEWABLE", .nonRenewingSubscription),
  ]

  private static func word<Value>(
    _ text: String, _ words: [(String, Value)], orThrow error: SimulatedAppStoreError
  ) throws(SimulatedAppStoreError) -> Value {
    guard let value = words.first(where: { $0.0 == text })?.1 else { throw error }
    return value
  }

  private static func number(
    _ text: String, orThrow error: SimulatedAppStoreError
  ) throws(SimulatedAppStoreError) -> Int64 {
    guard let number = Int64(text), number >= 0 else { throw error }
    return number
  }

  private func selects(_ one: StoreTransaction) -> Bool {
    let date = one.purchasedAt.milliseconds
    return (ids.isEmpty || ids.contains(one.storeProductID)) && (types.isEmpty || types.contains(one.productType))
      && (groups.isEmpty || one.subscriptionGroupID.map(groups.contains) ?? false)
      && ownership.map { $0 == one.ownership } ?? true && isRevoked.map { $0 == (one.revocation != nil) } ?? true
      && start.map { $0 <= date } ?? true && end.map { date <= $0 } ?? true
  }

  /// - Parameter transactions: All transactions of a customer, oldest first.
  func page(of transactions: [StoreTransaction]) -> Page {
    let selected = transactions.filter(selects)
    let ordered = isDescending ? selected.reversed() : selected
    let page = Array(ordered.dropFirst(offset).prefix(Self.pageSize))
    let end = min(offset, ordered.count) + page.count
    return Page(
      transactions: page, hasMore: end < ordered.count, revision: Base64URL.text(Array(String(end).utf8)))
  }
}
#endif
