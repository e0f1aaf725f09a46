import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient
import Synchronization

extension Invocation {
  /// Opens the client's side, finishes the unfinished work of earlier commands, does the work, and closes everything.
  ///
  /// Commands on the same home run here one at a time.
  ///
  /// - Parameters:
  ///   - onlyReads: Whether the command only reads the customer. An erased customer's remaining id, for
  ///   example, cannot sign in; the client is then that of the signed-in customer.
  ///   - movesClock: Whether the command advances the home's clock, which the ledger then follows.
  func withClient<Answer: Sendable>(
    onlyReads: Bool = false, movesClock: Bool = false, onStep: (@Sendable (PurchaseStep) -> Void)? = nil,
    _ body: @escaping @Sendable (ClientSession) async throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    let home = try clientHome()
    // Throws if there is no home. The state is read again under the lock.
    _ = try clientState()
    // Before the state is read: the lock admits one command at a time, and other commands on this home wait here.
    let clientLog = try home.map { (home) throws(LedgerError) in
      try FileEventLog(path: home.clientPath, timeout: timeout)
    }
    // Held to the end, when the mark of unfinished work is removed.
    defer { withExtendedLifetime(clientLog) {} }
    let named = try settings.customer.map { (id) throws(LedgerError) in try self.customer(named: id) }
    let customer = named.flatMap { onlyReads && !UserID.isAllowed($0) ? nil : $0 }
    let state = try clientState()
    let own = try homeClock()
    let clock = own ?? (movesClock ? VirtualClock(following: .system) : nil)
    return try withLedger(clock: clock) { (ledger) throws(LedgerError) in
      try home?.markUnfinished()
      let session = try ClientSession(
        self, state, home: home, customer: customer, clientLog: clientLog,
        clock: clock ?? VirtualClock(following: .system), onStep: onStep, ledger: ledger)
      for problem in session.storeProblems {
        terminal.error("warning: The simulated store's file was damaged: \(problem)\n")
      }
      let bar = Mutex(ProgressBar("Crediting paid purchases", total: session.backlogCount, terminal: terminal))
      session.client.onReceiptPipelineEvent = { event in
        if case .progress(let done, _) = event { bar.withLock { $0.advance(to: done) } }
        if let warning = Self.warning(about: event) { terminal.error(warning) }
      }
      defer { bar.withLock { $0.finish() } }
      let answer = try Blocking.wait { () async throws(LedgerError) in
        try await session.recover()
        return try await body(session)
      }
      session.client.flush()
      if customer == nil { try remember(session.client.customerID, in: home, state) }
      if session.isComplete { home?.markFinished() }
      return answer
    }
  }

  /// The warning about damaged files of the client, which every verb prints.
  private static func warning(about event: ReceiptPipelineEvent) -> String? {
    switch event {
    case .damaged(let problem): "warning: The receipt queue was damaged: \(problem)\n"
    case .unknownRecord(let record): "warning: The receipt queue holds a record of a newer version: \(record)\n"
    case .notKept(let error): "warning: The receipt queue could not be written: \(error.message)\n"
    default: nil
    }
  }

  /// Saves the signed-in customer in the home's file, which verbs without a client read.
  private func remember(_ customer: CustomerID, in home: Home?, _ state: Home.State) throws(LedgerError) {
    guard let home, customer != state.customer else { return }
    var state = state
    state.customer = customer
    try home.save(state)
  }
}
