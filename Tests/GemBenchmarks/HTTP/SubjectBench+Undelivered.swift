#if Server
internal import GemLedger
internal import GemLedgerSQLite
internal import GemServer
internal import Synchronization

extension SubjectBench {
  /// Measures spends at two servers on equal files: one has delivered all events, the other none, and its endpoint is
  /// down.
  func httpUndelivered(_ files: LedgerFiles, customers: Int) throws {
    let events = settings.entryCount ?? 1_000_000
    let operations = settings.operationCount ?? 20_000
    let delivered = try files.copy()
    let (endpoint, start) = try fill(delivered, events: events, customers: customers)
    let undelivered = try files.duplicate(delivered)
    try openWebhooks(undelivered) { try $0.replay(from: start, to: endpoint) }
    let receiver = DeadReceiver()
    let (idle, idleGrowth) = try serve(delivered, receiver, customers: customers)
    let (behind, growth) = try serve(undelivered, receiver, customers: customers)
    let slow = try spendLoad(
      "the same, \(events) events undelivered", behind, try Workload(customerCount: customers, seed: 12), operations)
    let quick = try spendLoad(
      "spends over HTTP, all events delivered", idle, try Workload(customerCount: customers, seed: 11), operations)
    let measurement = try Measurement([quick, slow], rounds: settings.rounds)
    let after = Figure.residentKilobytes()
    try idle.stop()
    try behind.stop()
    print("  an endpoint that is down, \(events) undelivered events")
    show(measurement)
    print("    to the one that is up to date: \(Figure.ratio(measurement.rateRatio(of: 1, to: 0)))")
    printTimes(slow)
    print(
      "    memory: \(growth / 1024) MiB more with the backlog, \(idleGrowth / 1024) MiB more without one; "
        + "\(after / 1024) MiB resident at the end")
    print("    attempts at the endpoint: \(receiver.count)")
  }

  /// Books the events, and makes an endpoint whose position is after them.
  ///
  /// - Returns: The endpoint, and the position before the events.
  private func fill(
    _ path: String, events: Int, customers: Int
  ) throws -> (endpoint: String, start: FeedCursor) {
    let ledger = try Ledger.openSQLite(at: path)
    let start = try ledger.feedPlaces.end()
    var workload = try Workload(customerCount: customers, seed: 10)
    var count = 0
    while count < events {
      let batch = try workload.next(min(Limits.commandsPerGroup, events - count))
      for result in ledger.submit(batch) { _ = try result.get() }
      count += batch.count
    }
    ledger.close()
    var id = ""
    try openWebhooks(path) { id = try $0.create(url: "https://example.com/hook").id }
    return (id, start)
  }

  private func openWebhooks(_ path: String, _ body: (Webhooks) throws -> Void) throws {
    let ledger = try Ledger.openSQLite(at: path)
    defer { ledger.close() }
    try body(Webhooks(ledger, projectID: "default", clock: ledger.clock, sender: nil))
  }

  /// Serves a file, and prints the growth of the process in kilobytes once it has answered some requests.
  private func serve(
    _ path: String, _ receiver: DeadReceiver, customers: Int
  ) throws -> (served: ServedLedger, growth: Int) {
    let before = Figure.residentKilobytes()
    let served = try ServedLedger(Ledger.openSQLite(at: path), threads: Self.threads, sender: receiver)
    var workload = try Workload(customerCount: customers, seed: UInt64(served.port))
    let requests = try (0..<2000).map { _ in served.spend(try workload.next()) }
    _ = try HTTPLoad(ports: [served.port], connectionCount: Self.connectionCount).run(requests)
    return (served, Figure.residentKilobytes() - before)
  }
}

/// A receiver that accepts no message and counts the attempts.
private final class DeadReceiver: WebhookSender {
  private let attempts = Mutex(0)

  var count: Int { attempts.withLock { $0 } }

  func check(_ url: String) throws(LedgerError) {}

  func post(_ url: String, headers: [(name: String, value: String)], body: [UInt8]) async -> WebhookAnswer {
    attempts.withLock { $0 += 1 }
    return .failed("down")
  }
}
#endif
