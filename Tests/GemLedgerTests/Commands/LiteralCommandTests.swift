import GemLedger
import XCTest

/// Commands with ids, codes and keys as texts are those with checked values; a wrong text is an error, and no trap.
final class LiteralCommandTests: XCTestCase {
  private func ledger() throws -> Ledger {
    let catalog = """
      {"currencies": [{"code": "GEM", "name": "Gems"}, {"code": "COIN", "name": "Coins"}],
       "items": [{"id": "extra_life", "name": "Extra life", "price": {"GEM": 50}}]}
      """
    let ledger = Ledger.inMemory()
    try ledger.apply(try Catalog.load(Array(catalog.utf8)))
    return ledger
  }

  func testADayInTexts() throws {
    let ledger = try ledger()
    try ledger.book(.grant(["GEM": 300, "COIN": 10], customer: "alice", key: "grant-1"))
    try ledger.book(.createCustomer("bob"))
    for _ in 0..<2 { try ledger.book(.spend(["GEM": 50], customer: "alice", key: "tap-1")) }
    try ledger.book(.buyItem("extra_life", customer: "alice", key: "tap-2"))
    try ledger.book(.adjust(["GEM": -20, "COIN": 5], customer: "alice"))
    try ledger.book(.transfer(["COIN": 15], from: "alice", to: "bob", key: "gift-1"))
    try ledger.book(.hold(["GEM": 100], customer: "alice", for: .seconds(60), key: "hold-1"))
    XCTAssertEqual(try ledger.balance(of: "GEM", customer: "alice").balance, 180)
    XCTAssertEqual(try ledger.balance(of: "GEM", customer: "alice").available, 80)
    XCTAssertEqual(try ledger.balance(of: "COIN", customer: "bob").balance, 15)
    // The same command in checked values has the same fingerprint.
    let again = try ledger.book(
      .spend([Adjustment(CurrencyCode("GEM"), 50)], customer: CustomerID("alice"), key: IdempotencyKey("tap-1")))
    XCTAssertTrue(again.isReplayed)
  }

  func testWrongTextsAreTheErrorsOfCheckedValues() throws {
    let ledger = try ledger()
    try ledger.book(.grant(["GEM": 300], customer: "alice"))
    let long = String(repeating: "k", count: 256)
    let wrong: [(line: UInt, code: LedgerError.Code, call: () throws -> Void)] = [
      (#line, .invalidIdentifier, { try ledger.book(.spend(["G E M": 1], customer: "alice")) }),
      (#line, .invalidIdentifier, { try ledger.book(.spend(["": 1], customer: "alice")) }),
      (#line, .invalidIdentifier, { try ledger.book(.spend(["GEM": 1], customer: "")) }),
      (#line, .invalidIdentifier, { try ledger.book(.spend(["GEM": 1], customer: "alice", key: long)) }),
      (#line, .invalidIdentifier, { try ledger.book(.grant(["GEM": 1], customer: "a\u{0}", key: "k")) }),
      (#line, .invalidIdentifier, { try ledger.book(.buyItem("", customer: "alice")) }),
      (#line, .invalidIdentifier, { try ledger.book(.createCustomer("")) }),
      (#line, .invalidIdentifier, { try ledger.book(.hold(["GEM": 1], customer: "alice", key: "")) }),
      (#line, .invalidIdentifier, { try ledger.book(.transfer(["GEM": 1], from: "alice", to: "\n")) }),
      (#line, .invalidIdentifier, { _ = try ledger.balance(of: "GEMS AND MORE", customer: "alice") }),
      (#line, .invalidRequest, { try ledger.book(.spend(["GEM": 1, "GEM": 2], customer: "alice")) }),
      (#line, .invalidRequest, { try ledger.book(.spend([:], customer: "alice")) }),
      (#line, .amountOutOfRange, { try ledger.book(.spend(["GEM": 0], customer: "alice")) }),
      (#line, .amountOutOfRange, { try ledger.book(.spend(["GEM": -5], customer: "alice")) }),
      (#line, .amountOutOfRange, { try ledger.book(.grant(["GEM": .max], customer: "alice")) }),
      (#line, .amountOutOfRange, { try ledger.book(.adjust(["GEM": .min], customer: "alice")) }),
      (#line, .unknownCurrency, { try ledger.book(.spend(["RUBY": 1], customer: "alice")) }),
      (#line, .customerNotFound, { try ledger.book(.spend(["GEM": 1], customer: "nobody")) }),
      (#line, .itemNotFound, { try ledger.book(.buyItem("no_such_item", customer: "alice")) }),
      (#line, .insufficientBalance, { try ledger.book(.spend(["GEM": 301], customer: "alice")) }),
    ]
    for row in wrong {
      XCTAssertThrowsError(try row.call(), line: row.line) { error in
        XCTAssertEqual((error as? LedgerError)?.code, row.code, "\(error)", line: row.line)
      }
    }
    XCTAssertEqual(try ledger.balance(of: "GEM", customer: "alice").balance, 300)
  }
}
