#if Server
package import GemLedger

/// The endpoints of a project, their queues and their dead letters, stored as documents.
package struct WebhookStore: Sendable {
  /// The maximum number of endpoints per project.
  package static let endpointCountMax = 20
  /// The number of tries of a change while other processes change the same document.
  private static let changeCountMax = 20

  private let documents: any ServerDocuments

  package init(_ documents: any ServerDocuments) { self.documents = documents }

  private static let endpointPrefix = "webhook/endpoint/"
  private static func queueName(_ id: String) -> String { "webhook/queue/\(id)" }
  private static func deadPrefix(_ id: String) -> String { "webhook/dead/\(id)/" }
  private static func deadName(_ id: String, _ transaction: TransactionID) -> String {
    deadPrefix(id) + transaction.description
  }

  // MARK: Endpoints

  /// Returns all endpoints, oldest first.
  package func endpoints() throws(LedgerError) -> [WebhookEndpoint] {
    var endpoints: [WebhookEndpoint] = []
    try documents.forEach(withPrefix: Self.endpointPrefix) { (document) throws(LedgerError) in
      endpoints.append(try Self.endpoint(document))
    }
    return endpoints.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
  }

  /// - Throws: `LedgerError` with `invalid_request` if there is none.
  package func endpoint(_ id: String) throws(LedgerError) -> WebhookEndpoint? {
    // No document has a name of any other form.
    guard Self.isID(id) else { return nil }
    return try documents.find(named: Self.endpointPrefix + id).map { (document) throws(LedgerError) in
      try Self.endpoint(document)
    }
  }

  private static func isID(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x5F }
  }

  private static func endpoint(_ document: LedgerDocument) throws(LedgerError) -> WebhookEndpoint {
    try WebhookEndpoint(reading: document.reader())
  }

  /// Stores a new endpoint after its queue, since an endpoint always has a queue.
  package func add(_ endpoint: WebhookEndpoint, _ queue: WebhookQueue) throws(LedgerError) {
    guard try endpoints().count < Self.endpointCountMax else {
      throw LedgerError(
        .limitExceeded, "A project has at most \(Self.endpointCountMax) endpoints of webhooks.",
        details: [.integer("limit", Int64(Self.endpointCountMax))])
    }
    try documents.save(Self.queueName(endpoint.id), content: queue.json.text(), replacing: nil)
    try documents.save(Self.endpointPrefix + endpoint.id, content: endpoint.json.text(), replacing: nil)
  }

  /// Changes an endpoint.
  ///
  /// - Returns: The changed endpoint; nil if there is none.
  package func change(
    _ id: String, _ body: (inout WebhookEndpoint) throws(LedgerError) -> Void
  ) throws(LedgerError) -> WebhookEndpoint? {
    guard Self.isID(id) else { return nil }
    return try change(named: Self.endpointPrefix + id) { (document) throws(LedgerError) in
      var endpoint = try Self.endpoint(document)
      try body(&endpoint)
      return (endpoint, endpoint.json)
    }
  }

  /// Removes an endpoint with its queue and its dead letters.
  ///
  /// - Returns: Whether the endpoint existed.
  package func remove(_ id: String) throws(LedgerError) -> Bool {
    guard Self.isID(id), try remove(named: Self.endpointPrefix + id) else { return false }
    _ = try remove(named: Self.queueName(id))
    var names: [String] = []
    try documents.forEach(withPrefix: Self.deadPrefix(id)) { names.append($0.name) }
    for name in names { _ = try remove(named: name) }
    return true
  }

  // MARK: Queues

  /// Returns the queue and its version; nil if the endpoint was removed.
  package func queue(_ id: String) throws(LedgerError) -> (queue: WebhookQueue, version: Int64)? {
    guard let document = try documents.find(named: Self.queueName(id)) else { return nil }
    return (try Self.queue(document), document.version)
  }

  private static func queue(_ document: LedgerDocument) throws(LedgerError) -> WebhookQueue {
    try WebhookQueue(reading: document.reader())
  }

  /// - Returns: The new version.
  /// - Throws: `LedgerError` with `condition_failed` if the queue has another version.
  package func save(
    _ queue: WebhookQueue, of id: String, replacing version: Int64
  ) throws(LedgerError) -> Int64 {
    try documents.save(Self.queueName(id), content: queue.json.text(), replacing: version).version
  }

  /// Changes the queue of an endpoint; a process that is working on it starts again with the changed queue.
  package func changeQueue(
    of id: String, _ body: (inout WebhookQueue) throws(LedgerError) -> Void
  ) throws(LedgerError) -> WebhookQueue? {
    try change(named: Self.queueName(id)) { (document) throws(LedgerError) in
      var queue = try Self.queue(document)
      try body(&queue)
      return (queue, queue.json)
    }
  }

  // MARK: Dead letters

  /// Stores an event that was given up; for a known dead letter it updates the reason.
  package func bury(_ letter: WebhookQueue.Waiting, of id: String, at now: Timestamp) throws(LedgerError) {
    let name = Self.deadName(id, letter.transaction)
    let content = DeadLetter(letter, failedAt: now).json.text()
    for _ in 0..<Self.changeCountMax {
      let version = try documents.find(named: name)?.version
      do throws(LedgerError) {
        try documents.save(name, content: content, replacing: version)
        return
      } catch {
        guard error.code == .conditionFailed else { throw error }
      }
    }
    throw Self.contended
  }

  /// Removes the dead letter of an event that was delivered later.
  package func unbury(_ transaction: TransactionID, of id: String) throws(LedgerError) {
    _ = try remove(named: Self.deadName(id, transaction))
  }

  /// Returns a page of dead letters, in the order of their events.
  package func deadLetters(
    of id: String, after transaction: TransactionID? = nil, limit: Int
  ) throws(LedgerError) -> [DeadLetter] {
    let start = transaction.map { Self.deadName(id, $0) }
    var letters: [DeadLetter] = []
    for document in try documents.page(withPrefix: Self.deadPrefix(id), after: start, limit: limit) {
      letters.append(try DeadLetter(reading: document.reader()))
    }
    return letters
  }

  // MARK: Changes

  private func change<Value>(
    named name: String, _ body: (LedgerDocument) throws(LedgerError) -> (Value, JSONValue)
  ) throws(LedgerError) -> Value? {
    for _ in 0..<Self.changeCountMax {
      guard let document = try documents.find(named: name) else { return nil }
      let (value, content) = try body(document)
      do throws(LedgerError) {
        try documents.save(name, content: content.text(), replacing: document.version)
        return value
      } catch {
        guard error.code == .conditionFailed else { throw error }
      }
    }
    throw Self.contended
  }

  private func remove(named name: String) throws(LedgerError) -> Bool {
    for _ in 0..<Self.changeCountMax {
      guard let document = try documents.find(named: name) else { return false }
      do throws(LedgerError) {
        try documents.remove(name, version: document.version)
        return true
      } catch {
        guard error.code == .conditionFailed else { throw error }
      }
    }
    throw Self.contended
  }

  private static var contended: LedgerError {
    LedgerError(.inProgress, "Others are changing the same endpoint; ask again.")
  }
}

/// An event that was given up for an endpoint.
package struct DeadLetter: Hashable, Sendable {
  package let transaction: TransactionID
  package let failures: Int
  package let reason: String
  package let failedAt: Timestamp

  init(_ waiting: WebhookQueue.Waiting, failedAt: Timestamp) {
    transaction = waiting.transaction
    failures = waiting.failures
    reason = waiting.reason
    self.failedAt = failedAt
  }

  var json: JSONValue {
    [
      "transaction": .string(transaction.description), "failures": .integer(Int64(failures)),
      "reason": .string(reason), "failed_at": .integer(failedAt.milliseconds),
    ]
  }

  fileprivate init(reading document: StoredJSON) throws(LedgerError) {
    transaction = try document["transaction"].transactionID()
    failures = Int(clamping: try document["failures"].integer())
    reason = try document["reason"].text()
    failedAt = try document["failed_at"].instant()
  }
}
#endif
