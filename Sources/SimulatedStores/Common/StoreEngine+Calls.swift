internal import GemLedger
internal import StoreBackend
internal import StoreClient

/// The outcome of a device's call under faults.
struct CallAnswer: Sendable {
  /// The failure; nothing else happens.
  var failure: StoreFailure?
  /// Whether the effect happens, but the answer is lost.
  var isLost: Bool
  /// The duration of the call.
  var slowness: Duration?
}

extension StoreState {
  /// Returns the failure of a call, and its duration otherwise.
  mutating func ask(_ api: StoreAPI, by device: DeviceName) -> CallAnswer {
    let faults = consult(api, account: device.account, device: device.device)
    var failure = faults.failureBefore
    if failure == nil, case .store(let simulated)? = settings.common.simulatedErrors[api] { failure = simulated }
    return CallAnswer(failure: failure, isLost: faults.cutsAfter, slowness: faults.slowness)
  }

  /// Returns the device's failure to verify the evidence; nil if it trusts the evidence.
  mutating func verification(for device: DeviceName) -> VerificationFailure? {
    let faults = consult(.verification, account: device.account, device: device.device)
    if case .verification(let failure)? = settings.common.simulatedErrors[.verification] { return failure }
    return faults.unverified
  }
}

/// The calls of devices, the same for both kinds of store.
extension StoreEngine {
  /// Acts like ``act(_:)`` for an app; a store that cannot write fails with `systemError`.
  func serve<Answer: Sendable>(
    _ body: (inout Shop, Timestamp) -> Answer
  ) throws(StoreFailure) -> Answer {
    do throws(LedgerError) { return try act(body) } catch { throw .systemError }
  }

  /// One call that may fail before or after its effect, or take its time.
  ///
  /// `after` is called once the effect is durable, whether or not the app learns of it.
  @discardableResult
  func ask<Answer: Sendable>(
    _ api: StoreAPI, by device: DeviceName, _ body: (inout Shop, Timestamp) -> Answer, after: () -> Void = {}
  ) async throws(StoreFailure) -> Answer {
    let (call, answer) = try serve { shop, now -> (CallAnswer, Answer?) in
      let call = shop.ask(api, by: device)
      return (call, call.failure == nil ? body(&shop, now) : nil)
    }
    if call.failure == nil { after() }
    await wait(call.slowness)
    if let failure = call.failure { throw failure }
    guard let answer, !call.isLost else { throw .networkError }
    return answer
  }

  func wait(_ slowness: Duration?) async {
    guard let slowness else { return }
    // A task that is cancelled meanwhile gets the answer at once: the effect has already happened.
    try? await clock.storeClock.sleep(clock.now.advanced(by: slowness))
  }

  /// A call that lists transactions.
  func list(
    _ api: StoreAPI, for device: DeviceName, _ body: (borrowing Shop) -> [TransactionUpdate]
  ) async throws(StoreFailure) -> [StoreEvidence] {
    let updates = try await ask(api, by: device) { shop, _ in body(shop) }
    return updates.map { evidence($0, to: device) }
  }

  /// Makes a device's evidence of a transaction.
  func evidence(_ update: TransactionUpdate, to device: DeviceName) -> StoreEvidence {
    // A store that cannot record its fault counts returns the verification result of the delivery.
    let failure = try? act { shop, _ in shop.verification(for: device) }
    return StoreEvidence(
      transaction: update.transaction, receipt: signer.receipt(for: update.transaction),
      unverified: failure ?? update.unverified)
  }

  func evidence(_ transaction: StoreTransaction) -> StoreEvidence {
    StoreEvidence(transaction: transaction, receipt: signer.receipt(for: transaction))
  }

  func updates(of name: DeviceName, atLaunch: (borrowing Shop) -> [TransactionUpdate]) -> AsyncStream<StoreEvidence> {
    let feed = subscribe(name, redelivering: atLaunch)
    return AsyncStream {
      guard let update = await feed.next() else { return nil }
      let evidence = self.evidence(update, to: name)
      self.step(.delivered(update.transaction.id))
      return evidence
    } onCancel: {
      feed.end()
    }
  }
}

/// The calls of tests and backends, the same for both kinds of store.
extension StoreEngine {
  func inject(_ plan: FaultPlan) throws(LedgerError) {
    if let problem = Shop.problem(of: plan) { throw .invalid(problem) }
    for fault in plan.faults {
      if let problem = fault.problem { throw .invalid(problem) }
    }
    try act { shop, _ in shop.record(.faults(shop.common.faults.adding(plan.faults))) }
  }

  /// Clears the faults of one API or of all APIs; the remaining faults keep their counts.
  func clearFaults(on api: StoreAPI?) throws(LedgerError) {
    try act { shop, _ in
      shop.record(.faults(shop.common.faults.armed.filter { api != nil && $0.fault.api != api }))
    }
  }

  func notices() -> AsyncStream<StoreNotice> {
    let feed = subscribeToNotices()
    return AsyncStream {
      guard let notice = await feed.next() else { return nil }
      return notice.signed(self.evidence(notice.transaction))
    } onCancel: {
      feed.end()
    }
  }

  func pendingNotices(limit: Int) -> [NumberedNotice] {
    look { Array($0.common.waitingNotices.prefix(max(0, limit))) }.map(numbered)
  }

  private func numbered(_ notice: QueuedNotice) -> NumberedNotice {
    NumberedNotice(
      id: notice.number, notice: notice.signed(evidence(notice.transaction)), signedText: signedText(of: notice))
  }

  private func signedText(of notice: QueuedNotice) -> String? {
    guard let type = notice.appleType else { return nil }
    return signer.signedNotice(type, id: notice.uuid, about: notice.transaction, at: clock.now)
  }

  func acknowledgeNotices(through id: Int64) throws(LedgerError) {
    try act { shop, _ in
      guard let first = shop.common.waitingNotices.first, first.number <= id else { return }
      shop.record(.noticesTaken(min(id, shop.common.lastNotice)))
    }
  }

  func takeNotices(limit: Int) throws(LedgerError) -> [StoreNotice] {
    let taken = try act { shop, _ in
      let taken = Array(shop.common.waitingNotices.prefix(max(0, limit)))
      if let last = taken.last { shop.record(.noticesTaken(last.number)) }
      return taken
    }
    return taken.map { numbered($0).notice }
  }
}
