import GemLedger
import StoreBackend
import StoreClient
import Synchronization

/// A shop with StoreKit's meaning for consumables, and answers that a test writes down beforehand.
final class FakeShop: Storefront {
  enum Script {
    case pending
    case cancelled
    case fails(StoreFailure)
    /// The customer paid, and the answer was lost.
    case paidButLost
    case paidButReportsCancelled
    case unverified
    /// The store forgets the buyer.
    case withoutToken
  }

  private struct State {
    var scripts: [Script] = []
    var nextID = 2_000_000_001
    var unfinished: [StoreEvidence] = []
    var finished: [StoreTransactionID] = []
    var listeners: [AsyncStream<StoreEvidence>.Continuation] = []
    var isDead = false
    var purchaseCount = 0
    var pageSizes: [Int] = []
    var hold: CheckedContinuation<Void, Never>?
  }

  let store = Store.apple
  private let clock: TestClock
  private let state = Mutex(State())
  private let isHolding = Mutex(false)
  private let listing = Mutex<(@Sendable () -> Void)?>(nil)
  private let listed = Mutex<(@Sendable () async -> Void)?>(nil)
  private let finishing = Mutex<(@Sendable () async -> Void)?>(nil)

  init(_ clock: TestClock) { self.clock = clock }

  var finished: [StoreTransactionID] { state.withLock { $0.finished } }
  var unfinished: [StoreEvidence] { state.withLock { $0.unfinished } }
  var purchaseCount: Int { state.withLock { $0.purchaseCount } }
  var pageSizes: [Int] { state.withLock { $0.pageSizes } }

  func script(_ scripts: Script...) { state.withLock { $0.scripts += scripts } }
  /// Whether the app is dead: nothing that it asks for happens any more.
  func die(_ isDead: Bool = true) { state.withLock { $0.isDead = isDead } }

  /// Pays outside of the app, or on another device.
  @discardableResult
  func sell(
    _ productID: String, token: AccountToken? = nil, quantity: Int64 = 1, unverified: VerificationFailure? = nil,
    tells: Bool = false
  ) -> StoreEvidence {
    let (evidence, listeners) = state.withLock { state in
      let id = StoreTransactionID(unchecked: "\(state.nextID)")
      state.nextID += 1
      let evidence = self.evidence(id, productID, token, quantity, unverified, nil)
      state.unfinished.append(evidence)
      return (evidence, state.listeners)
    }
    if tells { for listener in listeners { listener.yield(evidence) } }
    return evidence
  }

  /// Redelivers evidence that it delivered once.
  func deliver(_ evidence: StoreEvidence) {
    for listener in state.withLock({ $0.listeners }) { listener.yield(evidence) }
  }

  /// The evidence of the same transaction after money was given back.
  func refunded(_ evidence: StoreEvidence) -> StoreEvidence {
    var transaction = evidence.transaction
    transaction.revocation = StoreTransaction.Revocation(revokedAt: clock.now)
    transaction.signedAt = clock.now
    return StoreEvidence(transaction: transaction, receipt: FakeReceipt.receipt(transaction))
  }

  private func evidence(
    _ id: StoreTransactionID, _ productID: String, _ token: AccountToken?, _ quantity: Int64,
    _ unverified: VerificationFailure?, _ revocation: StoreTransaction.Revocation?
  ) -> StoreEvidence {
    let transaction = StoreTransaction(
      store: store, environment: .sandbox, id: id, bundleID: "com.example.gems", storeProductID: productID,
      productType: .consumable, quantity: quantity, price: Money(minorUnits: 999 * quantity, currency: "USD"),
      accountToken: token, purchasedAt: clock.now, revocation: revocation, signedAt: clock.now)
    return StoreEvidence(
      transaction: transaction, receipt: FakeReceipt.receipt(transaction), unverified: unverified)
  }

  // MARK: Storefront

  func storefront() async -> StorefrontCode { .unitedStates }

  func products(for ids: [String]) async throws(StoreFailure) -> [StorefrontProduct] {
    ids.compactMap { id in
      guard let price = try? Price("9.99", in: StorefrontCode.unitedStates.currency) else { return nil }
      return StorefrontProduct(
        id: id, type: .consumable, displayName: "Pack \(id)", description: "Gems", price: price, displayPrice: "$9.99")
    }
  }

