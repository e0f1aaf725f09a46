import GemLedger
import SimulatedStores
import StoreClientFoundation
import StoreTestSupport
import XCTest

@testable import PageSnippets

/// The snippets of a two-step SDK's page run as they stand, dictionaries included.
@MainActor
final class TwoStepSnippetsTests: XCTestCase {
  // What another test of this process printed is none of these tests' lines.
  override func setUp() async throws { _ = Console.take() }

  override func tearDown() async throws { SnippetWorld.close() }

  private func open() throws -> StoreSandbox {
    let catalog = """
      {
        "currencies": [{"code": "GEM", "name": "Gems"}],
        "products": [
          {"code": "pack_001", "store_ids": {"apple": "com.yourgame.pack_001"}, "type": "consumable",
           "localizations": [{"locale": "vi_VN", "title": "100 Gems"}], "prices": {"VNM": "22000", "USA": "0.99"},
           "grants": [{"currency": "GEM", "amount": 100}], "item_grants": [{"item": "hat", "quantity": 2}]}
        ],
        "offerings": [{"id": "gems", "packages": [{"id": "small", "product": "pack_001"}]}],
        "items": [{"id": "hat", "name": "Hat", "price": {"GEM": 50}}]
      }
      """
    let sandbox = try SnippetWorld.open(try Catalog.load(Array(catalog.utf8)))
    sandbox.store.storefront = try XCTUnwrap(StorefrontCode(exactly: "VNM"))
    return sandbox
  }

  func testTheCatalogIsPrinted() async throws {
    let snippets = TwoStepSnippets()
    snippets.showCatalog()
    XCTAssertEqual(Console.take(), [], "there is no client before the app configures one")
    XCTAssertNil(SDKManager.default())
    _ = try open()
    SDKManager.configure(withAPIKey: "appl_key")
    snippets.showCatalog()
    var lines: [String] = []
    try await until {
      lines += Console.take()
      return !lines.isEmpty
    }
    XCTAssertEqual(lines, ["com.yourgame.pack_001100 Gems22000.0 VND2 items"])
  }

  func testAPackIsBoughtAndListed() async throws {
    let sandbox = try open()
    SDKManager.configure(withAPIKey: "appl_key")
    let snippets = TwoStepSnippets()
    snippets.buy()
    try await until { snippets.refreshCount == 1 }
    XCTAssertEqual(Console.take(), [])
    let order = try await Purchases.shared.orders()
    XCTAssertEqual(order.map(\.status), [.success])
    XCTAssertEqual(order.first?.request.price, Money(minorUnits: 22000, currency: "VND"))

    snippets.showHistory()
    var lines: [String] = []
    try await until {
      lines += Console.take()
      return !lines.isEmpty
    }
    let code = try XCTUnwrap(order.first?.code)
    let time = try XCTUnwrap(order.first?.createdAt)
    XCTAssertEqual(lines, ["\(code)com.yourgame.pack_00122000.0 VND — success\(time)"])

    sandbox.store.failTransactionsEnabled = true
    snippets.buy()
    try await until {
      lines += Console.take()
      return lines.count == 2
    }
    XCTAssertEqual(lines.last, "Purchase failed: The store could not complete the request. Try again later.")
    XCTAssertEqual(snippets.refreshCount, 1)
  }

  func testAnotherPriceThanTheCatalogsIsRefusedBeforeThePayment() async throws {
    let sandbox = try open()
    let client = SDKManager.configure(withAPIKey: "appl_key")
    let wrong: [(line: UInt, id: String, amount: Double, code: LedgerError.Code)] = [
      (#line, "com.yourgame.pack_001", 21000, .amountMismatch), (#line, "pack_001", 22000.5, .amountOutOfRange),
      (#line, "pack_001", .nan, .amountOutOfRange), (#line, "pack_001", .infinity, .amountOutOfRange),
      (#line, "pack_001", 1e300, .amountOutOfRange), (#line, "pack_001", -22000, .amountMismatch),
      (#line, "no_such_pack", 22000, .productNotFound),
    ]
    for row in wrong {
      var answers: [LedgerError.Code?] = []
      client.purchasePackage(
        withProductId: row.id, productName: "", amount: row.amount, parentController: nil,
        completion: { status, error in
          XCTAssertFalse(status, line: row.line)
          answers.append(error?.code)
        })
      try await until { !answers.isEmpty }
      XCTAssertEqual(answers, [row.code], line: row.line)
    }
    XCTAssertEqual(sandbox.store.allTransactions().count, 0)
  }

  func testTheFieldsOfTheDictionaries() async throws {
    let sandbox = try open()
    sandbox.store.storefront = .unitedStates
    let client = SDKManager.configure(withAPIKey: "appl_key")
    let catalog = try await client.getProductCatalog()
    let product = try XCTUnwrap(catalog.first)
    XCTAssertEqual(product["price"] as? Double, 0.99)
    XCTAssertEqual(product["code"] as? String, "pack_001")
    XCTAssertEqual(product["isActive"] as? Bool, true)
    XCTAssertNil(product["discountPrice"])
    XCTAssertNil(product["sortOrder"])
    let items = try XCTUnwrap(product["items"] as? [[String: Any]])
    XCTAssertEqual(items.map { $0["itemId"] as? String }, ["GEM", "hat"])
    XCTAssertEqual(items.map { $0["quantity"] as? Int }, [100, 2])
    let order = PurchaseOrder(
      productID: "pack_001", context: OrderContext(gameID: "game", roleID: "char-12345", serverID: "server-01"))
    try await client.purchase(order: order)
    let history = try await client.listSuccessfulTransactions(atPage: 1, size: 20)
    let bought = try XCTUnwrap(history.first)
    let texts: [(field: String, value: String?)] = [
      ("type", "APPLE"), ("roleId", "char-12345"), ("serverGameId", "server-01"), ("gameId", "game"),
      ("rechargeType", nil), ("paymentStatus", "success"), ("currency", "USD"), ("productId", "com.yourgame.pack_001"),
      ("transactionId", bought.storeTransactionID.text), ("originalTransactionId", bought.storeTransactionID.text),
      ("no such field", nil),
    ]
    for (field, value) in texts { XCTAssertEqual(bought[field] as? String, value, field) }
    XCTAssertEqual(bought["amount"] as? Double, 0.99)
  }
}
