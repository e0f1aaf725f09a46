#if Server
import GemLedger
import GemTestSupport
import Synchronization
import XCTest

@testable import GemServer

/// Documents that no storage keeps, and that can fail.
final class DocumentsInMemory: ServerDocuments {
  private struct State {
    var documents: [String: LedgerDocument] = [:]
    /// After so many changes the process dies; nil for never.
    var savesMax: Int?
    var saves = 0
  }

  private let state = Mutex(State())

  /// Lets all changes after so many further ones fail; nil for none.
  func fail(after count: Int?) {
    state.withLock { state in state.savesMax = count.map { state.saves + $0 } }
  }

  var saves: Int { state.withLock { $0.saves } }

  func find(named name: String) -> LedgerDocument? { state.withLock { $0.documents[name] } }

  func page(withPrefix prefix: String, after name: String?, limit: Int) -> [LedgerDocument] {
    state.withLock { state in
      let found = state.documents.values.filter { $0.name.hasPrefix(prefix) && $0.name > (name ?? "") }
      return Array(found.sorted { $0.name < $1.name }.prefix(limit))
    }
  }

  func save(
    _ name: String, content: String, replacing version: Int64?
  ) throws(LedgerError) -> LedgerDocument {
    let document = LedgerDocument(name: name, version: (version ?? 0) + 1, content: content)
    try change(name, version) { state in
      state.saves += 1
      state.documents[name] = document
    }
    return document
  }

  func remove(_ name: String, version: Int64) throws(LedgerError) {
    try change(name, version) { $0.documents[name] = nil }
  }

  private func change(
    _ name: String, _ version: Int64?, _ body: (inout State) -> Void
  ) throws(LedgerError) {
    try state.withLock { (state) throws(LedgerError) in
      if let max = state.savesMax, state.saves >= max {
        throw LedgerError(.storageUnavailable, "The process died here.")
      }
      guard state.documents[name]?.version == version else {
        throw LedgerError(.conditionFailed, "\(name) has another version.")
      }
      body(&state)
    }
  }
}

/// Receivers that keep all messages, and answer as a test says.
final class Receivers: WebhookSender {
  struct Message: Sendable {
    let url: String
    let headers: [String: String]
    let body: [UInt8]
    let event: JSONValue
    let at: Timestamp
    let answer: WebhookAnswer

    var id: String { event["id"]?.text ?? "" }
    var customer: String { event["app_user_id"]?.text ?? "" }
  }

  typealias Behaviour = @Sendable (_ url: String, _ event: JSONValue) -> WebhookAnswer

  private let time: ManualClock
  private let state = Mutex<(messages: [Message], behaviour: Behaviour)>(([], { _, _ in .status(200) }))

  init(_ time: ManualClock) { self.time = time }

  func answer(_ behaviour: @escaping Behaviour) { state.withLock { $0.behaviour = behaviour } }

  /// All attempts, in their order.
  var messages: [Message] { state.withLock { $0.messages } }

  /// The messages that a receiver took, in their order.
  func taken(_ url: String = WebhookWorld.url) -> [Message] {
    messages.filter { $0.url == url && WebhookOutcome($0.answer) == .delivered }
  }

  func check(_ url: String) throws(LedgerError) {}

  func post(_ url: String, headers: [(name: String, value: String)], body: [UInt8]) async -> WebhookAnswer {
    let event = (try? JSONValue.parse(body))?["event"] ?? .null
    let answer = state.withLock { $0.behaviour }(url, event)
    let fields = Dictionary(headers.map { ($0.name, $0.value) }) { first, _ in first }
    let message = Message(url: url, headers: fields, body: body, event: event, at: time.now, answer: answer)
    state.withLock { $0.messages.append(message) }
    return answer
  }
}

/// A ledger, receivers, and processes that deliver to them.
final class WebhookWorld: Sendable {
  static let url = "https://example.com/hook"

  let time = ManualClock()
  let ledger: Ledger
  let documents = DocumentsInMemory()
  let receivers: Receivers
  let first: Webhooks

  init() throws {
    ledger = Ledger.inMemory(clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    receivers = Receivers(time)
    first = Self.process("first", ledger, time, documents, receivers)
  }

  /// Another process of the same project.
  func process(_ owner: String) -> Webhooks { Self.process(owner, ledger, time, documents, receivers) }

  private static func process(
    _ owner: String, _ ledger: Ledger, _ time: ManualClock, _ documents: DocumentsInMemory, _ receivers: Receivers
  ) -> Webhooks {
    var settings = WebhookSettings()
    settings.jitter = { _ in 0 }
    return Webhooks(
      ledger, projectID: "default", clock: time.clock, sender: receivers, documents: documents, settings: settings,
      owner: owner)
  }

  @discardableResult
  func grant(_ customer: String, _ amount: Int64 = 1) throws -> TransactionID {
    try XCTUnwrap(ledger.grant([Make.amount("GEM", amount)], customer: Make.customer(customer)).transactionID)
  }

  /// Runs one round of deliveries.
  @discardableResult
  func deliver(_ webhooks: Webhooks? = nil) async throws -> [String: LedgerError] {
    try await XCTUnwrap((webhooks ?? first).dispatcher).runOnce()
  }

  /// Lets time go by in steps, and delivers at each.
  func pass(seconds: Int64, step: Int64, _ webhooks: Webhooks? = nil) async throws {
    for _ in 0..<seconds / step {
      time.advance(seconds: step)
      try await deliver(webhooks)
    }
  }

  /// Compares a receiver's messages with the journal: nothing is missing, and each customer's events came in order.
  ///
  /// - Parameter given: Events that are allowed to be missing.
  /// - Returns: The differences.
  func problems(
    of url: String = WebhookWorld.url, after cursor: FeedCursor? = nil, without given: Set<String> = []
  ) throws -> [String] {
    let events = try ledger.feed(after: cursor, limit: 1000).events.filter(\.isSent)
    var firsts: [String: Int] = [:]
    for (index, message) in receivers.taken(url).enumerated() where firsts[message.id] == nil {
      firsts[message.id] = index
    }
    var problems: [String] = []
    var last: [CustomerID: (place: Int, id: String)] = [:]
    for event in events {
      let id = try event.transaction().description
      if given.contains(id) { continue }
      guard let place = firsts[id] else {
        problems.append("\(id) is missing")
        continue
      }
      for customer in event.customers {
        if let before = last[customer], before.place > place { problems.append("\(id) came before \(before.id)") }
        last[customer] = (place, id)
      }
    }
    return problems
  }
}
#endif
