internal import GemLedger
internal import StoreBackend

/// A backend with a line in the log for each call; ids, amounts, keys and receipts stay out of it.
struct LoggedBackend: BackendDecorator {
  let decorated: any PurchaseBackend
  let log: ClientLog

  func intercept<Answer: Sendable>(
    _ call: BackendCall, _ body: () async throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer {
    do throws(LedgerError) {
      let answer = try await body()
      log(.debug, "Backend, \(call.rawValue): answered.")
      return answer
    } catch {
      log(.debug, "Backend, \(call.rawValue): \(error.code).")
      throw error
    }
  }
}

/// A shop with a line in the log for each call; transactions and receipts stay out of it.
struct LoggedStorefront: StorefrontDecorator {
  let decorated: any Storefront
  let log: ClientLog

  func products(for ids: [String]) async throws(StoreFailure) -> [StorefrontProduct] {
    try await logged("products of \(ids.count)", \.count.description) { () async throws(StoreFailure) in
      try await decorated.products(for: ids)
    }
  }

  func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    try await logged("purchase of \(request.productID)", Self.outcome(of:)) { () async throws(StoreFailure) in
      try await decorated.purchase(request)
    }
  }

  func unfinished(after: StoreTransactionID?, limit: Int) async throws(StoreFailure) -> [StoreEvidence] {
    try await logged("unfinished", \.count.description) { () async throws(StoreFailure) in
      try await decorated.unfinished(after: after, limit: limit)
    }
  }

  func all() async throws(StoreFailure) -> [StoreEvidence] {
    try await logged("all", \.count.description) { () async throws(StoreFailure) in try await decorated.all() }
  }

  func currentEntitlements() async throws(StoreFailure) -> [StoreEvidence] {
    try await logged("current entitlements", \.count.description) { () async throws(StoreFailure) in
      try await decorated.currentEntitlements()
    }
  }

  func finish(_ id: StoreTransactionID) async throws(StoreFailure) {
    try await logged("finish") { () async throws(StoreFailure) in try await decorated.finish(id) }
  }

  func sync() async throws(StoreFailure) {
    try await logged("sync") { () async throws(StoreFailure) in try await decorated.sync() }
  }

  private func logged<Answer>(
    _ call: @autoclosure () -> String, _ outcome: (Answer) -> String = { _ in "done" },
    _ body: () async throws(StoreFailure) -> Answer
  ) async throws(StoreFailure) -> Answer {
    do throws(StoreFailure) {
      let answer = try await body()
      log(.debug, "Store, \(call()): \(outcome(answer)).")
      return answer
    } catch {
      log(.debug, "Store, \(call()): \(error.rawValue).")
      throw error
    }
  }

  private static func outcome(of result: StorePaymentResult) -> String {
    switch result {
    case .success(let evidence): evidence.unverified.map { "paid, not trusted: \($0.rawValue)" } ?? "paid"
    case .pending: "pending"
    case .userCancelled: "cancelled"
    }
  }
}

extension ClientContext {
  /// Runs a call of the app, with its outcome in the log.
  func logged<Answer>(
    _ call: StaticString, _ outcome: (Answer) -> String = { _ in "done" },
    _ body: () async throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer {
    do throws(LedgerError) {
      let answer = try await body()
      log(.debug, "\(call): \(outcome(answer)).")
      return answer
    } catch {
      log(.debug, "\(call): \(error.code).")
      throw error
    }
  }

  static func outcome(ofLogIn answer: (customerInfo: CustomerInfo, created: Bool)) -> String {
    answer.created ? "a new customer" : "a known customer"
  }
}
