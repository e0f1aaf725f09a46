#if PostgreSQL
internal import GemLedger
internal import GemLedgerPostgres

/// Ledgers for benchmarks in schemas of a database that can take the load.
final class PostgresSchemas {
  private let url: String
  private let customerCount: Int
  private var names: [String] = []

  init(_ url: String, customerCount: Int) {
    self.url = url
    self.customerCount = customerCount
  }

  /// Makes a new ledger with its customers, in a separate schema.
  func next() throws -> Ledger {
    let name = "gembench_\(names.count + 1)"
    try PlainSQL(url).run(["DROP SCHEMA IF EXISTS \(name) CASCADE"])
    names.append(name)
    let ledger = try Ledger.createPostgres(at: Self.url(url, schema: name))
    try Workload(customerCount: customerCount).open(ledger)
    return ledger
  }

  func remove() {
    // Remaining schemas are removed when the next ledger is made.
    for name in names { try? PlainSQL(url).run(["DROP SCHEMA IF EXISTS \(name) CASCADE"]) }
  }

  static func url(_ url: String, schema: String) -> String {
    url + (url.contains("?") ? "&" : "?") + "schema=\(schema)"
  }
}
#endif
