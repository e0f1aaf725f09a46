#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// Reads of the project, the catalog, the environments, and of how far numbers went.
protocol PostgresCatalogReads: PostgresReads {}

extension PostgresCatalogReads {
  func project() throws(LedgerError) -> ProjectRow {
    guard let project = memory.project else { throw .defect("A storage that is not open yet was asked") }
    return project
  }

  func catalogVersion() throws(LedgerError) -> Int64 {
    if let group { return try group.heads(session).map(\.catalogVersion).max() ?? 0 }
    let version = PostgresRequest("SELECT coalesce(max(version), 0) FROM catalog_versions")
    guard !memory.knowsCatalog.exchange(true, ordering: .relaxed) else {
      return try ask([version]).first?.integer(0, 0) ?? 0
    }
    // The first reader asks for the currencies next.
    let answers = try ask([version, Self.catalogRequest(.currency)])
    session.currencies = (0..<answers[1].count).map { Self.catalogRow(.currency, answers[1], $0) }
    return answers[0].integer(0, 0)
  }

  func catalogRows(_ kind: CatalogRow.Kind) throws(LedgerError) -> [CatalogRow] {
    if kind == .currency, let currencies = session.currencies { return currencies }
    guard let rows = try ask([Self.catalogRequest(kind)]).first else { return [] }
    return (0..<rows.count).map { Self.catalogRow(kind, rows, $0) }
  }

  private static func catalogRequest(_ kind: CatalogRow.Kind) -> PostgresRequest {
    PostgresRequest("SELECT code, position, document FROM catalog WHERE kind = $1 ORDER BY position") {
      $0.add(kind.rawValue)
    }
  }

  func catalogRow(_ kind: CatalogRow.Kind, code: String) throws(LedgerError) -> CatalogRow? {
    try first("SELECT code, position, document FROM catalog WHERE kind = $1 AND code = $2") {
      $0.add(kind.rawValue)
      $0.add(code)
    } _: { rows, row in
      Self.catalogRow(kind, rows, row)
    }
  }

  private static func catalogRow(_ kind: CatalogRow.Kind, _ rows: PostgresRows, _ row: Int) -> CatalogRow {
    CatalogRow(kind: kind, code: rows.text(row, 0), position: rows.integer(row, 1), document: rows.text(row, 2))
  }

  func environments() throws(LedgerError) -> [EnvironmentRow] {
    try all("SELECT environment, kind, session FROM environments ORDER BY environment") { rows, row in
      EnvironmentRow(
        number: rows.integer(row, 0),
        environment: StoreEnvironment(
          kind: StoreEnvironment.Kind(rawValue: rows.integer(row, 1)) ?? .localTesting,
          session: rows.optionalText(row, 2)))
    }
  }

  func last(_ sequence: ColdSequence) throws(LedgerError) -> Int64 {
    switch sequence {
    case .customer: try highest("SELECT max(customer) FROM customers")
    // The first pooled lot of an account has no row of its own.
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
      // Outside of a group no number is final; it only matters that journal time does not go back.
      let rows = try rows("SELECT max(last), max(created_at) FROM lanes")
      return Sequences(
        lane: 0, last: rows.integer(0, 0), createdAt: Timestamp(milliseconds: rows.integer(0, 1)))
    }
    let heads = try group.heads(session)
    return Sequences(
      lane: Int64(heads.first?.lane ?? 0), last: heads.map(\.last).max() ?? 0,
      createdAt: Timestamp(milliseconds: heads.map(\.createdAt).max() ?? 0))
  }

  func newestInstant() throws(LedgerError) -> Timestamp {
    Timestamp(milliseconds: try rows("SELECT max(created_at) FROM lanes").integer(0, 0))
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
    try first(
      "SELECT COALESCE(sum(transactions), 0)::bigint, COALESCE(sum(entries), 0)::bigint FROM lanes", { _ in },
      { JournalCounts(transactions: $0.integer($1, 0), entries: $0.integer($1, 1)) })
  }

  func customerNumber(after: CustomerNumber, skipping count: Int) throws(LedgerError) -> CustomerNumber? {
    try first(
      "SELECT customer FROM customers WHERE customer > $1 ORDER BY customer OFFSET $2 LIMIT 1",
      {
        $0.add(after)
        $0.add(Int64(count))
      }, { $0.integer($1, 0) })
  }

  func recordSums() throws(LedgerError) -> RecordSums? {
    let rows = try rows("SELECT sums FROM lanes")
    return LaneSums.total((0..<rows.count).map { rows.integers($0, 0) }).map(RecordSums.init(values:))
  }
}
#endif
