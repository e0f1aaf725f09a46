internal import GemLedger
internal import StoreBackend

/// The backend on the other side of the wire.
struct WiredBackend: BackendDecorator {
  let backend: any PurchaseBackend
  let wire: Wire
  /// Whether the backend is reached over HTTP, so that its requests are cut, and its server says what is credited.
  let isRemote: Bool

  var decorated: any PurchaseBackend { backend }

  func intercept<Answer: Sendable>(
    _ call: BackendCall, _ body: () async throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer {
    switch call {
    case .post, .completePayment: try await credit(body)
    default: try await run(body)
    }
  }

  private func credit<Answer: Sendable>(
    _ body: () async throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer {
    wire.pass(.verified, .before)
    wire.pass(.held, .before)
    wire.pass(.credited, .before)
    let answer = try await run { () throws(LedgerError) in
      // The verifier says in between that it is done.
      do throws(LedgerError) {
        let answer = try await body()
        if !isRemote { wire.pass(.credited, .after) }
        return answer
      } catch {
        if !isRemote, error.code == .validationPending { wire.pass(.held, .after) }
        throw error
      }
    }
    wire.pass(.finishOnly, .before)
    return answer
  }

  private func run<R: Sendable>(_ body: () async throws(LedgerError) -> R) async throws(LedgerError) -> R {
    try cut()
    let answer = try await body()
    try cut()
    return answer
  }

  private func cut() throws(LedgerError) {
    guard wire.isBackendDown, !isRemote else { return }
    throw LedgerError(.backendUnreachable, "The network is down.")
  }
}

/// Says when a receipt is verified.
struct WatchedVerifier: ReceiptVerifier {
  let verifier: any ReceiptVerifier
  let wire: Wire

  var provesPrices: Bool { verifier.provesPrices }
  func digest(of text: String) -> [UInt8]? { verifier.digest(of: text) }

  func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    let transaction = try verifier.verify(receipt)
    wire.pass(.verified, .after)
    return transaction
  }
}