  func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    await waitWhileHeld()
    let script = state.withLock { state -> Script? in
      state.purchaseCount += 1
      return state.scripts.isEmpty ? nil : state.scripts.removeFirst()
    }
    let pays = { (token: AccountToken?, unverified: VerificationFailure?) in
      self.sell(request.productID, token: token, quantity: request.quantity, unverified: unverified)
    }
    switch script {
    case .pending: return .pending
    case .cancelled: return .userCancelled
    case .fails(let failure): throw failure
    case .paidButLost:
      _ = pays(request.accountToken, nil)
      throw .networkError
    case .paidButReportsCancelled:
      _ = pays(request.accountToken, nil)
      return .userCancelled
    case .unverified: return .success(pays(request.accountToken, .invalidSignature))
    case .withoutToken: return .success(pays(nil, nil))
    case nil:
      if let again = unfinished.first(where: { $0.transaction.storeProductID == request.productID }) {
        return .success(again)
      }
      return .success(pays(request.accountToken, nil))
    }
  }

  func updates() -> AsyncStream<StoreEvidence> {
    AsyncStream { continuation in state.withLock { $0.listeners.append(continuation) } }
  }

  /// Runs the body at the next request for unfinished purchases.
  func whenAsked(_ body: @escaping @Sendable () -> Void) { listing.withLock { $0 = body } }

  /// Runs the body when the next list of unfinished purchases is made, before the client has it.
  func whenListed(_ body: @escaping @Sendable () async -> Void) { listed.withLock { $0 = body } }

  /// The store has the transaction as unfinished again, or with this evidence.
  func relist(_ evidence: StoreEvidence) {
    state.withLock { state in
      state.unfinished.removeAll { $0.transaction.id == evidence.transaction.id }
      state.unfinished.append(evidence)
    }
  }

  func unfinished(after: StoreTransactionID?, limit: Int) async throws(StoreFailure) -> [StoreEvidence] {
    try alive()
    listing.withLock { $0.take() }?()
    let page = state.withLock { state in
      // Ids are digits of one length and lie in order.
      let start = after.map { after in state.unfinished.partitioningIndex { $0.transaction.id > after } } ?? 0
      let page = Array(state.unfinished[start...].prefix(limit))
      state.pageSizes.append(page.count)
      return page
    }
    await listed.withLock { $0.take() }?()
    return page
  }

  func all() async throws(StoreFailure) -> [StoreEvidence] { unfinished }
  func currentEntitlements() async throws(StoreFailure) -> [StoreEvidence] { [] }

  /// Runs the body at the next request to finish a purchase.
  func whenFinishing(_ body: @escaping @Sendable () async -> Void) { finishing.withLock { $0 = body } }

  func finish(_ id: StoreTransactionID) async throws(StoreFailure) {
    try alive()
    await finishing.withLock { $0.take() }?()
    state.withLock { state in
      state.finished.append(id)
      let index = state.unfinished.partitioningIndex { $0.transaction.id >= id }
      if index < state.unfinished.count, state.unfinished[index].transaction.id == id {
        state.unfinished.remove(at: index)
      }
    }
  }

  func sync() async throws(StoreFailure) {}

  private func alive() throws(StoreFailure) {
    if state.withLock({ $0.isDead }) { throw .systemError }
  }

  // MARK: Holding the sheet open

  var isHeld: Bool { state.withLock { $0.hold != nil } }

  func hold() { isHolding.withLock { $0 = true } }

  func release() {
    isHolding.withLock { $0 = false }
    state.withLock { $0.hold.take() }?.resume()
  }

  private func waitWhileHeld() async {
    guard isHolding.withLock({ $0 }) else { return }
    await withCheckedContinuation { continuation in state.withLock { $0.hold = continuation } }
  }
}

extension Array {
  /// The first index from which all elements fulfil the condition.
  fileprivate func partitioningIndex(_ isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// A receipt with everything in plain words.
enum FakeReceipt {
  static func receipt(_ transaction: StoreTransaction) -> StoreReceipt {
    let revoked = transaction.revocation.map { "\($0.revokedAt.milliseconds)" } ?? "-"
    return StoreReceipt(
      "\(transaction.id) \(transaction.storeProductID) \(transaction.quantity) "
        + "\(transaction.accountToken.map(\.description) ?? "-") \(revoked)")
  }

  static func read(
    _ receipt: StoreReceipt
  ) -> (id: StoreTransactionID, productID: String, quantity: Int64, token: AccountToken?, isRevoked: Bool)? {
    let words = receipt.text.split(separator: " ").map(String.init)
    guard words.count == 5, let quantity = Int64(words[2]) else { return nil }
    return (StoreTransactionID(unchecked: words[0]), words[1], quantity, AccountToken(words[3]), words[4] != "-")
  }
}
