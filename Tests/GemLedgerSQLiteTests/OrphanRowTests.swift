import Foundation
import GemLedger
import GemLedgerArchive
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Rows that nothing leads to: `verify` names every one, and no customer's commands fail because of one.
///
/// Each case puts one row into one table: a copy of a row there, with another number in one column of its key.
final class OrphanRowTests: XCTestCase {
  /// The tables whose rows nothing has to lead to: settings, documents of applications, and rows that are the only one
  /// of their table.
  private static let free: Set = [
    "migrations", "project", "record_sums", "lot_sequence", "copy_progress", "copied_journal", "documents",
  ]

  private struct Case: CustomStringConvertible {
    let table: String
    let column: String
    let value: Int64
    /// Of the file without the row.
    let lastTransaction: Int64

    /// Whether a transaction of the story may come to its number.
    var isInTheWay: Bool {
      ["transaction_number", "entry", "lot"].contains(column) && (1..<1 << 40).contains(value)
    }

    /// Whether it is taken on trust: a store may have stated it, or any transaction may have erased the customer.
    var isTrusted: Bool {
      if table == "erasures", column == "transaction_number" { return (1...lastTransaction).contains(value) }
      return table == "evidence" && (column == "revoked_at" || column == "variant" || (0..<40).contains(value))
    }

    /// Whether it is of a transaction, an entry, a lot or an order that there is not, so that an export leaves it out.
    var isBesideTheJournal: Bool {
      let columns = ["transaction_number", "entry", "lot", "number"]
      let isNew = value == 1 << 40 && !["lots", "entry_rows", "transaction_rows", "plain_transactions"].contains(table)
      return columns.contains(column) && (value < 1 || isNew)
    }

    var description: String { "a row of \(table) with \(column) = \(value)" }
  }

  private let time = ManualClock()
  private var directory: TemporaryDirectory?

  func testVerifyNamesEveryRowThatNothingLeadsTo() throws {
    let original = try original()
    let unseen = try Tier.current.items(150, of: cases(original)).filter { orphan in
      guard !orphan.isTrusted else { return false }
      guard try isInserted(orphan, original) else { return false }
      return try problems().isEmpty
    }
    XCTAssertEqual(unseen.map(\.description), [])
  }

  func testNoCommandOfOthersFails() throws {
    let original = try original()
    let cases = try cases(original)
    for orphan in cases.filter(\.isInTheWay) + Tier.current.items(60, of: cases.filter { !$0.isInTheWay }) {
      // A customer's own list, where the row is of this customer.
      if orphan.table.hasPrefix("customer_lists"), orphan.column == "customer" { continue }
      guard try isInserted(orphan, original) else { continue }
      for failure in try failures() { XCTFail("\(orphan): \(failure)") }
    }
  }

  /// What the page tells to do.
  func testAnExportLeavesThemOut() throws {
    let original = try original()
    var kept: [String] = []
    for orphan in try Tier.current.items(60, of: cases(original).filter(\.isBesideTheJournal)) {
      guard try isInserted(orphan, original) else { continue }
      do {
        let ledger = try Ledger.openSQLite(at: damaged(), clock: time.clock)
        defer { ledger.close() }
        let lines = Gathered()
        _ = try ledger.export { (bytes) throws(LedgerError) in lines.append(bytes) }
        let problems = try Ledger.inMemory(importing: lines.bytes, clock: time.clock).verify().problems
        if let first = problems.first { kept.append("\(orphan): \(first)") }
      } catch {
        kept.append("\(orphan): \(error)")
      }
    }
    XCTAssertEqual(kept, [])
  }

  // MARK: Cases

  private func cases(_ original: String) throws -> [Case] {
    let raw = try RawSQLite(original)
    func end(_ column: String, _ table: String) -> Int64 {
      raw.rows("SELECT max(\(column)) FROM \(table)").first.flatMap { Int64($0) } ?? 0
    }
    // The numbers that the next commands give to rows.
    let ends = [
      end("number", "all_transactions"), end("number", "all_entries"), end("lot", "lot_attributes"),
      end("customer", "customers"),
    ]
    let count: Int64 = 8
    var cases: [Case] = []
    for table in raw.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    where !Self.free.contains(table) {
      for column in raw.rows("SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0 AND type = 'INTEGER'") {
        let next = (ends + [end(column, table)]).flatMap { ($0 + 1)...($0 + count) }
        cases += (Set(next).sorted() + [0, -3, 1 << 40]).map {
          Case(table: table, column: column, value: $0, lastTransaction: ends[0])
        }
      }
    }
    XCTAssertGreaterThan(cases.count, 100)
    return cases
  }

