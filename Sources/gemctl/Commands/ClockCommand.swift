import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient

/// `clock`, `clock advance`: the time of a home.
struct ClockCommand {
  let invocation: Invocation

  func show() throws {
    let ahead = try ownHome().clockAhead()
    try tell(Progress(ahead: ahead, now: try invocation.now()))
  }

  /// The effects of the advance.
  private struct Progress: Sendable {
    var ahead: Int64
    var now: Timestamp
    var bought: [ShopTransaction] = []
    var settled = 0
    /// Whether the advance stopped before its end.
    var isStopped = false
  }

  func advance() throws {
    let home = try ownHome()
    let length = try length()
    try tell(
      try invocation.withClient(movesClock: true) { (session) async throws(LedgerError) in
        try await Self.advance(session, by: length, home)
      })
  }

  private func ownHome() throws -> Home {
    guard try StorageChoice(invocation.settings.storage) == .home else {
      throw invocation.usageError(
        "Only the home's ledger has a clock to advance; omit --storage")
    }
    _ = try invocation.home.state()
    return invocation.home
  }

  private func length() throws -> Duration {
    let text = invocation.parsed.positionals[0]
    guard let span = TimeSpan(text), (1...ClockWalk.daysMax * 86_400).contains(span.seconds) else {
      throw invocation.usageError(
        "TIME is a length of time up to \(ClockWalk.daysMax)d, such as 90s, 15m, 1h or 31d; got "
          + text.quotedForPeople)
    }
    return .seconds(span.seconds)
  }

  /// Advances from one effect of the store to the next, so that each is credited at its time.
  private static func advance(
    _ session: ClientSession, by length: Duration, _ home: Home
  ) async throws(LedgerError) -> Progress {
    let clock = session.store.controls.clock
    let known = Set(session.store.transactions().map(\.id))
    var progress = Progress(ahead: 0, now: clock.now)
    progress.isStopped = try await !ClockWalk(clock).go(length) { (ahead) throws(LedgerError) in
      try home.saveClock(ahead: ahead)
    } atStop: { () async throws(LedgerError) in
      try await session.recover()
    }
    progress.settled = try session.ledger.sweep()
    try await session.backend.resolveOrders()
    progress.bought = session.store.transactions().filter { !known.contains($0.id) }
    progress.ahead = try home.clockAhead()
    progress.now = clock.now
    return progress
  }

  private func tell(_ progress: Progress) throws(LedgerError) {
    let json: JSONValue = [
      "now": .string(progress.now.description), "ahead_seconds": .integer(progress.ahead / 1000),
      "store_transactions": .array(progress.bought.map(StoreCommands.json)),
      "settled": .integer(Int64(progress.settled)), "stopped": .bool(progress.isStopped),
    ]
    try invocation.print(json) { style in
      let ahead = progress.ahead == 0 ? "the machine's time" : "\(TimeSpan(seconds: progress.ahead / 1000)) ahead"
      var text = "It is \(style.bold(progress.now.description)), \(ahead).\n"
      if progress.settled > 0 {
        text += "Something was due for \(progress.settled) customer\(progress.settled == 1 ? "" : "s"): see history.\n"
      }
      if !progress.bought.isEmpty { text += "\n" + StoreCommands.text(progress.bought, style: style) }
      if progress.isStopped { text += "Stopped after \(ClockWalk.stopsMax) effects; run it again to continue.\n" }
      return text
    }
  }
}
