internal import GemLedger
internal import StoreBackend

/// The backend on the other side of the wire.
struct WiredBackend: PurchaseBackend {
  let backend: LocalBackend
  let wire: Wire

  func post(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await credit { () throws(LedgerError) in try await backend.post(post) }
  }

  func completePayment(_ code: PurchaseCode, post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await credit { () throws(LedgerError) in try await backend.completePayment(code, post: post) }
  }

  private func credit(
    _ body: () async throws(LedgerError) -> ReceiptAnswer
  ) async throws(LedgerError) -> ReceiptAnswer {
    wire.pass(.verified, .before)
    wire.pass(.credited, .before)
    let answer = try await run { () throws(LedgerError) in
      // The verifier says in between that it is done.
      let answer = try await body()
      wire.pass(.credited, .after)
      return answer
    }
    wire.pass(.finishOnly, .before)
    return answer
  }

  func register(_ customer: CustomerID) async throws(LedgerError) -> Registration {
    try await run { () throws(LedgerError) in try await backend.register(customer) }
  }

  func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try await run { () throws(LedgerError) in try await backend.logIn(id, from: current) }
  }

  func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    try await run { () throws(LedgerError) in try await backend.createAlias(alias, of: customer) }
  }

  func offerings(for app: AppPlatform) async throws(LedgerError) -> OfferingsSnapshot {
    try await run { () throws(LedgerError) in try await backend.offerings(for: app) }
  }

  func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    try await run { () throws(LedgerError) in
      try await backend.restore(receipts, customer: customer, sharing: sharing)
    }
  }

  func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord {
    try await run { () throws(LedgerError) in try await backend.customer(customer) }
  }

  func balances(of customer: CustomerID) async throws(LedgerError) -> [Balance] {
    try await run { () throws(LedgerError) in try await backend.balances(of: customer) }
  }

  func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Receipt {
    try await run { () throws(LedgerError) in try await backend.spend(amounts, customer: customer, key: key) }
  }

  func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try await run { () throws(LedgerError) in try await backend.purchases(of: customer, page: page, size: size) }
  }

  func initPayment(_ request: OrderRequest) async throws(LedgerError) -> Order {
    try await run { () throws(LedgerError) in try await backend.initPayment(request) }
  }

  func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer? {
    try await run { () throws(LedgerError) in try await backend.payment(of: code, customer: customer) }
  }

  func cancelPayment(_ code: PurchaseCode) async throws(LedgerError) -> Order {
    try await run { () throws(LedgerError) in try await backend.cancelPayment(code) }
  }

  private func run<R: Sendable>(_ body: () async throws(LedgerError) -> R) async throws(LedgerError) -> R {
    try cut()
    let answer = try await body()
    try cut()
    return answer
  }

  private func cut() throws(LedgerError) {
    guard wire.isBackendDown else { return }
    throw LedgerError(.backendUnreachable, "The network is down.")
  }
}

/// Says when a receipt is verified.
struct WatchedVerifier: ReceiptVerifier {
  let verifier: UnsignedReceipts
  let wire: Wire

  func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    let transaction = try verifier.verify(receipt)
    wire.pass(.verified, .after)
    return transaction
  }
}
