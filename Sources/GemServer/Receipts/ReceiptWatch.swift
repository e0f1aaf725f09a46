#if Server
internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// Retries the quarantine and counts held purchases; logs one line of level `error` per hour and reason.
final class ReceiptWatch: Sendable {
  private struct State {
    var counts: [HoldReason: Int] = [:]
    /// The catalog's version at the last retry of all bodies; nil before this process' first round.
    var catalogVersion: Int64?
  }

  private let project: ServerProject
  private let log: ServerLog
  private let state = Mutex(State())
  private let hourly = HourlyLog()

  init(_ project: ServerProject, _ log: ServerLog) {
    self.project = project
    self.log = log
  }

  /// The held purchases by open reason, with zeros, as of the last round; with the labels of their metric.
  var counts: [(labels: String, value: Int64)] {
    let counts = state.withLock { $0.counts }
    return HoldReason.allCases.filter(\.isOpen).map { reason in
      ("project=\"\(project.id)\",reason=\"\(reason.name)\"", Int64(counts[reason] ?? 0))
    }
  }

  /// The receipts since the start of apps and environments that are not credited, with the labels of their metric.
  var foreignCounts: [(labels: String, value: Int64)] {
    project.backend.foreignCounts.map { (key, count) in
      // Prometheus' text format requires these three escapes.
      let value = key.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      return ("project=\"\(project.id)\",reason=\"\(key.reason.name)\",value=\"\(value)\"", count)
    }
  }

  /// A round over the quarantine; it counts `tried`, and `done` for the removed bodies.
  var job: MaintenanceJob {
    MaintenanceJob("quarantine") { [self] now throws(LedgerError) in
      let version = try project.catalogs.current().version
      let isChanged = state.withLock { state in
        defer { state.catalogVersion = version }
        return state.catalogVersion != version
      }
      let (tried, done) = try await project.quarantine.retry(all: isChanged, giveUp: giveUp, attempt)
      try count(now: now)
      return ["tried": tried, "done": done]
    }
  }

  // MARK: The quarantine

  private func attempt(_ message: Quarantine.Message) async throws(LedgerError) -> Quarantine.Outcome {
    do throws(LedgerError) {
      switch message.kind {
      case .receipt:
        let post = ReceiptPost(
          receipt: StoreReceipt(message.text), customer: try CustomerID(message.customer),
          source: ReceiptPost.Source(rawValue: message.source) ?? .sweep,
          orderSearch: ReceiptPost.OrderSearch(rawValue: message.orderSearch) ?? .none)
        _ = try await ReceiptIntake(project, message).verifiedAnswer(post)
      case .appleHistory: try await project.appStore.creditHistory(message, in: project)
      case .appleNotice: _ = try await project.backend.apply(signedNotice: message.text)
      case .googleNotice:
        guard let notices = project.playNotices else { throw PlayNotices.missing }
        _ = try await notices.apply(Array(message.text.utf8), to: project)
      }
      return .done
    } catch {
      let status = error.code.kind.row.httpStatus
      let isUnreadable = message.kind == .receipt && error.isUnreadableHere
      // A date in the future may result from a clock that is behind.
      let mayPass = isUnreadable || error.isUndecided || error.code == .receiptFutureDated
      if mayPass || status >= 500 || status == 423 || status == 429 {
        waits(because: error)
        return error.code == .backendUnreachable ? .silent : .later
      }
      // The purchase is held now, or the evidence is proven worthless.
      if error.code != .validationPending { say("receipt_refused", error.message, ["code": .string("\(error.code)")]) }
      return .done
    }
  }

  /// Logs the reason why a body stays in the quarantine; the message has the remedy.
  private func waits(because error: LedgerError) {
    let check = error.text("check")
    say(
      "quarantine \(error.code) \(check ?? "")", "Purchases wait in the quarantine: \(error.message)",
      [
        "code": .string("\(error.code)"), "check": JSONValue(check),
        "waiting": .integer(Int64(project.quarantine.count)),
      ])
  }

  private func giveUp(_ message: Quarantine.Message) async throws(LedgerError) {
    log.event(
      .error,
      message.kind == .appleHistory
        ? "A purchase history at the App Store could not be read within 7 days. Another restore reads it again."
        : "A purchase or notification could not be verified within its time and was deleted.",
      [
        "project": .string(project.id), "kind": .string(message.kind.rawValue),
        "customer_id": .string(message.customer), "start": .string(String(message.text.prefix(60))),
      ])
  }

  // MARK: Counting

  private func count(now: Timestamp) throws(LedgerError) {
    let counts = try project.backend.heldCounts()
    state.withLock { $0.counts = counts }
    for (reason, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where count > 0 && reason.isOpen {
      say(
        reason.name, "Paid purchases are held: \(reason.remedy)",
        ["reason": .string(reason.name), "purchases": .integer(Int64(count))], now: now)
    }
  }

  /// Logs a line unless a line with this name was logged in the same hour.
  private func say(_ name: String, _ message: String, _ facts: [String: JSONValue], now: Timestamp? = nil) {
    guard hourly.isDue(name, at: now ?? project.clock.now()) else { return }
    log.event(.error, message, facts.merging(["project": .string(project.id)]) { first, _ in first })
  }
}
#endif
