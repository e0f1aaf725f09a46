/// The counts of a group's customers against limits, as the group left them.
struct CountBook: ~Copyable {
  private let scope: GroupScope
  private var counts: [CustomerNumber: [CountKey: CountRow]] = [:]
  private var ended: [CustomerNumber: [CountKey: CountRow]] = [:]
  /// The transaction that last set each count.
  private var setBy: [CustomerNumber: [CountKey: TransactionNumber]] = [:]

  init(_ scope: GroupScope) { self.scope = scope }

  mutating func removeAll() {
    if !counts.isEmpty { counts.removeAll() }
    if !ended.isEmpty { ended.removeAll() }
    if !setBy.isEmpty { setBy.removeAll() }
  }

  func collect(into changes: inout ChangeSet) {
    let set = counts.values.flatMap(\.values)
    if !set.isEmpty { changes.ownCold.counts = set.sorted { ($0.customer, $0.key) < ($1.customer, $1.key) } }
    let ended = ended.values.flatMap(\.values)
    if !ended.isEmpty { changes.ownCold.endedCounts = ended.sorted { ($0.customer, $0.key) < ($1.customer, $1.key) } }
  }

  func count(_ key: CountKey, of customer: CustomerNumber) throws(LedgerError) -> CountRow? {
    if let own = counts[customer]?[key] { return own }
    if ended[customer]?[key] != nil { return nil }
    return try scope.session.row(CountRow.byKey, IndexKey(customer, key.kind.rawValue, text: key.subject))
  }

  func all(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] {
    var all: [CountKey: CountRow] = [:]
    for row in try scope.session.counts(of: customer) { all[row.key] = row }
    for (key, row) in counts[customer] ?? [:] { all[key] = row }
    for key in (ended[customer] ?? [:]).keys { all[key] = nil }
    return all.values.sorted { $0.key < $1.key }
  }

  /// Sets the count anew, as part of the transaction, or of a later one that set the same count.
  ///
  /// The newest event of a count holds, and events are in the order of transactions.
  ///
  /// - Returns: The event to add to the journal.
  mutating func set(_ row: CountRow, by transaction: TransactionNumber) -> JournalEventRow {
    let transaction = max(transaction, setBy[row.customer]?[row.key] ?? 0)
    setBy[row.customer, default: [:]][row.key] = transaction
    counts[row.customer, default: [:]][row.key] = row
    ended[row.customer]?[row.key] = nil
    return JournalEventRow(
      transaction: transaction, position: 0, customer: row.customer, kind: .counted, value: row.value, count: row.key,
      period: row.period, createdAt: scope.now)
  }

  mutating func end(_ row: CountRow) {
    counts[row.customer]?[row.key] = nil
    ended[row.customer, default: [:]][row.key] = row
  }

  /// Shows, at a past instant, exactly these of the customer's counts.
  mutating func restore(_ past: [CountRow], of customer: CustomerNumber) throws(LedgerError) {
    for row in try scope.session.counts(of: customer) { end(row) }
    for row in past {
      ended[row.customer]?[row.key] = nil
      counts[row.customer, default: [:]][row.key] = row
    }
  }
}
