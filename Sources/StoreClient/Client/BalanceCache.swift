internal import GemLedger

/// The balances that the client knows, and their age.
///
/// Every event that may change a balance begins a new generation. A value is fresh only in the generation of its
/// request. The answer to an earlier request never replaces the answer to a later request.
struct BalanceCache: Sendable {
  /// Five minutes.
  static let freshMilliseconds: Int64 = 300_000
  static let customerCountMax = 16

  private struct Entry {
    var balances: StoredBalances
    var generation: UInt64
  }

  private(set) var generation: UInt64 = 0
  /// Answers of earlier generations are hidden, except as the last known balances.
  private var clearedIn: UInt64 = 0
  private var entries: [CustomerID: Entry] = [:]
  private var running: [CustomerID: (generation: UInt64, task: Task<Fetched, Never>)] = [:]

  typealias Fetched = Result<StoredBalances, LedgerError>

  /// Returns the customer's known balances, and whether they are fresh.
  func value(of customer: CustomerID, now: Timestamp) -> (balances: StoredBalances, isFresh: Bool)? {
    guard let entry = entries[customer] else { return nil }
    let age = now.milliseconds(since: entry.balances.asOf)
    return (entry.balances, entry.generation == generation && (0..<Self.freshMilliseconds).contains(age))
  }

  mutating func invalidate() { generation += 1 }

  /// Invalidates, and hides the known values.
  mutating func clear() {
    generation += 1
    clearedIn = generation
  }

  /// Returns whether no answer for the customer has arrived since the app cleared the cache.
  func isCleared(for customer: CustomerID) -> Bool { (entries[customer]?.generation ?? 0) < clearedIn }

  /// Stores an answer.
  ///
  /// - Returns: Whether it is the newest known answer, and differs from the value known before.
  mutating func take(_ balances: StoredBalances, askedIn asked: UInt64) -> (isNewest: Bool, isChanged: Bool) {
    let known = entries[balances.customer]
    if let known, known.generation > asked { return (false, false) }
    if entries.count >= Self.customerCountMax, known == nil, let oldest = oldest() { entries[oldest] = nil }
    entries[balances.customer] = Entry(balances: balances, generation: asked)
    return (true, known?.balances.rows != balances.rows)
  }

  /// Returns the current request of this generation, or a new request.
  mutating func join(
    _ customer: CustomerID, start: (UInt64) -> Task<Fetched, Never>
  ) -> (task: Task<Fetched, Never>, generation: UInt64) {
    if let running = running[customer], running.generation == generation { return (running.task, generation) }
    let task = start(generation)
    running[customer] = (generation, task)
    return (task, generation)
  }

  mutating func end(_ customer: CustomerID, generation: UInt64) {
    if running[customer]?.generation == generation { running[customer] = nil }
  }

  private func oldest() -> CustomerID? { entries.min { $0.value.balances.asOf < $1.value.balances.asOf }?.key }
}
