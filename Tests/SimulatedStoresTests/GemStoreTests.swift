import GemLedger
import GemLedgerAudit
import SimulatedStores
import StoreBackend
import StoreClient
import XCTest

final class GemStoreTests: XCTestCase {
  func testGemsSurviveRefundsLostAnswersAndKills() async throws {
    let gem = try CurrencyCode("GEM")
    let usa = StorefrontCode.unitedStates
    let pack = Product(
      code: try ProductCode("gems_1200"), storeIDs: ["apple": "gems_1200"], type: .consumable,
      localizations: [Localization(locale: "en_US", title: "1,200 Gems")],
      prices: [usa: try Price("9.99", in: usa.currency)], grants: [Grant(currency: gem, amount: 1200)])
    let catalog = try Catalog(currencies: [Currency(code: gem, name: "Gems")], products: [pack])

    // A clock that you move, a store that misbehaves on command, and the side that credits.
    let clock = VirtualClock()
    let receipts = try UnsignedReceipts(session: "test")
    let store = try SimulatedStore(catalog: catalog, session: "test", clock: clock, signer: receipts)
    let phone = store.account("family").device("phone")
    let ledger = Ledger.inMemory(clock: clock.ledgerClock)
    try ledger.apply(catalog)
    let server = LocalBackend(ledger: ledger, verifier: receipts)
    let network = FaultyBackend(server)
    let kept = MemoryEventLog()  // What the app keeps on the device; in an app, FileEventLog(path:).

    func launch() throws -> StoreClient {
      phone.relaunch()
      var configuration = StoreClient.Configuration(
        apiKey: "test_key", appUserID: "player-4f1c9a7e", mode: .payment(network), storefront: phone, eventLog: kept)
      configuration.clock = clock.storeClock
      configuration.isAutomatic = false  // The test says when.
      return try StoreClient(configuration: configuration)
    }

    // Paid for, credited, and only then finished at the store.
    var app = try launch()
    let bought = try await app.outcome(ofPurchasing: "gems_1200")
    var balance = try await app.virtualCurrencies()["GEM"]?.balance
    XCTAssertEqual(balance, 1200)

    // The store gives the money back and tells the server; the app only has to ask again.
    clock.advance(by: .seconds(60))
    try store.refundTransaction(identifier: XCTUnwrap(bought.storeTransactionID))
    for case .refunded(let evidence) in try store.takeNotices() { try await server.apply(evidence.transaction) }
    app.invalidateVirtualCurrenciesCache()
    balance = try await app.virtualCurrencies()["GEM"]?.balance
    XCTAssertEqual(balance, 0)

    // Paid for and credited, but the answer is lost: the app is told that the purchase waits.
    network.fail(.post, with: .networkLostAfterEffect)
    let waiting = try await app.purchase(try ProductCode("gems_1200"))
    XCTAssertEqual(waiting, .pendingServerValidation)

    // Killed, and started again: the gems are there, once.
    app = try launch()
    await app.syncPurchases()
    balance = try await app.virtualCurrencies()["GEM"]?.balance
    XCTAssertEqual(balance, 1200)
    let pending = await app.pendingReceiptCount
    XCTAssertEqual(pending, 0)
    XCTAssertTrue(try ledger.verify().isOK)
  }
}
