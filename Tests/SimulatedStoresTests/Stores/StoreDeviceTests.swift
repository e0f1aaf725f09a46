import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// The promises of StoreKit 2 about consumables, seen from a device.
final class StoreDeviceTests: XCTestCase {
  private func all(of inbox: UpdateInbox) -> [StoreEvidence] {
    var all: [StoreEvidence] = []
    while let next = inbox.take() { all.append(next) }
    return all
  }

  /// What comes from a decision inside of another one's report comes behind it.
  func testUpdatesComeInTheOrderOfTheDecisions() throws {
    let shop = try SimulatedShop()
    let inbox = shop.phone.inbox()
    let store = shop.store
    store.onStep = { step in
      if case .paid(let id) = step { try? store.refundTransaction(identifier: id) }
    }
    try store.buyProduct(identifier: "gems", account: "alice")
    XCTAssertEqual(all(of: inbox).map { $0.transaction.revocation != nil }, [false, true])
  }

  /// A reader that comes between a decision and its delivery finds it in the shop, and not a second time.
  func testAReaderThatComesInBetweenGetsAnUpdateOnce() throws {
    let shop = try SimulatedShop()
    let (phone, inboxes) = (shop.phone, Collector<UpdateInbox>())
    shop.store.onStep = { if case .paid = $0 { inboxes.add(phone.inbox()) } }
    try shop.store.buyProduct(identifier: "gems", account: "alice")
    XCTAssertEqual(inboxes.all.flatMap(all).count, 1)
  }

  func testPurchaseCarriesPriceQuantityTokenAndIdentity() async throws {
    let shop = try SimulatedShop()
    let token = AccountToken(of: try CustomerID("alice"))
    let transaction = try await shop.phone.buy("gems", quantity: 3, token: token)
    XCTAssertEqual(transaction.price, Money(minorUnits: 897, currency: "USD"))
    XCTAssertEqual(transaction.quantity, 3)
    XCTAssertEqual(transaction.accountToken, token)
    XCTAssertEqual(transaction.store, .apple)
    XCTAssertEqual(transaction.environment, try .localTesting(session: "test"))
    XCTAssertEqual(transaction.bundleID, "com.example.gems")
    XCTAssertEqual(transaction.purchasedAt, shop.clock.now)
    XCTAssertEqual(transaction.id.text.count, 16, transaction.id.text)
    XCTAssertTrue(transaction.id.text.hasPrefix("2"), transaction.id.text)
  }

  func testIdsDependOnTheSeedAlone() async throws {
    func ids(seed: UInt64) async throws -> [StoreTransactionID] {
      let phone = try SimulatedShop(seed: seed).phone
      return [try await phone.buy("gems").id, try await phone.buy("chest").id]
    }
    let first = try await ids(seed: 1)
    let again = try await ids(seed: 1)
    let other = try await ids(seed: 2)
    XCTAssertEqual(first, again)
    XCTAssertNotEqual(first, other)
    XCTAssertLessThan(first[0], first[1])
  }

  func testAPurchaseIsListedUntilItIsFinished() async throws {
    let phone = try SimulatedShop().phone
    let id = try await phone.buy("gems").id
    var unfinished = try await phone.unfinishedIDs()
    var history = try await phone.all().map(\.transaction.id)
    XCTAssertEqual(unfinished, [id])
    XCTAssertEqual(history, [id])
    try await phone.finish(id)
    try await phone.finish(id)
    unfinished = try await phone.unfinishedIDs()
    history = try await phone.all().map(\.transaction.id)
    XCTAssertEqual(unfinished, [])
    XCTAssertEqual(history, [], "a finished consumable is in no list")
    let entitlements = try await phone.currentEntitlements()
    XCTAssertEqual(entitlements, [])
  }

  func testFinishedConsumablesShowWhereTheAppAskedForThem() async throws {
    let shop = try SimulatedShop()
    shop.store.includesFinishedConsumables = true
    let id = try await shop.phone.buy("gems").id
    try await shop.phone.finish(id)
    let history = try await shop.phone.all().map(\.transaction.id)
    XCTAssertEqual(history, [id])
  }

