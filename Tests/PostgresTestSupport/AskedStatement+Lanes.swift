#if PostgreSQL
internal import Foundation
internal import GemLedgerPostgres

// Which lanes the statements of a group name, as a server logged them with their parameters.

// MARK: Statements in statements

extension AskedStatement {
  /// The name of the function that it calls to write a group's rows.
  package var nameOfWriteFunction: String? {
    sql.firstMatch(of: /^SELECT (write_group_[0-9a-f]+)\(\$1[,)]/).map { String($0.output.1) }
  }

  /// The queries of a union, or the statements in the body of the function that it calls; otherwise itself.
  ///
  /// They have the same parameters, under the same numbers.
  ///
  /// - Parameter bodies: The functions' bodies, by name.
  package func parts(_ bodies: [String: String]) -> [AskedStatement] {
    var texts = [sql]
    if let name = nameOfWriteFunction, let body = bodies[name] {
      let text = body.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let plain = text.replacing(/(ELS)?IF cardinality\(\$\d+\) [=>] \d THEN |END IF;|^BEGIN |END$/, with: "")
      texts = plain.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    } else if sql.hasPrefix("SELECT 0 AS query, record_send(q) AS record FROM (") {
      texts = sql.split(separator: /(^|\) q UNION ALL )SELECT \d+ AS query, record_send\(q\) AS record FROM \(/).map {
        String($0).replacing(/\) q$/, with: "")
      }
    }
    return texts.map { AskedStatement($0, parameters, session: session) }
  }
}

// MARK: Lanes

extension AskedStatement {
  /// The lane that it names as one value; nil where it names several, or none.
  package var lane: Int64? {
    var patterns = [/\blane = \$(\d+)/, /\(lane, .* SELECT \$(\d+), u\.\*/, /\(lane, .* VALUES \(\$(\d+)/]
    if sql.contains(", lane) VALUES (") { patterns = [/\$(\d+)\)/] }
    let named = patterns.flatMap { sql.matches(of: $0).map(\.output.1) }
    let values = Set(named.map { value(ofParameter: $0) })
    return values.count == 1 && !sql.contains("lane = ANY") ? values.first.flatMap { $0 } : nil
  }

  private func value(ofParameter number: Substring) -> Int64? {
    guard let start = parameters.range(of: "$\(number) = '") else { return nil }
    return Int64(parameters[start.upperBound...].prefix { $0 != "'" })
  }

  /// A group begins so, for each of its lanes.
  private var locksLane: Bool { sql.contains(" FROM lanes WHERE ") && sql.hasSuffix(" FOR UPDATE") }
  private var updatesLane: Bool { sql.hasPrefix("UPDATE lanes SET last ") }
  private var isOfCustomers: Bool { tables.contains { $0.distribution == .byCustomer } }

  /// The statements of a transaction, in their order.
  private static func transactions(in statements: [AskedStatement]) -> [[AskedStatement]] {
    var open: [String: [AskedStatement]] = [:]
    var ended: [[AskedStatement]] = []
    for statement in statements {
      switch statement.sql {
      case _ where statement.sql.hasPrefix("BEGIN"): open[statement.session] = []
      case "COMMIT", "ROLLBACK":
        if let all = open.removeValue(forKey: statement.session) { ended.append(all) }
      default: open[statement.session]?.append(statement)
      }
    }
    return ended + open.values
  }

  /// Returns the statements about customers, of groups over one lane, that do not name that lane alone.
  ///
  /// - Parameter statements: In the order in which they were asked, of any number of sessions.
  package static func strayStatements(in statements: [AskedStatement]) -> [AskedStatement] {
    transactions(in: statements).flatMap { transaction -> [AskedStatement] in
      let lanes = transaction.filter(\.locksLane).map(\.lane)
      guard lanes.count == 1, let lane = lanes[0] else { return [] }
      return transaction.filter { $0.isOfCustomers && $0.lane != lane }
    }
  }

  /// Returns the statements with rows that a distributed engine may lose while it reports their commit as done.
  ///
  /// Those are `INSERT … SELECT` of lists without `ON CONFLICT`. The engine then does not note that the transaction
  /// wrote on that machine, and where the transaction read there too, the death of a session goes unnoticed. Rows of a
  /// lane whose own row the transaction updates are not lost: that is noted.
  ///
  /// - Parameter statements: In the order in which they were asked, of any number of sessions.
  package static func losableWrites(in statements: [AskedStatement]) -> [AskedStatement] {
    transactions(in: statements).flatMap { transaction -> [AskedStatement] in
      let noted = Set(transaction.filter(\.updatesLane).map(\.lane))
      var isReader = false
      return transaction.filter { statement in
        let sql = statement.sql
        if ["SELECT", "WITH"].contains(where: sql.hasPrefix) { isReader = true }
        guard sql.hasPrefix("INSERT INTO "), sql.contains("unnest("), !sql.contains("ON CONFLICT") else { return false }
        if statement.isOfCustomers, let lane = statement.lane, noted.contains(lane) { return false }
        return isReader
      }
    }
  }
}
#endif
