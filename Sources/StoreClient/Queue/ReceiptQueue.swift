internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// The durable queue: a ``QueueState`` and the event log from which it is folded.
///
/// There are two locks. One orders the writes, so that the event log has the events in the order of their application.
/// The other guards the state, so that readers never wait for a disk.
final class ReceiptQueue: Sendable {
  private struct Writing {
    /// Records that may wait for the next append: losing a record only repeats a harmless step.
    var lazy: [String] = []
    var recordCount = 0
    var listings = Listings()
  }

  /// The event log may have twice as many records as live records, plus this number.
  static let slack = 1000
  /// The slack at the start, which has to read all records.
  static let slackAtStart = 100

  private let eventLog: (any EventLog)?
  private let writing: Mutex<Writing>
  private let state: Mutex<QueueState>
  /// Records of unknown kinds.
  let unknown: [String]

  /// Creates a queue that is not stored.
  init() {
    eventLog = nil
    unknown = []
    writing = Mutex(Writing())
    state = Mutex(QueueState())
  }

  init(eventLog: (any EventLog)?) throws(LedgerError) {
    self.eventLog = eventLog
    var state = QueueState()
    var unknown: [String] = []
    let records = try eventLog?.records() ?? []
    for record in records {
      if let event = QueueEvent(record: record) { state.apply(event) } else { unknown.append(record) }
    }
    self.unknown = unknown
    writing = Mutex(Writing(recordCount: records.count))
    self.state = Mutex(state)
    if records.count > Self.slackAtStart { self.writing.withLock { compact(&$0, slack: Self.slackAtStart) } }
  }

  /// Reads the state.
  func read<T>(_ body: (borrowing QueueState) -> T) -> T { state.withLock { body($0) } }

  func takeIntentNumber() -> Int64 { state.withLock { $0.takeIntentNumber() } }

  /// Claims a waiting item for posting.
  func claim(_ key: ReceiptKey, now: Timestamp) -> QueueItem? {
    state.withLock { state in
      guard state.items[key]?.status == .waiting else { return nil }
      state.apply(.posting(key, now))
      return state.items[key]
    }
  }

  /// Makes the events durable and applies them; if this fails, the state is unchanged.
  func record(_ events: [QueueEvent]) throws(LedgerError) {
    try writing.withLock { (writing) throws(LedgerError) in
      try write(events, &writing)
      apply(events, &writing)
      compact(&writing)
    }
  }

  /// Applies the events even if they cannot be made durable; returns the error then.
  ///
  /// For events that have already happened, regardless of the log.
  func note(_ events: [QueueEvent]) -> LedgerError? { writing.withLock { note(events, &$0) } }

  /// Applies events as ``note(_:)`` does, without another writer between the decision and the write.
  ///
  /// - Parameter events: Returns the events, given the receipts that were finished during an open listing.
  func note(deciding events: (Set<ReceiptKey>) -> [QueueEvent]) -> LedgerError? {
    writing.withLock { writing in
      let events = events(writing.listings.finished)
      return events.isEmpty ? nil : note(events, &writing)
    }
  }

  /// Starts a listing of the store's transactions: receipts that are finished from now on may still be in it.
  func openListing() { writing.withLock { $0.listings.open() } }

  /// Ends the listing: its receipts are in the queue.
  func closeListing() { writing.withLock { $0.listings.close() } }

  /// Applies the events now, and writes them with the next events.
  ///
  /// - Returns: Whether they changed the state.
  @discardableResult
  func noteLazily(_ events: [QueueEvent]) -> Bool {
    writing.withLock { writing in
      let isChanged = apply(events, &writing)
      if isChanged, eventLog != nil { writing.lazy += events.compactMap(\.record) }
      return isChanged
    }
  }

  /// Writes the waiting records.
  func flush() throws(LedgerError) { try record([]) }

  @discardableResult
  private func apply(_ events: [QueueEvent], _ writing: inout Writing) -> Bool {
    defer { writing.listings.note(events) }
    return state.withLock { state in events.count { state.apply($0) } > 0 }
  }

  private func note(_ events: [QueueEvent], _ writing: inout Writing) -> LedgerError? {
    defer { apply(events, &writing) }
    do throws(LedgerError) {
      try write(events, &writing)
      return nil
    } catch {
      writing.lazy += events.compactMap(\.record)
      return error
    }
  }

  private func write(_ events: [QueueEvent], _ writing: inout Writing) throws(LedgerError) {
    guard let eventLog else { return }
    let records = writing.lazy + events.compactMap(\.record)
    guard !records.isEmpty else { return }
    try eventLog.append(records)
    writing.lazy = []
    writing.recordCount += records.count
  }

  /// Rewrites the event log if most of it is history, so that its length depends on the live state.
  private func compact(_ writing: inout Writing, slack: Int = slack) {
    guard let eventLog, writing.recordCount > slack, writing.lazy.isEmpty else { return }
    let count = writing.recordCount
    guard let events = state.withLock({ count > 2 * $0.liveCount + slack ? $0.events() : nil }) else { return }
    let records = unknown + events.compactMap(\.record)
    do throws(LedgerError) {
      try eventLog.compact(to: records)
      writing.recordCount = records.count
    } catch {
      // The long event log has the same content; the next append tries again.
    }
  }
}
