import GemLedger
import StoreClient
import XCTest

final class InstantStoreTests: XCTestCase {
  private let alice = CustomerID(unchecked: "alice")
  private let gems = ProductCode(unchecked: "gems")

  func testSellsAtTheCatalogsPriceTimesTheQuantity() throws {
    let purchase = try purchased(store().purchase(PurchaseRequest(product: gems, quantity: 3, buyer: alice)))
    XCTAssertEqual(purchase.price, Money(minorUnits: 2997, currency: "USD"))
    XCTAssertEqual(purchase.quantity, 3)
    XCTAssertEqual(purchase.store, .apple)
    XCTAssertEqual(purchase.environment, try .localTesting(session: "s"))
    XCTAssertEqual(purchase.purchasedAt, Timestamp(milliseconds: 1_800_000_000_000))
    XCTAssertTrue(purchase.transactionID.text.hasPrefix("01a3185c-5000-7"), purchase.transactionID.text)
  }

  func testEveryPurchaseIsAnotherOneUnlessItsKeyIsTheSame() throws {
    let store = try store()
    func id(_ request: PurchaseRequest) throws -> StoreTransactionID {
      try purchased(store.purchase(request)).transactionID
    }
    let plain = PurchaseRequest(product: gems, buyer: alice)
    XCTAssertNotEqual(try id(plain), try id(plain))
    var keyed = plain
    keyed.key = IdempotencyKey(unchecked: "tap-1")
    let first = try id(keyed)
    XCTAssertEqual(try id(keyed), first)
    var others = [keyed, keyed, keyed]
    others[0].quantity = 2
    others[1].buyer = CustomerID(unchecked: "bob")
    others[2].key = IdempotencyKey(unchecked: "tap-2")
    for other in others { XCTAssertNotEqual(try id(other), first) }
  }

  func testRefusesWhatItDoesNotSell() throws {
    let rows: [(line: UInt, product: String, quantity: Int64, code: LedgerError.Code, words: String)] = [
      (#line, "none", 1, .productNotFound, "none"),
      (#line, "retired", 1, .notAvailable, "not active"),
      (#line, "unlisted", 1, .notAvailable, "no id at apple"),
      (#line, "free", 1, .notAvailable, "no price in USA"),
      (#line, "gems", 0, .amountOutOfRange, "1 to 1000000"),
      (#line, "gems", 1_000_001, .amountOutOfRange, "1 to 1000000"),
    ]
    let store = try store()
    for row in rows {
      let request = PurchaseRequest(product: ProductCode(unchecked: row.product), quantity: row.quantity, buyer: alice)
      XCTAssertThrowsError(try store.purchase(request), line: row.line) { error in
        let error = error as? LedgerError
        XCTAssertEqual(error?.code, row.code, line: row.line)
        XCTAssertTrue(error?.message.contains(row.words) ?? false, error?.message ?? "", line: row.line)
      }
    }
  }

  func testListsWhatItSellsInTheOrderAskedFor() throws {
    let codes = ["retired", "gems", "none", "free"].map(ProductCode.init(unchecked:))
    XCTAssertEqual(try store().products(for: codes).map(\.code), [gems])
  }

  func testAPurchaseIsCreditedOnceAndFinishedAfterwards() async throws {
    let ledger = Ledger.inMemory()
    try ledger.apply(try ShopFixture.catalog())
    let flow = PurchaseFlow(store: try store(), ledger: ledger)
    let request = PurchaseRequest(
      product: gems, quantity: 2, buyer: alice, key: IdempotencyKey(unchecked: "tap-1"))
    for isReplayed in [false, true] {
      guard case .success(_, let receipt) = try await flow.buy(request) else { return XCTFail("not bought") }
      XCTAssertEqual(receipt.balance(try CurrencyCode("GEM")), 1000)
      XCTAssertEqual(receipt.isReplayed, isReplayed)
    }
  }

  private func store() throws -> InstantStore {
    let catalog = try ShopFixture.catalog()
    return try InstantStore(
      session: "s", clock: LedgerClock { Timestamp(milliseconds: 1_800_000_000_000) },
      product: { (code) throws(LedgerError) in
        guard let product = catalog.product(code) else {
          throw LedgerError(.productNotFound, "There is no product \"\(code)\".")
        }
        return product
      })
  }

  private func purchased(_ result: StoreResult) throws -> StorePurchase {
    guard case .purchased(let purchase) = result else {
      XCTFail("not purchased: \(result)")
      throw LedgerError(.unexpected, "not purchased")
    }
    return purchase
  }
}
