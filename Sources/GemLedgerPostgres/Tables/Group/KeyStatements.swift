#if PostgreSQL
internal import GemLedger

/// Statements for the keys of a group's commands.
enum KeyStatements {
  /// How many keys one question to a distributed engine covers; as many of one customer's as there are go into one.
  ///
  /// It looks each of the question's customers up with each of its keys.
  private static let keysPerQuestion = 6
  private static let columns = "customer, key, request_digest, qualifier_digest, transaction_number, refusal"

  static func requests(_ keys: [GroupRows.KeyAddress], _ layout: LaneLayout) -> [PostgresRequest] {
    layout.isDistributed ? grouped(keys).map(question) : [oneStepEach(keys)]
  }

  /// As many as one question covers.
  private static func grouped(_ keys: [GroupRows.KeyAddress]) -> [[GroupRows.KeyAddress]] {
    var questions: [[GroupRows.KeyAddress]] = []
    for key in keys.sorted(by: { $0.customer < $1.customer }) {
      if let last = questions.last, last.count < keysPerQuestion || last.first?.customer == key.customer {
        questions[questions.count - 1].append(key)
      } else {
        questions.append([key])
      }
    }
    return questions
  }

  private static func question(_ keys: [GroupRows.KeyAddress]) -> PostgresRequest {
    PostgresRequest("SELECT \(columns) FROM keys WHERE customer = ANY($1) AND key = ANY($2)") {
      let customers = Set(keys.map(\.customer)).sorted()
      $0.add(customers, { $0 })
      $0.add(keys, bytes: { PostgresKey.append($0.key, to: &$1) })
    }
  }

  /// A distributed engine joins no lists with its tables; a single server is fastest so.
  ///
  /// The offset keeps it from walking through all keys instead, which it would while there are few, and go on doing
  /// when there are many.
  private static func oneStepEach(_ keys: [GroupRows.KeyAddress]) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT found.* FROM (SELECT unnest($1) AS owner, unnest($2) AS wanted) places CROSS JOIN LATERAL (
        SELECT \(columns) FROM keys WHERE customer = owner AND key = wanted OFFSET 0
      ) found
      """
    ) {
      $0.add(keys, \.customer)
      $0.add(keys, bytes: { PostgresKey.append($0.key, to: &$1) })
    }
  }

  static func read(_ rows: PostgresRows, _ row: Int, _ storageName: String) throws(LedgerError) -> KeyRow {
    KeyRow(
      customer: rows.integer(row, 0), key: rows.withBytes(row, 1) { PostgresKey.key($0) },
      fingerprint: Fingerprint(asked: rows.integer(row, 2), qualifiers: rows.integer(row, 3)),
      outcome: try rows.keyOutcome(row, 4, storageName))
  }
}
#endif
