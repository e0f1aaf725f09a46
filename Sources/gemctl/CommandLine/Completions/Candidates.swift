import GemLedger

/// The names in a home that completions offer.
enum Candidates: String, CaseIterable, Sendable {
  case products
  case items
  case customers
  case currencies
  case offerings

  /// The most names of one kind; a shell shows fewer.
  private static let countMax = 1000

  /// No person types the id of an anonymous customer, and shells would read its dollar sign.
  private static func isTyped(_ id: String) -> Bool { !id.hasPrefix("$RCAnonymousID:") }

  func names(in ledger: Ledger) throws(LedgerError) -> [String] {
    if self == .customers {
      return try ledger.customers(limit: Self.countMax).customers.flatMap(\.ids).map(\.text).filter(Self.isTyped)
    }
    let catalog = try ledger.currentCatalog()
    switch self {
    case .products: return catalog.products.map(\.code.text)
    case .items: return catalog.items.map(\.id.text)
    case .currencies: return catalog.currencies.map(\.code.description)
    case .offerings: return catalog.offerings.map(\.id.text)
    case .customers: return []
    }
  }
}
