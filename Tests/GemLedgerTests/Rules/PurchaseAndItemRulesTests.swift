import GemTestSupport
import XCTest

@testable import GemLedger

final class PurchaseAndItemRulesTests: XCTestCase {
  func testSharesOfAPriceAddUp() throws {
    let catalog = try Make.catalog()
    let bundle = try XCTUnwrap(catalog.product(ProductCode("bundle")))
    for units in [0, 1, 2, 99, 999, 1000, .max, -1, -3, .min] as [Int64] {
      let purchase = try Make.purchase("t", product: "bundle", price: Money(minorUnits: units, currency: "USD"))
      let lots = try PurchaseRules.credits(of: bundle, for: purchase, number: 1, environment: 1).flatMap(\.1)
      let shares = lots.compactMap(\.price?.minorUnits)
      XCTAssertEqual(shares.count, 2)
      XCTAssertEqual(shares.reduce(0, +), units)
      XCTAssertTrue(lots.allSatisfy { ($0.source == .paid) == ($0.price != nil) })
    }
    let free = try Make.purchase("t", product: "bundle", price: nil)
    XCTAssertTrue(
      try PurchaseRules.credits(of: bundle, for: free, number: 1, environment: 1).flatMap(\.1).allSatisfy {
        $0.price == nil
      })
  }

  func testAGrantIsAmountTimesQuantity() throws {
    let most = Limits.amount
    let rows: [(line: UInt, amount: Int64, bonus: Int64, quantity: Int64, lots: [Int64]?)] = [
      (#line, 100, 20, 1, [100, 20]), (#line, 100, 20, 3, [300, 60]), (#line, 100, 0, 1_000_000, [100_000_000]),
      (#line, 0, 5, 2, [10]), (#line, most, 0, 1, [most]), (#line, most, 0, 2, nil), (#line, 1, most, 2, nil),
      (#line, most / 1_000_000 + 1, 0, 1_000_000, nil), (#line, .max, 0, 2, nil),
    ]
    for row in rows {
      var product = try XCTUnwrap(try Make.catalog().product(ProductCode("gems_1200")))
      product = try product.granting([Grant(currency: CurrencyCode("GEM"), amount: row.amount, bonus: row.bonus)])
      let purchase = try Make.purchase("t", quantity: row.quantity)
      if let lots = row.lots {
        let credits = try PurchaseRules.credits(of: product, for: purchase, number: 1, environment: 1)
        XCTAssertEqual(credits.flatMap { $0.1.map(\.amount) }, lots, line: row.line)
      } else {
        assertRefused(.amountOutOfRange, line: row.line) {
          try PurchaseRules.credits(of: product, for: purchase, number: 1, environment: 1)
        }
      }
    }
  }

  func testItemsHavePricesAndLimits() throws {
    let sword = try XCTUnwrap(try Make.catalog().item(ItemID("sword")))
    XCTAssertEqual(try ItemRules.price(of: sword, quantity: 3).map(\.amount), [-30, -300])
    let dear = Item(
      id: try ItemID("dear"), name: "Dear",
      price: [CurrencyAmount(currency: try CurrencyCode("GEM"), amount: Limits.amount)])
    XCTAssertEqual(try ItemRules.price(of: dear, quantity: 1).map(\.amount), [-Limits.amount])
    for quantity in [2, Limits.quantity, .max] as [Int64] {
      assertRefused(.amountOutOfRange) { try ItemRules.price(of: dear, quantity: quantity) }
    }
    let now = Timestamp(milliseconds: 0)
    for (owned, quantity, isRefused) in [(0, 3, false), (0, 4, true), (2, 1, false), (3, 1, true), (9, 1, true)] {
      assertOutcome(isRefused ? .limitReached : nil) {
        try ItemRules.check(sword, quantity: Int64(quantity), owned: Int64(owned), now: now)
      }
    }
    let medal = try XCTUnwrap(try Make.catalog().item(ItemID("medal")))
    assertRefused(.notAvailable) { try ItemRules.check(medal, quantity: 1, owned: 0, now: now) }
  }
}

extension Product {
  /// The same product with other grants, unchecked.
  fileprivate func granting(_ grants: [Grant]) throws -> Product {
    Product(code: code, storeIDs: storeIDs, type: type, grants: grants)
  }
}
