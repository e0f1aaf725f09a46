import GemLedger
import StoreBackend
import StoreClient
import Synchronization

extension Invocation {
  /// Opens the client's side, finishes what earlier commands left half done, does the work, and closes everything.
  ///
  /// Commands on one home take turns here.
  ///
  /// - Parameter onlyReads: Whether the customer is only asked about. Where the id cannot sign in, as what is left
  ///   of an erased customer's, the client is that of the customer who is signed in.
  func withClient<Answer: Sendable>(
    onlyReads: Bool = false, onStep: (@Sendable (PurchaseStep) -> Void)? = nil,
    _ body: @escaping @Sendable (ClientSession) async throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    let home = try clientHome()
    var customer = try settings.customer.map { (id) throws(LedgerError) in try CustomerID(id) }
    if onlyReads, let id = customer, !UserID.isAllowed(id) { customer = nil }
    let parts = ClientSession.Parts(
      state: try clientState(), home: home, customer: customer, device: settings.device, account: settings.storeAccount,
      onStep: onStep, patience: patience)
    return try withLedger { (ledger) throws(LedgerError) in
      try home?.markUnsettled()
      let session = try ClientSession(parts, ledger: ledger)
      for problem in session.storeProblems {
        terminal.error("warning: The simulated store's file was damaged: \(problem)\n")
      }
      let bar = Mutex(ProgressBar("Crediting what was paid for", total: session.backlogCount, terminal: terminal))
      session.client.onReceiptPipelineEvent = { event in
        if case .progress(let done, _) = event { bar.withLock { $0.advance(to: done) } }
        if let warning = Self.warning(about: event) { terminal.error(warning) }
      }
      defer { bar.withLock { $0.finish() } }
      let answer = try Blocking.wait { () async throws(LedgerError) in
        try await session.settle()
        return try await body(session)
      }
      session.client.flush()
      if parts.customer == nil { try remember(session.client.appUserID, in: home, parts.state) }
      if session.isSettled { home?.markSettled() }
      return answer
    }
  }

  /// What has to be said of the client's own files, whatever the verb is.
  private static func warning(about event: ReceiptPipelineEvent) -> String? {
    switch event {
    case .damaged(let problem): "warning: The receipt queue was damaged: \(problem)\n"
    case .unknownRecord(let record): "warning: The receipt queue holds a record of a newer version: \(record)\n"
    case .notKept(let error): "warning: The receipt queue could not be written: \(error.message)\n"
    default: nil
    }
  }

  /// Keeps who is signed in where the verbs that need no client look for it.
  private func remember(_ customer: CustomerID, in home: Home?, _ state: Home.State) throws(LedgerError) {
    guard let home, customer != state.customer else { return }
    var state = state
    state.customer = customer
    try home.save(state)
  }
}
