#if PostgreSQL
internal import CPostgreSQL
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A statement with its parameter values, prepared on first use of each connection.
struct PostgresRequest {
  let sql: String
  var parameters = PostgresParameters()
  /// Whether it will be used again, so that it is worth preparing.
  let isPrepared: Bool

  init(_ sql: String, isPrepared: Bool = true, _ add: (inout PostgresParameters) -> Void) {
    self.sql = sql
    self.isPrepared = isPrepared
    add(&parameters)
  }

  init(_ sql: String, _ values: any PostgresValue...) {
    self.init(sql) { for value in values { value.add(to: &$0) } }
  }

  init(_ sql: String, _ parameters: PostgresParameters, isPrepared: Bool = true) {
    self.sql = sql
    self.parameters = parameters
    self.isPrepared = isPrepared
  }
}

/// A connection to the server, used by one thread at a time.
final class PostgresConnection {
  /// The server times out earlier.
  static let patienceByDefault: Int32 = 60_000

  /// Whether statements have no time limit: for readers of all rows, which the server sorts.
  ///
  /// The connection's keep-alives still detect the loss of the server.
  var waitsForLong = false
  /// Called after each second of waiting for a response.
  var whileWaiting: (() -> Void)?
  /// Adds lanes to statements, if the tables are distributed.
  var lanes: LaneStatements?
  private var handle: OpaquePointer?
  /// The names of prepared statements, by text.
  private var names: [String: String] = [:]
  private var nameCount = 0
  /// The bounds of results, by statement.
  private var bounds: [String: AnswerBounds] = [:]
  /// The number of round trips.
  private(set) var roundTrips = 0
  /// Whether a commit of the last round trip succeeded: a later failure in the round trip does not undo it.
  private(set) var hasCommitted = false
  /// Whether the response to a statement sent by ``sendAhead(_:)`` was not read yet.
  private var hasUnreadResponse = false
  private let warnings = PostgresWarnings()
  /// The maximum wait for a response in milliseconds, after which the connection is closed.
  var patience: Int32

  /// Whether the server refused writes when this was opened, like a standby.
  private(set) var isReadOnly = false
  /// The run of the server, which a restart ends, and a crash too.
  private(set) var serverRun = ""
  /// Whether the role may request a sync of the server's log, when this was opened.
  private(set) var mayRequestSync = false
  /// The connection's generation within the pool.
  var generation = 0
  /// Whether it is unused.
  var isNew = true

  /// Connects and configures the session.
  ///
  /// - Throws: A failure with ``PostgresFailure/sharedSession`` if a pooler gives each transaction another session.
  convenience init(_ target: PostgresTarget) throws(PostgresFailure) {
    try self.init(unchecked: target)
    try target.pooler.check(self, target)
    let answers = try run(target.settings + [Self.question])
    guard let answer = answers.last else { throw .lost("the server sent no response") }
    (isReadOnly, serverRun) = (answer.integer(0, 0) != 0, answer.text(0, 1))
    mayRequestSync = answer.integer(0, 2) != 0
  }

  /// If a session of the server crashes, the server's own process survives, but the server resets its statistics.
  private static let question = """
    SELECT current_setting('transaction_read_only') = 'on',
      concat(pg_postmaster_start_time(), ' ', pg_stat_get_bgwriter_stat_reset_time()), \(maySync)
    """

  /// Whether the role may request a sync of the log; the function's parameters depend on the server's version.
  static let maySync = """
    has_function_privilege(coalesce(
      to_regprocedure('pg_logical_emit_message(boolean, text, text, boolean)'),
      to_regprocedure('pg_logical_emit_message(boolean, text, text)')), 'EXECUTE')
    """

  /// Connects without configuring the session.
  ///
  /// - Parameter patience: The maximum wait for a response, in milliseconds.
  init(unchecked target: PostgresTarget, patience: Int32 = patienceByDefault) throws(PostgresFailure) {
    self.patience = patience
    handle = target.connect()
    guard let handle, PQstatus(handle) == CONNECTION_OK else {
      let message = Self.message(of: handle)
      close()
      throw PostgresFailure(state: target.state(ofRefusal: message), message: message)
    }
    warnings.listen(on: handle)
    _ = PQsetnonblocking(handle, 1)
    _ = PQenterPipelineMode(handle)
  }

  deinit { close() }

  func close() {
    if let handle { PQfinish(handle) }
    handle = nil
  }

  var isOpen: Bool { handle != nil }
  /// The descriptor for waiting for notifications.
  var socket: Int32 { handle.map(PQsocket) ?? -1 }
  /// The server process of the session, as announced when this was opened.
  var announcedProcess: Int64 { handle.map { Int64(PQbackendPID($0)) } ?? 0 }

  /// Returns the number of the server process that responds.
  func serverProcess() throws(PostgresFailure) -> Int64 {
    try run(["SELECT pg_backend_pid()"]).first.map { $0.integer(0, 0) } ?? 0
  }

  // MARK: Asking

