#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// Reads of the project, the catalog's version, and the highest numbers.
protocol PostgresCatalogReads: PostgresReads {}

extension PostgresCatalogReads {
  func project() throws(LedgerError) -> ProjectRow {
    guard let project = memory.project else { throw .defect("A storage that is not open yet was asked") }
    return project
  }

  func catalogVersion() throws(LedgerError) -> Int64 {
    if let group { return try group.heads(session).map(\.catalogVersion).max() ?? 0 }
    // A distributed engine's readers do not read the version with their first statement.
    let version =
      layout.cluster == nil ? [] : [PostgresRequest("SELECT coalesce(max(version), 0) FROM catalog_versions")]
    // The first reader needs the currencies next.
    let currencies =
      memory.knowsCatalog.exchange(true, ordering: .relaxed)
      ? [] : [session.request(CatalogRow.ofKind, IndexKey(CatalogRow.Kind.currency.rawValue))]
    let answers = try ask(version + currencies)
    if !currencies.isEmpty { session.currencies = try RowReader.rows(answers.suffix(1)) }
    return session.catalogVersionAtStart ?? answers.first?.integer(0, 0) ?? 0
  }

  func last(_ sequence: ColdSequence) throws(LedgerError) -> Int64 {
    switch sequence {
    case .customer: try highest("SELECT max(customer) FROM customers")
    // The first pooled lot of an account has no separate row.
    case .lot: try highest("SELECT max(lot) FROM lots", "SELECT max(pool_lot) FROM accounts")
    case .purchase: try highest("SELECT max(purchase) FROM purchases")
    case .environment: try highest("SELECT max(environment) FROM environments")
    case .order: try highest("SELECT max(number) FROM orders")
    }
  }

  private func highest(_ statements: String...) throws(LedgerError) -> Int64 {
    try ask(statements.map { PostgresRequest($0) }).map { $0.count == 0 ? 0 : $0.integer(0, 0) }.max() ?? 0
  }

  func sequences() throws(LedgerError) -> Sequences {
    guard let group else {
      // Outside of a group no number is final; journal time must only not go back.
      let rows = try rows(PostgresRequest("SELECT max(last), max(created_at) FROM lanes"))
      return Sequences(
        lane: 0, last: rows.integer(0, 0), createdAt: Timestamp(milliseconds: rows.integer(0, 1)))
    }
    let heads = try group.heads(session)
    return Sequences(
      lane: Int64(heads.first?.lane ?? 0), last: heads.map(\.last).max() ?? 0,
      createdAt: Timestamp(milliseconds: heads.map(\.createdAt).max() ?? 0))
  }

  func newestInstant() throws(LedgerError) -> Timestamp {
    Timestamp(milliseconds: try rows(PostgresRequest("SELECT max(created_at) FROM lanes")).integer(0, 0))
  }

  func number(after last: Int64, in sequence: ColdSequence) throws(LedgerError) -> Int64 {
    guard sequence != .environment else { return last + 1 }
    let lane = group?.lanes.first ?? 0
    guard sequence == .customer else { return LaneLayout.number(after: last, lane: lane) }
    let number = layout.customer(after: last, lane: lane)
    prefetched?.make(number)
    return number
  }

  func journalCounts() throws(LedgerError) -> JournalCounts? {
    let request = PostgresRequest(
      "SELECT COALESCE(sum(transactions), 0)::bigint, COALESCE(sum(entries), 0)::bigint FROM lanes")
    return try first(request) { JournalCounts(transactions: $0.integer($1, 0), entries: $0.integer($1, 1)) }
  }

  func recordSums() throws(LedgerError) -> RecordSums? {
    let rows = try rows(PostgresRequest("SELECT sums FROM lanes"))
    return LaneSums.total((0..<rows.count).map { rows.integers($0, 0) }).map(RecordSums.init(values:))
  }
}
#endif
