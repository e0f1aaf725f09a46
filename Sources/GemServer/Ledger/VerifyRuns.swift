#if Server
package import GemLedger
package import GemLedgerAudit
internal import Synchronization

/// A finished proof of a project's books.
package struct VerifyRun: Sendable {
  package let startedAt: Timestamp
  package let endedAt: Timestamp
  /// The actor that started it, as in the journal.
  package let actor: String
  /// The result as the API returns it; null if the books could not be read.
  package let verification: JSONValue
  /// The reason why the books could not be read.
  package let failure: String?

  /// Whether the books add up.
  package var isOK: Bool { verification["ok"]?.bool ?? false }
}

/// The proofs of a project's books, one at a time on a server.
///
/// The newest result is stored for all servers.
package final class VerifyRuns: Sendable {
  /// A proof that has not ended.
  package struct Running: Sendable {
    package let startedAt: Timestamp
    package let actor: String
    /// The number of rows that were read, and their total; zeros at the beginning.
    package var done: Int64 = 0
    package var total: Int64 = 0
  }

  private static let name = "verify-run"
  private static let title = "A proof of the books"

  let work = SoleWork()
  private let ledger: Ledger
  private let clock: LedgerClock
  private let state = Mutex<Running?>(nil)

  package init(_ ledger: Ledger, clock: LedgerClock) {
    self.ledger = ledger
    self.clock = clock
  }

  /// Whether this server is proving the books.
  package var isBusy: Bool { work.isBusy }
  /// The proof that this server is running; nil also for the first instant of it.
  package var running: Running? { state.withLock { $0 } }

  /// Proves the books, and stores the result.
  ///
  /// - Throws: `LedgerError` with `in_progress` if a proof is running, and those of `Ledger.verify`.
  package func run(by actor: String) async throws(LedgerError) -> Verification {
    try await work.run(Self.title) { () throws(LedgerError) in try self.prove(by: actor) }
  }

  /// Starts a proof, and does not wait for its end.
  ///
  /// - Throws: `LedgerError` with `in_progress` if a proof is running.
  package func start(by actor: String) throws(LedgerError) {
    // The stored result includes the error.
    try work.start(Self.title) { _ = try? self.prove(by: actor) }
  }

  private func prove(by actor: String) throws(LedgerError) -> Verification {
    let startedAt = clock.now()
    state.withLock { $0 = Running(startedAt: startedAt, actor: actor) }
    defer { state.withLock { $0 = nil } }
    let result = Result { () throws(LedgerError) in
      try ledger.verify { done, total in
        state.withLock {
          $0?.done = done
          $0?.total = total
        }
      }
    }
    save(result, startedAt, actor)
    return try result.get()
  }

  // MARK: The newest result

  /// Returns the newest proof of any server; nil if there was none.
  package func newest() throws(LedgerError) -> VerifyRun? {
    guard let document = try ledger.documents.find(named: Self.name) else { return nil }
    let reader = try document.reader()
    return VerifyRun(
      startedAt: try reader["started_at"].instant(), endedAt: try reader["ended_at"].instant(),
      actor: try reader["by"].text(), verification: reader["verification"].value ?? .null,
      failure: try reader["failure"].optional?.text())
  }

  private func save(_ result: Result<Verification, LedgerError>, _ startedAt: Timestamp, _ actor: String) {
    var (verification, failure): (JSONValue, String?) = (.null, nil)
    switch result {
    case .success(let proven): verification = BookRoutes.json(proven)
    case .failure(let error): failure = "\(error.code): \(error.message)"
    }
    let content: JSONValue = [
      "started_at": .integer(startedAt.milliseconds), "ended_at": .integer(clock.now().milliseconds),
      "by": .string(actor), "verification": verification, "failure": JSONValue(failure),
    ]
    do throws(LedgerError) {
      let version = try ledger.documents.find(named: Self.name)?.version
      try ledger.documents.save(Self.name, content: content.text(), replacing: version)
    } catch {
      // The caller gets the result. If another server stored a result at this moment, that one is as new.
    }
  }
}
#endif
