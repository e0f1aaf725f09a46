import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// Orders, account tokens and entitlements in a file.
final class SQLiteOrderTests: XCTestCase {
  private let time = ManualClock()

  func testMeetsOrderContract() throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try OrderContract(
      make: { clock in
        count += 1
        return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
      },
      reopen: { ledger, clock in
        ledger.close()
        return try Ledger.openSQLite(at: directory.path("\(count).sqlite"), clock: clock)
      }
    ).runAll()
  }

  func testAPurchaseLeavesItsEntitlement() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    XCTAssertEqual(try RawSQLite(path).rows("SELECT purchase, holder FROM entitlements"), ["2|1"])
  }

  func testTheFileKeepsWhatOrdersAnnounced() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    try makeLedger(path)
    let raw = try RawSQLite(path)
    for column in ["number", "code", "store", "product", "quantity", "request", "key", "created_at", "deadline"] {
      XCTAssertEqual(
        raw.run("UPDATE orders SET \(column) = \(column)"), "what an order announced never changes", column)
    }
    XCTAssertEqual(raw.run("UPDATE orders SET purchase = 9 WHERE code = 'A1'"), "an order is paid for once")
    XCTAssertEqual(raw.run("DELETE FROM orders"), "orders are kept")
    XCTAssertNotNil(raw.run("UPDATE orders SET state = 2 WHERE code = 'A2'"), "success without a purchase")
  }

  func testVerifyNamesTheBrokenEquation() throws {
    let rows: [(line: UInt, damage: String, equation: String)] = [
      (#line, "UPDATE orders SET customer = 99 WHERE code = 'A1'", "orders_have_customers"),
      (#line, "UPDATE orders SET state = 1 WHERE code = 'A1'", "orders_have_purchases"),
      (#line, "UPDATE orders SET purchase = NULL WHERE code = 'A1'", "orders_have_purchases"),
      (#line, "UPDATE orders SET state = 4 WHERE code = 'A2'", "orders_have_purchases"),
      (#line, "UPDATE orders SET purchase = 99 WHERE code = 'A1'", "orders_have_purchases"),
      (#line, "UPDATE orders SET quantity = 2 WHERE code = 'A1'", "orders_have_purchases"),
      (#line, "DELETE FROM entitlements", "entitlements_have_holders"),
      (#line, "INSERT INTO entitlements VALUES (1, 1)", "entitlements_have_holders"),
      (#line, "UPDATE entitlements SET holder = 99", "entitlements_have_holders"),
    ]
    for row in rows {
      let directory = try TemporaryDirectory()
      let path = directory.path("it.sqlite")
      try makeLedger(path)
      let raw = try RawSQLite(path)
      raw.disarm()
      XCTAssertNil(raw.run(row.damage), row.damage, line: row.line)
      let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
      let found = Set(try ledger.verify().problems.map(\.equation))
      XCTAssertTrue(found.contains(row.equation), "\(row.damage): found \(found.sorted())", line: row.line)
      ledger.close()
    }
  }

  /// A closed ledger with an order that was paid for, one that was not, and an entitlement.
  private func makeLedger(_ path: String) throws {
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    let (gem, gems, alice) = (try CurrencyCode("GEM"), try ProductCode("gems_1200"), try Make.customer("alice"))
    try ledger.apply(
      Catalog(
        currencies: [Currency(code: gem, name: "Gems")],
        products: [
          Product(code: gems, type: .consumable, grants: [Grant(currency: gem, amount: 1200)]),
          Product(code: ProductCode("premium"), type: .nonConsumable, entitlement: "premium"),
        ]))
    for code in ["A1", "A2"] {
      let opening = OrderOpening(
        code: try PurchaseCode(code), store: .apple, product: gems, quantity: 1, request: "{}",
        key: try Make.key(code), lifetimeMilliseconds: 1000, paidBy: nil)
      try ledger.book(.openOrder(opening, customer: alice))
    }
    let completion = OrderCompletion(
      code: try PurchaseCode("A1"), purchase: try Make.purchase("t1"), retryAfterMilliseconds: nil)
    try ledger.book(.completeOrder(completion, customer: alice))
    try ledger.creditPurchase(Make.purchase("t2", product: "premium"), customer: alice)
    ledger.close()
  }
}
