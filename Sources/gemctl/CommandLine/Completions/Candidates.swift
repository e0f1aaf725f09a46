import GemLedger

#if canImport(FoundationInternationalization)
import FoundationEssentials
import FoundationInternationalization
#else
import Foundation
#endif

/// The names in a home that completions offer.
enum Candidates: String, CaseIterable, Sendable {
  case products
  case items
  case customers
  case currencies
  /// Currencies with the sign that an amount follows.
  case amounts
  case offerings
  /// The customer's open holds.
  case holds
  /// The store transactions of the customer's purchases.
  case purchases
  /// Time zones.
  case zones

  /// The maximum number of names of a kind; shells show fewer.
  private static let countMax = 1000

  /// Ids of anonymous customers are not typed, and shells would expand their dollar sign.
  private static func isTyped(_ id: String) -> Bool { !id.hasPrefix("$RCAnonymousID:") }

  /// - Parameter customer: The owner of the holds and purchases.
  func names(
    in ledger: Ledger, of customer: () throws(LedgerError) -> CustomerID
  ) throws(LedgerError) -> [String] {
    switch self {
    case .products: try ledger.currentCatalog().products.map(\.code.text)
    case .items: try ledger.currentCatalog().items.map(\.id.text)
    case .customers: try Self.customers(in: ledger)
    case .currencies: try ledger.currentCatalog().currencies.map(\.code.description)
    case .amounts: try ledger.currentCatalog().currencies.map { "\($0.code)=" }
    case .offerings: try ledger.currentCatalog().offerings.map(\.id.text)
    case .holds: try ledger.holds(of: customer()).map(\.id.description)
    case .purchases: try ledger.purchases(of: customer()).purchases.map(\.storeTransactionID.text)
    case .zones: TimeZone.knownTimeZoneIdentifiers
    }
  }

  static func customers(in ledger: Ledger) throws(LedgerError) -> [String] {
    try ledger.customers(limit: countMax).customers.flatMap(\.ids).map(\.text).filter(isTyped)
  }
}
