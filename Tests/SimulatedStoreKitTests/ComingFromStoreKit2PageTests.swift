import GemLedger
import SimulatedStoreKit
import SimulatedStores
import StoreBackend
import StoreTestSupport
import XCTest

import struct SimulatedStoreKit.Product

/// The page *Coming from plain StoreKit 2*: its lines compile, its symbols exist.
@MainActor
final class ComingFromStoreKit2PageTests: XCTestCase {
  private static let pagePath = "Sources/SimulatedStoreKit/SimulatedStoreKit.docc/ComingFromStoreKit2.md"

  private func page() throws -> String {
    try String(contentsOf: ShopFixture.top.appendingPathComponent(Self.pagePath), encoding: .utf8)
  }

  func testABackendThatVerifiesTheReceipts() async throws {
    let file = ShopFixture.gemsFile
    let ledger = Ledger.inMemory()
    try ledger.apply(ShopFixture.gemsCatalog())
    let session = try SKTestSession(contentsOf: file, bundleID: "com.example.gems")
    let backend = LocalBackend(ledger: ledger, verifier: try XCTUnwrap(session.receipts))
    let bought = try await ShopFixture.product("gems_300").purchase()
    guard case .success(let verification) = bought else { return XCTFail("not bought") }
    let alice = try CustomerID("alice")
    _ = try await backend.post(
      ReceiptPost(receipt: StoreReceipt(verification.jwsRepresentation), customer: alice, source: .purchase))
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 300)
  }

  func testKeptState() async throws {
    let configuration = try StoreKitConfiguration.load(Array(Data(contentsOf: ShopFixture.gemsFile)))
    let receipts = try UnsignedReceipts(session: "kept")
    let eventLog = RetainedEventLog()
    let store = try SimulatedStore(storeKit: configuration, session: "kept", signer: receipts, eventLog: eventLog)
    let session = SKTestSession(device: store.account("alice").device("phone"))
    try await session.buyProduct(identifier: "gems_300")
    session.relaunchApp()
    let unfinished = await Transaction.unfinished.collect()
    XCTAssertEqual(unfinished.count, 1)
  }

  /// The test of the start and the view model are files of these tests, byte for byte.
  func testThePageShowsFilesOfTheseTests() throws {
    for name in ["GemPackTests", "GemShop"] {
      let file = ShopFixture.top.appendingPathComponent("Tests/SimulatedStoreKitTests/\(name).swift")
      XCTAssertTrue(try page().contains("```swift\n" + String(contentsOf: file, encoding: .utf8) + "```"), name)
    }
  }

  func testEverySymbolOfTheTableCompiles() async throws {
    let session = try ShopFixture.gemsSession()
    let product = try await ShopFixture.product("gems_300")
    let transaction = try await session.buyProduct(identifier: "gems_300")
    let table = SymbolTable(
      session: session, product: product, transaction: transaction, result: .verified(transaction))
    let compiled = [table.products, table.subscriptions, table.transactions, table.sessions, table.testTypes]
      .flatMap(\.keys)
    let rows = try page().components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
    let named = rows.flatMap { row in
      let cell = row.components(separatedBy: " | ")[0]
      return cell.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }
    XCTAssertEqual(named.count, Set(named).count, "a symbol has two rows")
    XCTAssertEqual(Set(named).subtracting(compiled).sorted(), [], "named and not compiled")
    XCTAssertEqual(Set(compiled).subtracting(named).sorted(), [], "compiled and not named")
    for row in rows { XCTAssertEqual(row.components(separatedBy: " | ").count, 3, row) }
  }
}
