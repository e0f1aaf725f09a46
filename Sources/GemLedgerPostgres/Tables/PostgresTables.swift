#if PostgreSQL
  internal import GemLedger

  /// The ledger's rows as one connection sees them, inside the transaction that is open on it.
  ///
  /// One thread at a time uses it. What a group prefetched is answered from there; everything else is a round trip.
  final class PostgresTables {
    let connection: PostgresConnection
    /// Which database it is, for people.
    let place: String
    /// How the customers are spread over lanes.
    let layout: LaneLayout
    /// What the group at hand fetched before it began; nil outside of groups.
    var prefetched: Prefetched?
    /// Why the last statement failed, where one did.
    private(set) var failure: PostgresFailure?

    init(_ connection: PostgresConnection, place: String, layout: LaneLayout) {
      self.connection = connection
      self.place = place
      self.layout = layout
    }

    // MARK: Asking

    /// Asks all of it in one round trip.
    func ask(_ requests: [PostgresRequest]) throws(LedgerError) -> [PostgresRows] {
      do throws(PostgresFailure) {
        return try connection.ask(requests)
      } catch {
        failure = error
        throw error.ledgerError(place)
      }
    }

    /// Asks for rows in a round trip of its own.
    func rows(
      _ sql: String, _ add: (inout PostgresParameters) -> Void = { _ in }
    ) throws(LedgerError) -> PostgresRows {
      let answers = try ask([PostgresRequest(sql, add)])
      guard let rows = answers.first else { throw .defect("A statement had no answer") }
      return rows
    }

    func first<Row>(
      _ sql: String, _ add: (inout PostgresParameters) -> Void, _ read: (PostgresRows, Int) throws(LedgerError) -> Row
    ) throws(LedgerError) -> Row? {
      let rows = try rows(sql, add)
      return rows.count == 0 ? nil : try read(rows, 0)
    }

    func all<Row>(
      _ sql: String, _ add: (inout PostgresParameters) -> Void = { _ in },
      _ read: (PostgresRows, Int) throws(LedgerError) -> Row
    ) throws(LedgerError) -> [Row] {
      let rows = try rows(sql, add)
      var found: [Row] = []
      found.reserveCapacity(rows.count)
      for index in 0..<rows.count { found.append(try read(rows, index)) }
      return found
    }

    func forgetFailure() { failure = nil }
  }
#endif
