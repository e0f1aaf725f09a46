import GemLedger
import GemLedgerArchive
import GemLedgerAudit
import GemTestSupport
import XCTest

/// Problems of an export are reported before any of it is written.
final class DamagedExportTests: XCTestCase {
  private func lines() throws -> [String] {
    let ledger = Ledger.inMemory(salt: 7)
    try ledger.apply(Make.catalog())
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    try ledger.creditPurchase(Make.purchase("one"), customer: alice, key: Make.key("k1"))
    try ledger.spend([Make.amount("GEM", 50)], customer: alice, key: Make.key("k2"))
    try ledger.refund(Make.refund("one"))
    try ledger.grant([Make.amount("GEM", 5)], customer: bob)
    try ledger.merge(from: bob, into: alice)
    return try Exported(ledger).lines
  }

  private func problems(_ lines: [String], file: StaticString = #filePath, line: UInt = #line) -> [String] {
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    let error = assertRefused(.invalidImport, file: file, line: line) { try Ledger.inMemory(importing: bytes) }
    return (error?.details ?? []).compactMap { detail in
      guard detail.name.hasPrefix("problems["), case .text(let text) = detail.value else { return nil }
      return text
    }
  }

  func testTheUndamagedExportIsTaken() throws {
    let bytes = Array(try lines().map { $0 + "\n" }.joined().utf8)
    XCTAssertTrue(try Ledger.inMemory(importing: bytes).verify().isOK)
  }

  func testEveryLineIsNeeded() throws {
    let lines = try lines()
    for index in lines.indices {
      var left = lines
      left.remove(at: index)
      XCTAssertFalse(problems(left).isEmpty, lines[index])
    }
  }

  func testEveryLineComesOnce() throws {
    let lines = try lines()
    for index in lines.indices {
      XCTAssertFalse(problems(Array(lines[...index] + lines[index...])).isEmpty, lines[index])
    }
  }

  /// A cut at any place, and any one byte that is another one.
  func testNoDamageIsOverlooked() throws {
    let bytes = Array(try lines().map { $0 + "\n" }.joined().utf8)
    for end in stride(from: 0, to: bytes.count - 1, by: 97) {
      assertRefused(.invalidImport) { try Ledger.inMemory(importing: Array(bytes[..<end])) }
    }
    var generator = SeededRandom()
    for _ in 0..<300 {
      var damaged = bytes
      let position = generator.below(damaged.count - 1)
      damaged[position] ^= UInt8(1 + generator.below(127))
      if damaged[position] == bytes[position] { continue }
      assertRefused(.invalidImport) { try Ledger.inMemory(importing: damaged) }
    }
  }

  func testProblemsAreListedWithTheirLines() throws {
    var lines = try lines()
    let spend = try XCTUnwrap(lines.firstIndex { $0.contains(#""kind":"spend""#) })
    let key = try XCTUnwrap(lines.firstIndex { $0.contains(#""key":"k1""#) })
    lines[spend] = lines[spend].replacing(#""amount":-50"#, with: #""amount":-50.0"#)
    lines[key] = lines[key].replacing(#""asked":""#, with: #""asked":"x"#)
    let found = problems(lines)
    XCTAssertEqual(
      found,
      [
        "Line \(spend + 1): \"amount\" is not a whole number.",
        "Line \(spend + 2): Transactions 2 to 2 are missing before transaction 3.",
        "Line \(key + 1): \"asked\" is not sixteen hexadecimal digits.",
      ])
  }

  func testManyProblemsAreCountedAndTheFirstListed() throws {
    let lines = try lines()
    let error = assertRefused(.invalidImport) {
      try Ledger.inMemory(
        importing: Array((lines.dropLast() + [String](repeating: "{", count: 500)).joined(separator: "\n").utf8))
    }
    XCTAssertEqual(error?.integer("problem_count"), 501)
    XCTAssertEqual(error?.details.count, 101)
    XCTAssertTrue(error?.message.hasSuffix("and 401 more") ?? false)
  }

  func testRowsForMessages() throws {
    let lines = try lines()
    func change(_ type: String, _ old: String, _ new: String) throws -> [String] {
      var changed = lines
      let index = try XCTUnwrap(lines.firstIndex { $0.contains(#""type":"\#(type)""#) && $0.contains(old) }, old)
      changed[index] = lines[index].replacing(old, with: new)
      return problems(changed)
    }
    let rows: [(line: UInt, type: String, old: String, new: String, message: String)] = [
      (#line, "header", "gemledger-journal", "other", "This is not the export of a ledger."),
      (
        #line, "header", #""format_version":3"#, #""format_version":4"#,
        "The export has format version 4; this program reads version 3."
      ),
      (
        #line, "header", #""format_version":3"#, #""format_version":2"#,
        "The export has format version 2; this program reads version 3."
      ),
      (#line, "customer", #""number":1"#, #""number":0"#, "\"number\" is 0, and must be at least 1."),
      (#line, "customer", #""number":1"#, #""numbers":1"#, "\"number\" is missing."),
      (#line, "transaction", #""kind":"spend""#, #""kind":"spent""#, "\"kind\" is \"spent\", which is unknown."),
      (
        #line, "transaction", #""currency":"GEM","amount":-50"#, #""currency":"GOLD","amount":-50"#,
        "The currency \"GOLD\" is not in the catalog."
      ),
      (#line, "transaction", #""lot":1}"#, #""lot":1,"odd":2}"#, "The field \"odd\" is unknown."),
      (#line, "key", #""type":"key""#, #""type":"keys""#, "\"keys\" is not a type of line."),
    ]
    for row in rows {
      let found = try change(row.type, row.old, row.new)
      XCTAssertTrue(found.first?.hasSuffix(": " + row.message) ?? false, "\(found)", line: row.line)
    }
  }

  /// A forged export with the right checksum still cannot make the books wrong.
  func testEntriesAreReplayed() throws {
    let lines = try lines()
    for (old, new) in [
      (#""amount":-50,"balance":1150,"lot":1"#, #""amount":-50,"balance":1151,"lot":1"#),
      (#""amount":-50,"balance":1150,"lot":1"#, #""amount":-50,"balance":1150,"lot":9"#),
      (#""amount":-50,"balance":1150,"lot":1"#, #""amount":-50,"balance":1150,"lots":[[1,-49]]"#),
    ] {
      var changed = lines
      let index = try XCTUnwrap(lines.firstIndex { $0.contains(old) })
      changed[index] = lines[index].replacing(old, with: new)
      var sum: UInt64 = 0
      for line in changed.dropLast() { sum &+= ExportWriter.hash(of: Array(line.utf8)[...]) }
      let last = try XCTUnwrap(changed.last)
      let digits = try XCTUnwrap(last.range(of: #""checksum":""#))
      changed[changed.count - 1] = last[..<digits.upperBound] + HexForm.hex(sum, digits: 16) + "\"}"
      XCTAssertTrue(problems(changed).first?.hasPrefix("Line \(index + 1): ") ?? false, new)
    }
  }
}
