import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Damaged rows fail the commands that come upon them, and no other command of their group.
///
/// Customers 1 to 5 have 100 GEM each; the rows of number 3, carol, are damaged.
final class DamagedNeighboursTests: XCTestCase {
  private let names = ["alice", "bob", "carol", "dora", "eve"]
  private let time = ManualClock()
  private var made: TemporaryDirectory?

  private func directory() throws -> TemporaryDirectory {
    let directory = try made ?? TemporaryDirectory()
    made = directory
    return directory
  }

  /// Rows that are read while her command is decided.
  func testDamageThatIsReadFailsItsOwnCommandAlone() throws {
    for damage in [
      "UPDATE account_rows SET pool_remaining = 0 WHERE account = 3073",
      "UPDATE account_rows SET balance = 9223372036854775807 WHERE account = 3073",
    ] {
      try assertOthersAreBooked(after: damage)
    }
  }

  /// Rows that carol's booking meets when it is written: the failed write names no customer.
  func testDamageThatWritingMeetsFailsItsOwnCommandAlone() throws {
    try assertOthersAreBooked(
      after: "UPDATE account_rows SET version = 63 WHERE account = 3073; "
        + "INSERT INTO checkpoints VALUES (3073, 64, 1, 1, 1)"
    )
  }

  func testManyDamagedCommandsLeaveTheOthersBooked() throws {
    let ledger = try damagedLedger("UPDATE account_rows SET pool_remaining = 0 WHERE account = 3073")
    defer { ledger.close() }
    let commands = try (0..<200).map { try spend($0 % 2 == 0 ? "carol" : "bob", key: "k\($0)") }
    let answers = ledger.submit(commands)
    for (index, answer) in answers.enumerated() { assert(answer, isDamaged: index % 2 == 0, "\(index)") }
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("bob")).balance, 0)
  }

  /// A retry under the same key finds the earlier booking, and is refused again where there was none.
  func testARetryFindsWhatWasBooked() throws {
    let ledger = try damagedLedger("UPDATE account_rows SET pool_remaining = 0 WHERE account = 3073")
    defer { ledger.close() }
    let commands = try names.map { try spend($0, key: "k") }
    let first = ledger.submit(commands)
    let second = ledger.submit(commands)
    for (index, answer) in second.enumerated() {
      assert(answer, isDamaged: names[index] == "carol", names[index])
      XCTAssertEqual(try? answer.get().transactionID, try? first[index].get().transactionID)
      XCTAssertEqual((try? answer.get().isReplayed) ?? true, true)
    }
  }

  // MARK: Helpers

  private func assertOthersAreBooked(
    after damage: String, file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let ledger = try damagedLedger(damage)
    defer { ledger.close() }
    let answers = ledger.submit(try names.map { try spend($0, key: "k") })
    for (name, answer) in zip(names, answers) {
      assert(answer, isDamaged: name == "carol", "\(damage): \(name)", file: file, line: line)
      guard name != "carol" else { continue }
      let balance = try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer(name)).balance
      XCTAssertEqual(balance, 99, "\(damage): \(name)", file: file, line: line)
    }
  }

  private func assert(
    _ answer: Result<Booking, LedgerError>, isDamaged: Bool, _ message: String, file: StaticString = #filePath,
    line: UInt = #line
  ) {
    switch answer {
    case .success: XCTAssertFalse(isDamaged, message, file: file, line: line)
    case .failure(let error):
      XCTAssertTrue(isDamaged, "\(message): \(error)", file: file, line: line)
      XCTAssertEqual(error.code, .storageDamaged, message, file: file, line: line)
    }
  }

  private func spend(_ name: String, key: String) throws -> LedgerCommand {
    .adjust([try Make.amount("GEM", -1)], customer: try Make.customer(name), key: try Make.key(key))
  }

  private func damagedLedger(_ damage: String, file: StaticString = #filePath, line: UInt = #line) throws -> Ledger {
    let path = try directory().path("\(UUID()).sqlite")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    for name in names { try ledger.grant([Make.amount("GEM", 100)], customer: Make.customer(name)) }
    ledger.close()
    let raw = try RawSQLite(path)
    raw.disarm()
    XCTAssertNil(raw.run(damage), damage, file: file, line: line)
    return try Ledger.openSQLite(at: path, clock: time.clock)
  }
}