  /// Sends all requests in one round trip; after a failed request the rest are not run.
  func ask(_ requests: [PostgresRequest]) throws(PostgresFailure) -> [PostgresRows] {
    guard let lanes else {
      let answers = try send(requests)
      for (request, rows) in zip(requests, answers) { try check(rows, of: request.sql) }
      return answers
    }
    let batch = lanes.batch(requests)
    return try lanes.answers(to: batch, try send(batch.statements), check)
  }

  private func send(_ requests: [PostgresRequest]) throws(PostgresFailure) -> [PostgresRows] {
    guard let handle else { throw .lost("the connection was closed") }
    try readResponse(handle)
    roundTrips += 1
    var fresh: [(sql: String, name: String)?] = []
    for request in requests {
      guard request.isPrepared else {
        try send(handle) { request.parameters.ask(request.sql, handle) }
        fresh.append(nil)
        continue
      }
      let known = names[request.sql] ?? fresh.lazy.compactMap { $0 }.first { $0.sql == request.sql }?.name
      let name = known ?? nextName()
      if known == nil { try send(handle) { request.prepare(as: name, handle) } }
      fresh.append(known == nil ? (request.sql, name) : nil)
      try send(handle) { request.parameters.execute(name, handle) }
    }
    try send(handle) { PQpipelineSync(handle) }
    try flush(handle)
    return try answers(to: fresh, handle) { requests[$0].sql == Self.commit }
  }

  private func check(_ rows: PostgresRows, of sql: String) throws(PostgresFailure) {
    guard rows.count > 0 else { return }
    let known = bounds[sql] ?? AnswerBounds(rows)
    bounds[sql] = known
    if let damage = known.damage(in: rows) { throw damage }
  }

  func ask(_ request: PostgresRequest) throws(PostgresFailure) -> PostgresRows {
    guard let rows = try ask([request]).first else { throw .lost("the server sent no response") }
    return rows
  }

  /// Sends a statement without parameters, whose outcome does not matter, and does not wait for its response.
  ///
  /// The response is read before the next request is sent. If the statement failed inside a transaction, the
  /// connection is then lost.
  func sendAhead(_ sql: String) throws(PostgresFailure) {
    guard let handle, let name = names[sql] else {
      _ = try ask(PostgresRequest(sql))
      return
    }
    try readResponse(handle)
    try send(handle) { PostgresParameters().execute(name, handle) }
    try send(handle) { PQpipelineSync(handle) }
    try flush(handle)
    hasUnreadResponse = true
  }

  private func readResponse(_ handle: OpaquePointer) throws(PostgresFailure) {
    guard hasUnreadResponse else { return }
    hasUnreadResponse = false
    var failure: PostgresFailure?
    _ = try answer(handle, &failure)
    try readSync(handle)
    guard let failure, failure.isConnectionLost || PQtransactionStatus(handle) != PQTRANS_IDLE else { return }
    close()
    throw .lost(failure.message)
  }

  /// Runs unprepared statements without parameters, for setting up a session or a schema.
  func execute(_ statements: [String]) throws(PostgresFailure) { _ = try run(statements) }

