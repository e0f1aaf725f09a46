import GemLedger
import GemTestSupport
import Synchronization

@testable import StoreBackend

/// A ledger with a small catalog, a backend over it, and the receipts of a simulated store.
struct Shop {
  let time = ManualClock()
  let ledger: Ledger
  let receipts: UnsignedReceipts
  let backend: LocalBackend

  init(
    policy: BackendPolicy = BackendPolicy(), delivery: (any DeliveryTarget)? = nil,
    refundIssuer: (any RefundIssuer)? = nil, catalog: Catalog? = nil, environment: StoreEnvironment? = nil,
    storage: (any LedgerStorage)? = nil
  ) throws {
    if let storage {
      ledger = Self.ledger(storage, time)
    } else {
      ledger = Ledger.inMemory(clock: time.clock, salt: 1)
    }
    try ledger.apply(catalog ?? Self.catalog())
    receipts = try UnsignedReceipts(environment: environment ?? .localTesting(session: "s1"))
    backend = LocalBackend(
      ledger: ledger, verifier: receipts, policy: policy, delivery: delivery, refundIssuer: refundIssuer)
  }

  private static func ledger(_ storage: some LedgerStorage, _ time: ManualClock) -> Ledger {
    Ledger(storage: storage, clock: time.clock)
  }

  /// A transaction of the shop's environment, with sound values where a test gives none.
  func transaction(
    _ id: String, product: String = "gems", store: Store = .apple, quantity: Int64 = 1, price: Int64? = nil,
    of customer: String? = nil, expiresAt: Timestamp? = nil, originalID: String? = nil,
    revocation: StoreTransaction.Revocation? = nil, signedAt: Timestamp? = nil
  ) throws -> StoreTransaction {
    let type: ProductType =
      switch product {
      case "premium": .nonConsumable
      case "club": .autoRenewableSubscription
      default: .consumable
      }
    return StoreTransaction(
      store: store, environment: receipts.environment, id: try StoreTransactionID(id),
      originalID: try originalID.map { try StoreTransactionID($0) }, bundleID: "com.example.gems",
      storeProductID: "\(product).\(store)", productType: type, quantity: quantity,
      price: Money(minorUnits: price ?? 999 * quantity, currency: "USD"), storefront: .unitedStates,
      accountToken: try customer.map { AccountToken(of: try CustomerID($0)) }, purchasedAt: time.now,
      expiresAt: expiresAt, revocation: revocation, reason: originalID == nil ? .purchase : .renewal,
      signedAt: signedAt ?? time.now)
  }

  func post(_ transaction: StoreTransaction, as customer: String = "alice") throws -> ReceiptPost {
    ReceiptPost(
      receipt: receipts.receipt(for: transaction), customer: try CustomerID(customer), source: .purchase)
  }

  func request(
    _ product: String = "gems", customer: String = "alice", key: String? = nil,
    context: OrderContext = OrderContext(), paidBy: OrderRequest.PaidTransaction? = nil
  ) throws -> OrderRequest {
    OrderRequest(
      customer: try CustomerID(customer), product: try ProductCode(product), store: .apple,
      bundleID: "com.example.gems", context: context, key: try key.map { try IdempotencyKey($0) }, paidBy: paidBy)
  }

  func gems(_ customer: String = "alice") throws -> Int64 {
    try ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID(customer)).balance
  }

  func after(hours: Int64) -> Timestamp { Timestamp(milliseconds: time.now.milliseconds + hours * 3_600_000) }

  static func catalog(settings: CatalogSettings = CatalogSettings(bundleID: "com.example.gems")) throws -> Catalog {
    let gem = try CurrencyCode("GEM")
    let price = try Price("9.99", in: StorefrontCode.unitedStates.currency)
    func product(
      _ code: String, _ type: ProductType, grants: [Grant] = [], entitlement: String? = nil, isActive: Bool = true,
      period: String? = nil
    ) throws -> Product {
      Product(
        code: try ProductCode(code), storeIDs: ["apple": "\(code).apple", "google": "\(code).google"], type: type,
        isActive: isActive, localizations: [Localization(locale: "en_US", title: code)],
        prices: [.unitedStates: price], grants: grants, entitlement: entitlement, period: period)
    }
    return try Catalog(
      currencies: [Currency(code: gem, name: "Gems")],
      products: [
        product("gems", .consumable, grants: [Grant(currency: gem, amount: 1200)]),
        product("retired", .consumable, grants: [Grant(currency: gem, amount: 50)], isActive: false),
        product("premium", .nonConsumable, entitlement: "premium"),
        product(
          "club", .autoRenewableSubscription,
          grants: [Grant(currency: gem, amount: 100, expiresAtCycleEnd: true)], entitlement: "club", period: "P1M"),
      ],
      offerings: [
        CatalogOffering(
          id: OfferingID("main"),
          packages: [
            CatalogOffering.Package(id: "big", product: ProductCode("gems")),
            CatalogOffering.Package(id: "old", product: ProductCode("retired")),
          ])
      ], currentOffering: OfferingID("main"), settings: settings)
  }
}

/// A game server that confirms or not, and remembers the deliveries to it.
final class GameServer: DeliveryTarget {
  private struct State {
    var confirms: Bool
    var heard: [Delivery] = []
  }

  private let state: Mutex<State>

  init(confirms: Bool = true) { state = Mutex(State(confirms: confirms)) }

  var heard: [Delivery] { state.withLock { $0.heard } }
  func setConfirms(_ confirms: Bool) { state.withLock { $0.confirms = confirms } }

  func deliver(_ delivery: Delivery) async -> Bool {
    state.withLock { state in
      state.heard.append(delivery)
      return state.confirms
    }
  }
}
