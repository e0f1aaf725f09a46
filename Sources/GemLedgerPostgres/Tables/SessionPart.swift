#if PostgreSQL
internal import GemLedger

/// A part of a session, which sends queries in the session's open transaction.
protocol SessionPart {
  var session: PostgresSession { get }
}

/// A part of the storage contract, with its implementation on PostgreSQL.
protocol PostgresReads: StorageSnapshot, SessionPart {}

extension SessionPart {
  var storageName: String { session.storageName }
  var layout: LaneLayout { session.layout }
  var memory: StorageCache { session.memory }
  var group: PostgresGroup? { session.group }
  var prefetched: GroupRows? { session.prefetched }
  /// The group's rows, while its commands are decided with them.
  var deciding: GroupRows? { session.prefetched.flatMap { $0.isDeciding ? $0 : nil } }
  /// The epoch in which all reads are from the same server.
  var epoch: Int { session.epoch }

  // MARK: Parts of a group

  var storeClaims: StoreClaims { StoreClaims(session: session) }

  // MARK: Asking

  /// Sends requests in a separate round trip; during the decision of a group, they become look-ups of the group.
  func ask(_ requests: [PostgresRequest]) throws(LedgerError) -> [PostgresRows] {
    if let deciding { return try deciding.answers(to: requests) }
    return try session.ask(requests)
  }

  func rows(_ request: PostgresRequest) throws(LedgerError) -> PostgresRows {
    let answers = try ask([request])
    guard let rows = answers.first else { throw .defect("A statement had no answer") }
    return rows
  }

  func first<Row>(
    _ request: PostgresRequest, read: (PostgresRows, Int) throws(LedgerError) -> Row
  ) throws(LedgerError) -> Row? {
    let rows = try rows(request)
    return rows.count == 0 ? nil : try read(rows, 0)
  }

  func all<Row>(
    _ request: PostgresRequest, read: (PostgresRows, Int) throws(LedgerError) -> Row
  ) throws(LedgerError) -> [Row] {
    let rows = try rows(request)
    return try (0..<rows.count).gather { (row) throws(LedgerError) in try read(rows, row) }
  }
}
#endif