  /// Makes a fresh copy of the file with the row.
  ///
  /// - Returns: Whether the table takes it; a number may be of a row that is there.
  private func isInserted(_ orphan: Case, _ original: String) throws -> Bool {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: damaged() + suffix) }
    try FileManager.default.copyItem(atPath: original, toPath: damaged())
    let raw = try RawSQLite(damaged())
    let triggers = raw.rows("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
    raw.disarm()
    defer { for trigger in triggers { XCTAssertNil(raw.run(trigger)) } }
    let columns = raw.rows("SELECT name FROM pragma_table_info('\(orphan.table)')")
    // A run that begins with a transaction of another run does not lead to nothing.
    if orphan.table == "entry_runs", raw.rows("SELECT number FROM plain_transactions").contains("\(orphan.value)") {
      return false
    }
    let unique = ["code", "document", "store_transaction"]
    let values = columns.map { column in
      if column == orphan.column { return "\(orphan.value)" }
      // Each run begins with another entry.
      if orphan.table == "entry_runs" { return "max(1, \(orphan.value))" }
      return unique.contains(column) && orphan.table != "catalog" ? "\(column) || 'x'" : column
    }
    return raw.run(
      """
      INSERT INTO \(orphan.table) (\(columns.joined(separator: ", ")))
      SELECT \(values.joined(separator: ", ")) FROM \(orphan.table) ORDER BY \(orphan.column) DESC LIMIT 1
      """) == nil && !raw.rows("SELECT changes()").elementsEqual(["0"])
  }

  private func damaged() throws -> String { try XCTUnwrap(directory).path("damaged.sqlite") }

  // MARK: The ledger

  private func original() throws -> String {
    let made = try TemporaryDirectory()
    directory = made
    let path = made.path("original.sqlite")
    try RichJournal.fill(SeededRandom(seed: 11), time) {
      try Ledger.createSQLite(at: path, clock: $0, salt: 1)
    } open: {
      try Ledger.openSQLite(at: path, clock: $0)
    }
    return path
  }

  private func problems() throws -> [Verification.Problem] {
    let ledger = try Ledger.openSQLite(at: damaged(), clock: time.clock)
    defer { ledger.close() }
    return try ledger.verify().problems
  }

  /// Books a customer's whole story, and reads the lists of all customers.
  private func failures() throws -> [String] {
    let ledger = try Ledger.openSQLite(at: damaged(), clock: time.clock)
    defer { ledger.close() }
    let (nora, otto) = (try Make.customer("nora"), try Make.customer("otto"))
    func reason(_ text: String) throws -> CommandDetails { CommandDetails(reason: try Reason(text)) }
    var failures: [String] = []
    func attempt(_ name: String, _ body: () throws -> Void) {
      do { try body() } catch { failures.append("\(name): \(error)") }
    }
    attempt("create") {
      for customer in [nora, otto] { try ledger.createCustomer(customer) }
    }
    attempt("grant") { try ledger.book(.grant([Make.amount("GEM", 10)], customer: nora, details: reason("a gift"))) }
    attempt("purchase") { try ledger.creditPurchase(Make.purchase("nora-1"), customer: nora) }
    attempt("second purchase") { try ledger.creditPurchase(Make.purchase("nora-2"), customer: nora) }
    attempt("spend") {
      let details = try reason("a sword")
      try ledger.book(.spend([Make.amount("GEM", 1500)], customer: nora, key: Make.key("s"), details: details))
    }
    attempt("hold") {
      let hold = try ledger.hold([Make.amount("GEM", 100)], customer: nora, for: .seconds(60))
      try ledger.capture(HoldID(XCTUnwrap(hold.transactionID)), amounts: [Make.amount("GEM", 10)])
    }
    attempt("transfer") { try ledger.transfer([Make.amount("GEM", 5)], from: nora, to: otto) }
    attempt("order") { try ledger.book(.openOrder(RichJournal.opening("NORA-1", key: "order"), customer: nora)) }
    attempt("item") { try ledger.book(.buyItem("extra_life", customer: "nora")) }
    attempt("refund") { try ledger.refund(Make.refund("nora-2")) }
    attempt("alias") { try ledger.createAlias(Make.customer("nori"), of: nora) }
    attempt("merge") { try ledger.merge(from: otto, into: nora) }
    attempt("history") { _ = try ledger.history(of: nora, limit: 100) }
    attempt("orders") {
      for state in [LedgerOrder.State.pending, .deliveryPending, .failed] {
        _ = try ledger.view { (view) throws(LedgerError) in
          try view.orders.orders(state, after: OrderPosition(dueAt: .min, number: 0), dueUntil: time.now, limit: 100)
        }
      }
    }
    attempt("sweep") { try ledger.sweep() }
    attempt("freeze") { try ledger.freeze(nora, reason: Reason("because")) }
    attempt("erase") { try ledger.erase(nora) }
    return failures
  }
}