  private func run(_ statements: [String]) throws(PostgresFailure) -> [PostgresRows] {
    guard let handle else { throw .lost("the connection was closed") }
    try readResponse(handle)
    roundTrips += 1
    for sql in statements {
      try send(handle) { PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) }
    }
    try send(handle) { PQpipelineSync(handle) }
    try flush(handle)
    let none = [(sql: String, name: String)?](repeating: nil, count: statements.count)
    return try answers(to: none, handle) { statements[$0] == Self.commit }
  }

  /// Returns the channels with a notification since the last call.
  ///
  /// If it fails, the socket stays open until ``close()``: a waiting reader must release it first.
  func notifications() throws(PostgresFailure) -> [String] {
    guard let handle else { throw .lost("the connection was closed") }
    guard PQconsumeInput(handle) == 1 else { throw .lost(Self.message(of: handle)) }
    var names: [String] = []
    while let notice = PQnotifies(handle) {
      names.append(String(cString: notice.pointee.relname))
      PQfreemem(notice)
    }
    return names
  }

  // MARK: Parts

  private func nextName() -> String {
    nameCount += 1
    return "gem_\(nameCount)"
  }

  private func send(_ handle: OpaquePointer, _ body: () -> Int32) throws(PostgresFailure) {
    guard body() == 1 else { throw lost(handle) }
  }

  private func flush(_ handle: OpaquePointer) throws(PostgresFailure) {
    while true {
      let rest = PQflush(handle)
      if rest == 0 { return }
      // Reads while it writes, to avoid a deadlock: the server may wait until its responses are read.
      guard rest == 1, try wait(handle, POLLIN | POLLOUT) else { throw lost(handle) }
    }
  }

  private static let commit = "COMMIT"

  /// - Parameters:
  ///   - fresh: For each request, the statement that was prepared with it, if any.
  ///   - isCommit: Whether the request at a position commits.
  private func answers(
    to fresh: [(sql: String, name: String)?], _ handle: OpaquePointer, isCommit: (Int) -> Bool
  ) throws(PostgresFailure) -> [PostgresRows] {
    var rows: [PostgresRows] = []
    rows.reserveCapacity(fresh.count)
    var failure: PostgresFailure?
    hasCommitted = false
    for (index, statement) in fresh.enumerated() {
      if let statement, try answer(handle, &failure) != nil { names[statement.sql] = statement.name }
      let isCommit = isCommit(index)
      if isCommit { warnings.forget() }
      if let answer = try answer(handle, &failure) { rows.append(answer) }
      // A distributed engine reports a commit as done even if a node lost its part; it only sends a warning.
      if isCommit, let warning = warnings.first { failure = failure ?? .warned(warning) }
      if isCommit, failure == nil { hasCommitted = true }
    }
    try readSync(handle)
    if let failure { throw failure }
    return rows
  }

  /// Reads the response to the sync at the end of a round trip, which ends an implicit transaction.
  ///
  /// If the server reports a failure instead, such a transaction was rolled back after its statements' results.
  private func readSync(_ handle: OpaquePointer) throws(PostgresFailure) {
    guard let result = try next(handle) else { throw lost(handle) }
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_PIPELINE_SYNC else { throw lost(handle) }
  }

  /// Returns one statement's result and consumes the null after it; returns nil if it failed or was not run.
  private func answer(
    _ handle: OpaquePointer, _ failure: inout PostgresFailure?
  ) throws(PostgresFailure) -> PostgresRows? {
    var answer: PostgresRows?
    while let result = try next(handle) {
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK: answer = PostgresRows(result)
      case PGRES_PIPELINE_ABORTED: PQclear(result)
      default:
        let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
        let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) } ?? ""
        PQclear(result)
        if state.isEmpty { throw lost(handle) }
        failure = failure ?? PostgresFailure(state: state, message: message)
      }
    }
    return answer
  }

  private func next(_ handle: OpaquePointer) throws(PostgresFailure) -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      guard try wait(handle, POLLIN) else { throw lost(handle) }
    }
    let result = PQgetResult(handle)
    if result == nil, PQstatus(handle) != CONNECTION_OK { throw lost(handle) }
    return result
  }

  private func wait(_ handle: OpaquePointer, _ events: Int32) throws(PostgresFailure) -> Bool {
    var poll = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
    var rest = patience
    while true {
      let slice = whileWaiting == nil ? rest : min(rest, 1000)
      let ready = systemPoll(&poll, 1, waitsForLong ? -1 : slice)
      if ready < 0, errno == EINTR { continue }
      if ready == 0, slice < rest {
        rest -= slice
        whileWaiting?()
        continue
      }
      guard ready > 0 else {
        close()
        throw .lost("the server did not answer for \(patience / 1000) seconds")
      }
      return Int32(poll.revents) & (POLLIN | POLLHUP | POLLERR) == 0 || PQconsumeInput(handle) == 1
    }
  }

  private func lost(_ handle: OpaquePointer) -> PostgresFailure {
    let message = Self.message(of: handle)
    close()
    return .lost(message)
  }

  private static func message(of handle: OpaquePointer?) -> String {
    guard let text = PQerrorMessage(handle) else { return "no memory" }
    return String(cString: text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

/// A separate function, since `poll` is also a name in this module.
private func systemPoll(_ descriptors: UnsafeMutablePointer<pollfd>, _ count: nfds_t, _ timeout: Int32) -> Int32 {
  poll(descriptors, count, timeout)
}

extension PostgresFailure {
  static func lost(_ message: String) -> Self { Self(state: "", message: message) }

  /// Returns the failure for a commit with a warning, so that its outcome is unknown.
  static func warned(_ message: String) -> Self { Self(state: unknownCompletion, message: message) }
}

extension PostgresRequest {
  fileprivate func prepare(as name: String, _ handle: OpaquePointer) -> Int32 {
    parameters.types.withUnsafeBufferPointer { types in
      PQsendPrepare(handle, name, sql, Int32(types.count), types.baseAddress)
    }
  }
}

extension PostgresParameters {
  fileprivate func execute(_ name: String, _ handle: OpaquePointer) -> Int32 {
    withValues { values, formats in
      PQsendQueryPrepared(handle, name, Int32(offsets.count), values, lengths, formats, 1)
    }
  }

  /// Sends a statement without preparing it.
  fileprivate func ask(_ sql: String, _ handle: OpaquePointer) -> Int32 {
    withValues { values, formats in
      PQsendQueryParams(handle, sql, Int32(offsets.count), types, values, lengths, formats, 1)
    }
  }

  private func withValues(_ body: ([UnsafePointer<CChar>?], [Int32]) -> Int32) -> Int32 {
    buffer.withUnsafeBufferPointer { bytes in
      // A null pointer means null, so even an empty value needs an address.
      let start = bytes.baseAddress ?? UnsafePointer(emptyValue)
      return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
        let values: [UnsafePointer<CChar>?] = offsets.map { $0 < 0 ? nil : start + $0 }
        return body(values, [Int32](repeating: 1, count: offsets.count))
      }
    }
  }
}

// Never written, and valid for the life of the process.
private nonisolated(unsafe) let emptyValue: UnsafeMutablePointer<UInt8> = {
  let value = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
  value.initialize(to: 0)
  return value
}()
#endif