  func testFinishingAnUnknownIdIsHarmless() async throws {
    let phone = try SimulatedShop().phone
    let id = try await phone.buy("gems").id
    try await phone.finish(StoreTransactionID("1"))
    try await phone.finish(StoreTransactionID("no number"))
    let unfinished = try await phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [id])
  }

  func testNobodyFinishesForAnotherAccount() async throws {
    let shop = try SimulatedShop()
    let id = try await shop.phone.buy("gems").id
    try await shop.store.account("bob").device("phone").finish(id)
    let unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [id])
  }

  func testBuyingAgainWhileUnfinishedGivesTheSameTransaction() async throws {
    let shop = try SimulatedShop()
    let first = try await shop.phone.buy("gems", quantity: 2)
    shop.clock.advance(by: .seconds(60))
    // Even for another customer on the same store account.
    let again = try await shop.phone.buy("gems", token: AccountToken(of: try CustomerID("bob")))
    XCTAssertEqual(again, first)
    let other = try await shop.phone.buy("chest")
    XCTAssertNotEqual(other.id, first.id)
    try await shop.phone.finish(first.id)
    let next = try await shop.phone.buy("gems")
    XCTAssertNotEqual(next.id, first.id)
    XCTAssertEqual(shop.store.allTransactions().count, 3)
  }

  func testBuyingAgainWhileUnfinishedCanBeSwitchedToPayAgain() async throws {
    let shop = try SimulatedShop()
    shop.store.repurchaseReturnsUnfinished = false
    let first = try await shop.phone.buy("gems").id
    let second = try await shop.phone.buy("gems").id
    let unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [first, second])
    shop.store.repurchaseReturnsUnfinished = true
    let third = try await shop.phone.buy("gems").id
    XCTAssertEqual(third, first, "the oldest")
  }

  func testUnfinishedTransactionsComeOnceAtLaunch() async throws {
    let shop = try SimulatedShop()
    let id = try await shop.phone.buy("gems").id
    shop.phone.relaunch()
    let updates = Reader(shop.phone.updates())
    var update = await updates.next()
    XCTAssertEqual(update?.transaction.id, id)
    let later = Reader(shop.phone.updates())
    let bought = try shop.store.account("alice").buyProduct(identifier: "chest").identifier
    update = await updates.next()
    XCTAssertEqual(update?.transaction.id, bought, "the launch brought the unfinished one once")
    update = await later.next()
    XCTAssertEqual(update?.transaction.id, bought, "only the first stream of a launch begins with it")
    shop.phone.relaunch()
    update = await updates.next()
    XCTAssertNil(update, "the app has ended")
    let afterwards = Reader(shop.phone.updates())
    update = await afterwards.next()
    XCTAssertEqual(update?.transaction.id, id)
  }

  func testUpdatesDoNotRepeatTheOwnPurchaseButTellOtherDevices() async throws {
    let shop = try SimulatedShop()
    let (phone, tablet) = (Reader(shop.phone.updates()), Reader(shop.tablet.updates()))
    let first = try await shop.phone.buy("gems").id
    let second = try await shop.tablet.buy("chest").id
    let onPhone = await phone.next()
    let onTablet = await tablet.next()
    XCTAssertEqual(onPhone?.transaction.id, second)
    XCTAssertEqual(onTablet?.transaction.id, first)
    let unfinished = try await shop.tablet.unfinishedIDs()
    XCTAssertEqual(unfinished, [first, second], "what one device bought, the other may finish")
  }

  func testAReinstalledAppFindsWhatIsUnfinished() async throws {
    let shop = try SimulatedShop()
    _ = shop.phone.updates()
    let id = try await shop.phone.buy("gems").id
    shop.phone.reinstall()
    let update = await Reader(shop.phone.updates()).next()
    XCTAssertEqual(update?.transaction.id, id)
  }

  func testTenThousandUnfinishedTransactionsComeInOrderPageByPage() async throws {
    let shop = try SimulatedShop()
    shop.store.repurchaseReturnsUnfinished = false
    var bought: [StoreTransactionID] = []
    for _ in 0..<10_000 { bought.append(try await shop.phone.buy("gems").id) }
    for id in bought.prefix(5000).reversed() where id != bought[17] { try await shop.phone.finish(id) }
    var seen: [StoreTransactionID] = []
    while true {
      let page = try await shop.phone.unfinished(after: seen.last, limit: 512).map(\.transaction.id)
      if page.isEmpty { break }
      XCTAssertLessThanOrEqual(page.count, 512)
      seen += page
    }
    XCTAssertEqual(seen, [bought[17]] + bought[5000...])
  }

  func testNonConsumablesAreBoughtOnceAndGiveEntitlements() async throws {
    let shop = try SimulatedShop()
    let first = try await shop.phone.buy("vip").id
    try await shop.phone.finish(first)
    let again = try await shop.tablet.buy("vip").id
    XCTAssertEqual(again, first)
    var entitled = try await shop.tablet.currentEntitlements().map(\.transaction.id)
    XCTAssertEqual(entitled, [first])
    try shop.store.refundTransaction(identifier: first)
    entitled = try await shop.tablet.currentEntitlements().map(\.transaction.id)
    XCTAssertEqual(entitled, [])
    let anew = try await shop.phone.buy("vip").id
    XCTAssertNotEqual(anew, first)
  }

  func testQuantityIsOneToTenAndOneForWhatIsOwned() async throws {
    let phone = try SimulatedShop().phone
    for (product, quantity) in [("gems", 0), ("gems", 11), ("gems", -1), ("vip", 2), ("monthly", 2)] as [(_, Int64)] {
      await assertFails(.invalidQuantity) {
        try await phone.purchase(StorePaymentRequest(productID: product, quantity: quantity))
      }
    }
    let ten = try await phone.buy("gems", quantity: 10)
    XCTAssertEqual(ten.price?.minorUnits, 2990)
    let passes = try await phone.buy("pass", quantity: 2)
    XCTAssertEqual(passes.quantity, 2)
  }

  func testProductsAreListedInTheLanguageAndPricesOfTheStorefront() async throws {
    let shop = try SimulatedShop()
    let ids = ["monthly", "gems", "unknown", "gems"]
    let american = try await shop.phone.products(for: ids)
    XCTAssertEqual(american.map(\.id), ["monthly", "gems"])
    XCTAssertEqual(american[1].displayName, "gems in English")
    XCTAssertEqual(american[1].displayPrice, "$2.99")
    XCTAssertEqual(american[0].subscriptionPeriod, "P1M")
    shop.store.storefront = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
    shop.store.locale = "ja_JP"
    let japanese = try await shop.phone.products(for: ids + ["chest"])
    XCTAssertEqual(japanese.map(\.id), ["monthly", "gems"], "a chest has no price in Japan")
    XCTAssertEqual(japanese[1].displayName, "gems 日本語")
    XCTAssertEqual(japanese[1].price.minorUnits, 450)
    let storefront = await shop.phone.storefront()
    XCTAssertEqual(storefront.description, "JPN")
    await assertFails(.notAvailableInStorefront) {
      try await shop.phone.purchase(StorePaymentRequest(productID: "chest"))
    }
    let price = try await shop.phone.buy("gems", quantity: 2).price
    XCTAssertEqual(price, Money(minorUnits: 900, currency: "JPY"))
  }

  func testWhatIsNotClearedForSaleIsNeitherListedNorSold() async throws {
    let shop = try SimulatedShop()
    for state in ProductState.allCases where state != .clearedForSale {
      try shop.store.setState(state, ofProduct: "gems")
      let listed = try await shop.phone.products(for: ["gems", "chest"]).map(\.id)
      XCTAssertEqual(listed, ["chest"], "\(state)")
      await assertFails(.productUnavailable) {
        try await shop.phone.purchase(StorePaymentRequest(productID: "gems"))
      }
    }
    try shop.store.setState(.clearedForSale, ofProduct: "gems")
    try await shop.phone.buy("gems")
    XCTAssertThrowsError(try shop.store.setState(.inReview, ofProduct: "nothing"))
  }

  func testStoresInOneProcessKnowNothingOfEachOther() async throws {
    let (one, two) = (try SimulatedShop(), try SimulatedShop())
    one.store.askToBuyEnabled = true
    try await two.phone.buy("gems")
    let result = try await one.phone.purchase(StorePaymentRequest(productID: "gems"))
    XCTAssertEqual(result, .pending)
    XCTAssertEqual(two.store.allTransactions().map(\.state), [.purchased])
  }

  func testNamesThatLookAlikeAreTwoAccounts() async throws {
    let store = try SimulatedShop().store
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    XCTAssertEqual(composed, decomposed, "to a string they are one")
    try await store.account(composed).device("phone").buy("monthly")
    let other = store.account(decomposed).device("phone")
    let unfinished = try await other.unfinishedIDs()
    let entitled = try await other.currentEntitlements()
    XCTAssertEqual(unfinished, [])
    XCTAssertEqual(entitled, [])
    XCTAssertEqual(store.account(decomposed).transactions(), [])
  }

  func testManyDevicesBuyAtOnceWithoutLoss() async throws {
    let shop = try SimulatedShop()
    let bought = try await withThrowingTaskGroup(of: [StoreTransactionID].self) { group in
      for account in 0..<8 {
        let phone = shop.store.account("customer \(account)").device("phone")
        group.addTask {
          var ids: [StoreTransactionID] = []
          for _ in 0..<100 {
            let id = try await phone.buy("gems").id
            try await phone.finish(id)
            ids.append(id)
          }
          return ids
        }
      }
      return try await group.reduce(into: Set()) { $0.formUnion($1) }
    }
    XCTAssertEqual(bought.count, 800)
    XCTAssertTrue(shop.store.allTransactions().allSatisfy(\.isFinished))
  }

  func testAStoreKitFileCanBeTheShop() async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/gems.storekit")
    let configuration = try StoreKitConfiguration.load(Array(Data(contentsOf: file)))
    let store = try SimulatedStore(storeKit: configuration, signer: PlainSigner())
    let phone = store.account("alice").device("phone")
    let listed = try await phone.products(for: ["gems_300", "gems_1200"]).map(\.displayPrice)
    XCTAssertEqual(listed, ["$2.99", "$9.99"])
    try await phone.buy("gems_1200")
  }
}
