package import GemLedger
internal import XCTest

/// The requirements on every kind of command; part of ``StorageContract``.
package struct CommandContract {
  private let make: (LedgerClock) throws -> Ledger
  private let time = ManualClock()

  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let ledger = try make(time.clock)
    try ledger.apply(Make.catalog())
    try Self.bookAll(in: ledger, at: time.now)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Books each command, for customers of its own.
  static func bookAll(in ledger: Ledger, at now: Timestamp) throws {
    for (index, row) in try CommandRow.all().enumerated() {
      let scene = try scene(Int64(index), in: ledger, at: now)
      try row.prepare(ledger, scene)
      try book(row, scene, in: ledger)
    }
  }

  private static func book(_ row: CommandRow, _ scene: CommandScene, in ledger: Ledger) throws {
    var command = try row.make(scene)
    if row.isKeyed { command.key = try Make.key("command \(scene.number)") }
    XCTAssertNil(try ledger.preview(command).transactionID, line: row.line)
    let booking = try ledger.book(command)
    if let kind = row.kind {
      XCTAssertEqual(booking.kind, kind, line: row.line)
      XCTAssertFalse(booking.isReplayed, line: row.line)
      XCTAssertNotNil(booking.transactionID, line: row.line)
    }
    guard row.isKeyed else { return }
    let again = try ledger.book(command)
    XCTAssertTrue(again.isReplayed, line: row.line)
    XCTAssertEqual(again.transactionID, booking.transactionID, line: row.line)
    XCTAssertEqual(again.entries, booking.entries, line: row.line)
    command.reference = try Reference("another request")
    assertRefused(.keyConflict, line: row.line) { try ledger.book(command) }
  }

  /// Two customers with currency, of whom one has spent and set aside some.
  private static func scene(_ number: Int64, in ledger: Ledger, at now: Timestamp) throws -> CommandScene {
    let (alice, bob) = (try Make.customer("alice \(number)"), try Make.customer("bob \(number)"))
    for customer in [alice, bob] {
      try ledger.grant([Make.amount("GEM", 1000), Make.amount("COIN", 1000)], customer: customer)
    }
    let spend = try ledger.spend([Make.amount("GEM", 50)], customer: alice)
    let hold = try ledger.hold([Make.amount("GEM", 50)], customer: alice)
    let digits = String(number, radix: 16)
    return CommandScene(
      alice: alice, bob: bob,
      guest: try Make.customer("$RCAnonymousID:" + String(repeating: "0", count: 32 - digits.count) + digits),
      spend: try XCTUnwrap(spend.transactionID), hold: try XCTUnwrap(hold.hold?.id), item: try ItemID("extra_life"),
      later: now.advanced(by: .seconds(86_400)), word: "command-\(number)", number: number)
  }
}
