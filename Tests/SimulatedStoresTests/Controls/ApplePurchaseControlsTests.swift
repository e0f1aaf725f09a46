import Foundation
import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// The switches that decide how a purchase goes, as a client's user sees them.
final class ApplePurchaseControlsTests: XCTestCase {
  func testAskToBuyIsPendingAndCreditedOnceAgreedTo() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    let listener = await PurchaseListener(fixture.client)
    fixture.store.askToBuyEnabled = true
    let result = try await fixture.client.buy("gems", quantity: 2)
    XCTAssertEqual(result, .pending)
    try await assertSees(0, fixture.client)
    fixture.clock.advance(by: .seconds(3600))
    let waiting = try XCTUnwrap(fixture.store.allTransactions().first).identifier
    try fixture.store.approveAskToBuyTransaction(identifier: waiting)
    try await fixture.client.comes(to: 600)
    try await until { listener.bought.all.map(\.storeTransactionID) == [waiting] }
    let bought = try await fixture.client.customerInfo().nonSubscriptions
    XCTAssertEqual(bought.map(\.quantity), [2])
    XCTAssertEqual(bought.map(\.purchasedAt), [fixture.clock.now], "bought when it was agreed to")
  }

  func testADeclinedPurchaseNeverComes() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    fixture.store.askToBuyEnabled = true
    let result = try await fixture.client.buy("gems")
    XCTAssertEqual(result, .pending)
    let waiting = try XCTUnwrap(fixture.store.allTransactions().first).identifier
    try fixture.store.declineAskToBuyTransaction(identifier: waiting)
    fixture.store.askToBuyEnabled = false
    let next = try await fixture.client.buy("chest")
    XCTAssertNotNil(next.customerInfo)
    await fixture.client.syncPurchases()
    try await assertSees(300, fixture.client)
    let products = try await fixture.client.products()
    XCTAssertEqual(products, ["chest"])
  }

  func testAnInterruptedPurchaseLooksCancelledAndComesOnceResolved() async throws {
    let fixture = try ControlFixture(isAutomatic: true)
    fixture.store.interruptedPurchasesEnabled = true
    let result = try await fixture.client.buy("gems")
    XCTAssertEqual(result, .cancelled)
    try await assertSees(0, fixture.client)
    let issue = try XCTUnwrap(fixture.store.allTransactions().first)
    XCTAssertTrue(issue.hasPurchaseIssue)
    try fixture.store.resolveIssueForTransaction(identifier: issue.identifier)
    try await fixture.client.comes(to: 300)
    fixture.store.interruptedPurchasesEnabled = false
    let next = try await fixture.client.buy("chest")
    XCTAssertNotNil(next.customerInfo)
  }

  func testAPriceThatTheStoreRaisedIsShownAndPaid() async throws {
    let fixture = try ControlFixture(policy: BackendPolicy(checksPrice: false))
    let usa = StorefrontCode.unitedStates
    try fixture.store.setPrice(try Price("3.49", in: usa.currency), ofProduct: "gems", in: usa)
    let window = try await fixture.client.window(fixture.clock)
    XCTAssertEqual(window["gems"], "$3.49")
    _ = try await fixture.client.buy("gems")
    try await assertSees(300, fixture.client)
    let paid = try fixture.world.ledger.purchases(of: CustomerID(ControlFixture.alice)).purchases.map(
      \.price?.minorUnits)
    XCTAssertEqual(paid, [349])
  }

  func testFailingTransactionsFailWithEachError() async throws {
    let fixture = try ControlFixture()
    XCTAssertEqual(fixture.store.failureError, .unknown)
    for failure in StoreFailure.allCases {
      fixture.store.failTransactionsEnabled = true
      fixture.store.failureError = failure
      if failure == .userCancelled {
        let result = try await fixture.client.buy("gems")
        XCTAssertEqual(result, .cancelled)
      } else {
        await assertStoreFails(failure) { try await fixture.client.buy("gems") }
      }
      try await assertSees(0, fixture.client, "\(failure)")
      fixture.store.failTransactionsEnabled = false
    }
    let result = try await fixture.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(300, fixture.client)
  }

  func testACustomerTurnsBackOnlyAtASheet() async throws {
    let fixture = try ControlFixture()
    fixture.store.customerCancelsDialogs = true
    let unseen = try await fixture.client.buy("gems")
    XCTAssertNotNil(unseen.customerInfo, "no sheet is shown")
    fixture.store.disableDialogs = false
    let turned = try await fixture.client.buy("gems")
    XCTAssertTrue(turned.userCancelled)
    fixture.store.customerCancelsDialogs = false
    let paid = try await fixture.client.buy("gems")
    XCTAssertNotNil(paid.customerInfo)
    try await assertSees(600, fixture.client)
  }

  func testWhatIsNotClearedForSaleIsNeitherShownNorSold() async throws {
    let fixture = try ControlFixture()
    for state in ProductState.allCases {
      try fixture.store.setState(state, ofProduct: "gems")
      XCTAssertEqual(fixture.store.state(ofProduct: "gems"), state)
      let window = try await fixture.client.window(fixture.clock)
      XCTAssertEqual(window["gems"], state == .clearedForSale ? "$2.99" : nil, "\(state)")
      XCTAssertEqual(window["chest"], "$49.99", "\(state)")
      if state != .clearedForSale {
        await assertStoreFails(.productUnavailable) { try await fixture.client.buy("gems") }
      }
    }
    try fixture.store.setState(.clearedForSale, ofProduct: "gems")
    let result = try await fixture.client.buy("gems")
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(300, fixture.client)
  }

  func testTenUnitsAreSoldAndElevenAreNot() async throws {
    let fixture = try ControlFixture()
    for quantity in [0, 11] as [Int64] {
      await assertStoreFails(.invalidQuantity) { try await fixture.client.buy("gems", quantity: quantity) }
    }
    let ten = try await fixture.client.buy("gems", quantity: 10)
    XCTAssertEqual(ten.customerInfo?.nonSubscriptions.map(\.quantity), [10])
    await assertStoreFails(.invalidQuantity) { try await fixture.client.buy("vip", quantity: 2) }
    try await assertSees(3000, fixture.client)
  }

  func testBuyingAgainWhileUnfinishedPaysOnlyWhereTheSwitchSaysSo() async throws {
    let fixture = try ControlFixture()
    try fixture.store.inject(StoreFault(.networkCutBefore, on: .finish, .always))
    var ids: [StoreTransactionID?] = []
    for returnsUnfinished in [true, true, false] {
      fixture.store.repurchaseReturnsUnfinished = returnsUnfinished
      let outcome = try await fixture.client.outcome(ofPurchasing: "gems")
      XCTAssertNotNil(outcome.result.customerInfo)
      ids.append(outcome.storeTransactionID)
    }
    XCTAssertEqual(ids[0], ids[1], "given again")
    XCTAssertNotEqual(ids[1], ids[2], "paid again")
    try fixture.store.clearFaults()
    await fixture.client.syncPurchases()
    try await assertSees(600, fixture.client)
  }

  func testStorefrontAndLocaleChoosePricesAndTexts() async throws {
    let fixture = try ControlFixture()
    fixture.store.locale = "ja_JP"
    let abroad = try await fixture.client.offerings().current?["gems"]?.storeProduct
    XCTAssertEqual(abroad?.localizedTitle, "gems 日本語")
    XCTAssertEqual(abroad?.currencyCode, "USD")
    fixture.store.storefront = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
    let window = try await fixture.client.window(fixture.clock)
    XCTAssertEqual(Set(window.keys), ["gems", "monthly"], "nothing else has a price in Japan")
    let gems = try await fixture.client.offerings().current?["gems"]
    XCTAssertEqual(gems?.storeProduct.unitPrice.minorUnits, 450)
    XCTAssertEqual(gems?.localizedPriceString.filter(\.isNumber), "450")
    let result = try await fixture.client.purchase(package: try XCTUnwrap(gems))
    XCTAssertEqual(result.customerInfo?.nonSubscriptions.first?.price, Money(minorUnits: 450, currency: "JPY"))
    await assertRefused(.productNotFound) { try await fixture.client.buy("chest") }
    fixture.store.locale = "en_US"
    let english = try await fixture.client.window(fixture.clock)
    XCTAssertEqual(english["gems"], "¥450")
  }

  /// The window shows dollars, and the account moves before the customer taps.
  func testAStorefrontThatChangesAfterTheWindowWasShown() async throws {
    let fixture = try ControlFixture()
    let window = try await fixture.client.window(fixture.clock)
    XCTAssertEqual(window["chest"], "$49.99")
    fixture.store.storefront = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
    await assertStoreFails(.notAvailableInStorefront) { try await fixture.client.buy("chest") }
    let result = try await fixture.client.buy("gems")
    XCTAssertEqual(result.customerInfo?.nonSubscriptions.first?.price, Money(minorUnits: 450, currency: "JPY"))
  }

  func testAnotherCatalogOfTheStoreIsShownAndItsPriceIsPaid() async throws {
    let fixture = try ControlFixture()
    let dearer = try ControlFixture.catalog(gemPrice: "3.49")
    try fixture.store.setCatalog(dearer)
    let window = try await fixture.client.window(fixture.clock)
    XCTAssertEqual(window["gems"], "$3.49")
    try fixture.world.ledger.apply(dearer)
    let result = try await fixture.client.buy("gems")
    XCTAssertEqual(result.customerInfo?.nonSubscriptions.first?.price, Money(minorUnits: 349, currency: "USD"))
    // The store sells these products no more.
    try fixture.store.setCatalog(Catalog(currencies: dearer.currencies, settings: dearer.settings))
    let empty = try await fixture.client.window(fixture.clock)
    XCTAssertEqual(empty, [:])
    await assertStoreFails(.productUnavailable) { try await fixture.client.buy("gems") }
  }

  /// A switch that Xcode's editor of such a file turns on is on from the start, and again after a reset.
  func testTheSwitchesOfAStoreKitFileHold() async throws {
    let text = #"""
      {"version":{"major":4,"minor":0},"settings":{"_askToBuyEnabled":true,"_timeRate":1003},
      "products":[{"productID":"gems","type":"Consumable","displayPrice":"2.99",
      "localizations":[{"locale":"en_US","displayName":"Gems"}]}]}
      """#
    let world = try World(catalog: ControlFixture.catalog())
    let store = try SimulatedStore(
      storeKit: StoreKitConfiguration.load(Array(text.utf8)), bundleID: "com.example.gems", session: World.session,
      clock: world.clock, signer: world.receipts)
    let client = try world.client(ControlFixture.alice, on: store.account("family").device("phone"))
    let asked = try await client.buy("gems")
    XCTAssertEqual(asked, .pending)
    XCTAssertEqual(store.timeRate, .anyRenewalEveryThirtySeconds)
    try store.approveAskToBuyTransaction(identifier: XCTUnwrap(store.allTransactions().first).identifier)
    store.askToBuyEnabled = false
    let bought = try await client.buy("gems")
    XCTAssertNotNil(bought.customerInfo)
    try store.resetToDefaultState()
    let again = try await client.buy("gems")
    XCTAssertEqual(again, .pending)
    try await assertSees(300, client)
  }

  func testAStoreKitFileIsAShopToBuyFrom() async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/gems.storekit")
    let configuration = try StoreKitConfiguration.load(Array(Data(contentsOf: file)))
    let codes = ["gems_300", "gems_1200"]
    let gem = Currency(code: try CurrencyCode("GEM"), name: "Gems")
    let products = try codes.map { code in
      Product(
        code: try ProductCode(code), storeIDs: ["apple": code], type: .consumable,
        grants: [Grant(currency: gem.code, amount: 7)])
    }
    let packages = try codes.map { CatalogOffering.Package(id: $0, product: try ProductCode($0)) }
    let catalog = try Catalog(
      currencies: [gem], products: products,
      offerings: [CatalogOffering(id: try OfferingID("gems"), packages: packages)],
      currentOffering: try OfferingID("gems"), settings: CatalogSettings(bundleID: "com.example.app")
    ).merging(configuration)
    let world = try World(catalog: catalog)
    let store = try SimulatedStore(
      storeKit: configuration, bundleID: "com.example.app", session: World.session, seed: 3, clock: world.clock,
      signer: world.receipts, eventLog: RetainedEventLog())
    let client = try world.client(ControlFixture.alice, on: store.account("family").device("phone"))
    let window = try await client.window(world.clock)
    XCTAssertEqual(window, ["gems_300": "$2.99", "gems_1200": "$9.99"])
    let result = try await client.buy("gems_1200", quantity: 2)
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(14, client)
  }

  func testResettingTurnsEverySwitchBackAndLeavesWhatWasBought() async throws {
    let fixture = try ControlFixture()
    let store = fixture.store
    _ = try await fixture.client.buy("gems")
    store.askToBuyEnabled = true
    store.interruptedPurchasesEnabled = true
    store.failTransactionsEnabled = true
    store.disableDialogs = false
    store.customerCancelsDialogs = true
    store.storefront = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
    store.locale = "ja_JP"
    try store.setState(.rejected, ofProduct: "chest")
    try store.setSimulatedError(.store(.systemError), forAPI: .loadProducts)
    try store.inject(StoreFault(.networkCutBefore, on: .purchase, .always))
    try store.resetToDefaultState()
    let window = try await fixture.client.window(fixture.clock)
    XCTAssertEqual(window["chest"], "$49.99")
    let result = try await fixture.client.buy("chest")
    XCTAssertNotNil(result.customerInfo)
    try await assertSees(600, fixture.client)
    let products = try await fixture.client.products()
    XCTAssertEqual(products, ["gems", "chest"])
  }
}
