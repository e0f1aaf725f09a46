public import GemLedger
internal import Synchronization

/// A backend with a bad day: it fails on command, before or after the backend behind it did its work.
///
/// For tests of whatever calls a backend. Faults are laid out per call or for all of them, once or until they are
/// removed; everything random comes from the seed, and every wait goes through the injected `wait`, so that a test
/// repeats exactly.
///
/// ```swift
/// let backend = FaultyBackend(local)
/// backend.fail(.post, with: .networkLostAfterEffect)  // credited, but the caller hears nothing
/// ```
public final class FaultyBackend: PurchaseBackend {
  private let backend: any PurchaseBackend
  private let wait: @Sendable (Duration) async -> Void
  private let state: Mutex<FaultState>

  /// A backend that works until faults are laid out.
  ///
  /// - Parameters:
  ///   - backend: Does the work.
  ///   - seed: Repeats the random faults.
  ///   - wait: Waits for the latency of a fault; give it the test's clock.
  public init(
    _ backend: any PurchaseBackend, seed: UInt64 = 0, wait: @escaping @Sendable (Duration) async -> Void = { _ in }
  ) {
    self.backend = backend
    self.wait = wait
    state = Mutex(FaultState(seed: seed))
  }

  // MARK: Controls

  /// Lays out a fault for the next calls.
  ///
  /// - Parameters:
  ///   - call: Which calls; nil for all of them.
  ///   - fault: What happens.
  ///   - occurrence: Which of those calls, counted from now.
  public func fail(_ call: Call? = nil, with fault: Fault, _ occurrence: Occurrence = .next) {
    state.withLock { $0.add(call, fault, occurrence) }
  }

  /// Removes all faults; the counts stay.
  public func heal() { state.withLock { $0.removeAll() } }

  /// How many calls came, the failed ones included.
  public func count(of call: Call? = nil) -> Int { state.withLock { $0.count(of: call) } }

  /// How many of them a fault made fail.
  public func failureCount(of call: Call? = nil) -> Int { state.withLock { $0.failureCount(of: call) } }

  // MARK: Working

  private func run<R: Sendable>(
    _ call: Call, _ body: () async throws(LedgerError) -> R
  ) async throws(LedgerError) -> R {
    let faults = state.withLock { $0.faults(for: call) }
    for case .latency(let duration) in faults.map(\.kind) { await wait(duration) }
    if let error = faults.compactMap(\.errorBeforeEffect).first { throw error }
    let answer = try await body()
    if let error = faults.compactMap(\.errorAfterEffect).first { throw error }
    return answer
  }

  /// As the backend behind it, or as a fault says.
  public func register(_ customer: CustomerID) async throws(LedgerError) -> Registration {
    try await run(.register) { () throws(LedgerError) in try await backend.register(customer) }
  }

  /// As the backend behind it, or as a fault says.
  public func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try await run(.logIn) { () throws(LedgerError) in try await backend.logIn(id, from: current) }
  }

  /// As the backend behind it, or as a fault says.
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    try await run(.createAlias) { () throws(LedgerError) in try await backend.createAlias(alias, of: customer) }
  }

  /// As the backend behind it, or as a fault says.
  public func offerings(for app: AppPlatform) async throws(LedgerError) -> OfferingsSnapshot {
    try await run(.offerings) { () throws(LedgerError) in try await backend.offerings(for: app) }
  }

  /// As the backend behind it, or as a fault says.
  public func post(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await run(.post) { () throws(LedgerError) in try await backend.post(post) }
  }

  /// As the backend behind it, or as a fault says.
  public func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    try await run(.restore) { () throws(LedgerError) in
      try await backend.restore(receipts, customer: customer, sharing: sharing)
    }
  }

  /// As the backend behind it, or as a fault says.
  public func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord {
    try await run(.customer) { () throws(LedgerError) in try await backend.customer(customer) }
  }

  /// As the backend behind it, or as a fault says.
  public func balances(of customer: CustomerID) async throws(LedgerError) -> [Balance] {
    try await run(.balances) { () throws(LedgerError) in try await backend.balances(of: customer) }
  }

  /// As the backend behind it, or as a fault says.
  public func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Receipt {
    try await run(.spend) { () throws(LedgerError) in
      try await backend.spend(amounts, customer: customer, key: key)
    }
  }

  /// As the backend behind it, or as a fault says.
  public func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try await run(.purchases) { () throws(LedgerError) in
      try await backend.purchases(of: customer, page: page, size: size)
    }
  }

  /// As the backend behind it, or as a fault says.
  public func initPayment(_ request: OrderRequest) async throws(LedgerError) -> Order {
    try await run(.initPayment) { () throws(LedgerError) in try await backend.initPayment(request) }
  }

  /// As the backend behind it, or as a fault says.
  public func completePayment(_ code: PurchaseCode, post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await run(.completePayment) { () throws(LedgerError) in
      try await backend.completePayment(code, post: post)
    }
  }

  /// As the backend behind it, or as a fault says.
  public func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer? {
    try await run(.payment) { () throws(LedgerError) in try await backend.payment(of: code, customer: customer) }
  }

  /// As the backend behind it, or as a fault says.
  public func cancelPayment(_ code: PurchaseCode) async throws(LedgerError) -> Order {
    try await run(.cancelPayment) { () throws(LedgerError) in try await backend.cancelPayment(code) }
  }
}
