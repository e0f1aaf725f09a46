internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

/// The store on the other side of the wire.
struct WiredStorefront: StorefrontDecorator {
  let device: StoreDevice
  let wire: Wire
  let build: Build

  var decorated: any Storefront { device }

  func intercept<Answer: Sendable>(
    _ body: () async throws(StoreFailure) -> Answer
  ) async throws(StoreFailure) -> Answer {
    try cut()
    return try await body()
  }

  func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    wire.pass(.intent, .after)
    if !wire.paysLater { wire.pass(.paid, .before) }
    try cut()
    let result = try await device.purchase(request)
    guard case .success(let evidence) = result else { return result }
    try await sabotage([evidence])
    wire.pass(.delivered, .before)
    try cut()
    handOver()
    return result
  }

  func updates() -> AsyncStream<StoreEvidence> {
    let (updates, isBusy) = (device.updates(), Flag())
    return AsyncStream {
      // A request for the next one shows that the app has dealt with the last one.
      if isBusy.take() { wire.noteHandled() }
      var iterator = updates.makeAsyncIterator()
      while let evidence = await iterator.next() {
        if !wire.isDown { try? await sabotage([evidence]) }
        wire.pass(.delivered, .before)
        if wire.isDown {
          wire.noteHandled()
          continue
        }
        handOver()
        isBusy.set()
        return evidence
      }
      return nil
    }
  }

  func unfinished(after: StoreTransactionID?, limit: Int) async throws(StoreFailure) -> [StoreEvidence] {
    try cut()
    let page = try await device.unfinished(after: after, limit: limit)
    guard !page.isEmpty else { return [] }
    try await sabotage(page)
    wire.pass(.delivered, .before)
    try cut()
    handOver()
    return page
  }

  func all() async throws(StoreFailure) -> [StoreEvidence] {
    try cut()
    let all = try await device.all()
    guard all.contains(where: { $0.transaction.revocation != nil }) else { return all }
    wire.pass(.delivered, .before)
    try cut()
    handOver()
    return all
  }

  func finish(_ id: StoreTransactionID) async throws(StoreFailure) {
    wire.pass(.finished, .before)
    try cut()
    // The store says in between that it has noted it.
    try await device.finish(id)
    try cut()
    wire.pass(.dropped, .before)
  }

  private func cut() throws(StoreFailure) {
    if wire.isDown { throw .networkError }
  }

  private func handOver() {
    wire.pass(.delivered, .after)
    wire.pass(.queued, .before)
  }

  /// Finishes purchases without a credit, in the control build.
  private func sabotage(_ evidence: [StoreEvidence]) async throws(StoreFailure) {
    guard build == .finishesFirst else { return }
    for one in evidence { try await device.finish(one.transaction.id) }
  }
}
