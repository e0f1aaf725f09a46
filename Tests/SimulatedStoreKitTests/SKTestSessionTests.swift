import GemLedger
import SimulatedStoreKit
import SimulatedStores
import StoreBackend
import StoreTestSupport
import XCTest

import struct SimulatedStoreKit.Product

/// The controls of a test session under StoreKitTest's names.
@MainActor
final class SKTestSessionTests: XCTestCase {
  private func buy(_ id: String) async throws -> Product.PurchaseResult {
    try await ShopFixture.product(id).purchase()
  }

  func testWithoutASessionTheErrorSaysWhatToDo() async throws {
    let session = try ShopFixture.gemsSession()
    let product = try await ShopFixture.product("gems_300")
    session.end()
    do {
      _ = try await product.purchase()
      XCTFail("expected a failure")
    } catch StoreKitError.systemError(let error) {
      XCTAssertTrue("\(error)".contains("SKTestSession(contentsOf:)"), "\(error)")
    }
    do {
      _ = try await Product.products(for: ["gems_300"])
      XCTFail("expected a failure")
    } catch StoreKitError.systemError {}
    do {
      try await AppStore.sync()
      XCTFail("expected a failure")
    } catch StoreKitError.systemError {}
    let (unfinished, storefront) = (await Transaction.unfinished.collect(), await Storefront.current)
    XCTAssertEqual(unfinished.count, 0)
    XCTAssertNil(storefront)
    XCTAssertFalse(AppStore.canMakePayments)
  }

  func testUpdatesWaitForASessionAndEndWithTheNext() async throws {
    try ShopFixture.gemsSession().end()
    let seen = Collector<String>()
    let reading = Task { for await result in Transaction.updates { seen.add(result.unsafePayloadValue.productID) } }
    let session = try ShopFixture.gemsSession()
    // The reading gets it as it happens, or as unfinished where it begins to listen later.
    try await session.buyProduct(identifier: "gems_300")
    try await until { seen.all == ["gems_300"] }
    _ = try ShopFixture.gemsSession()
    await reading.value
    XCTAssertEqual(seen.all, ["gems_300"])
  }

  func testOwnPurchasesAreNotInUpdates() async throws {
    let session = try ShopFixture.gemsSession()
    var updates = Transaction.updates.makeAsyncIterator()
    guard case .success(let own) = try await buy("gems_300") else { return XCTFail("expected a success") }
    let other = try await session.buyProduct(
      identifier: "gems_1200", options: [.quantity(2), .appAccountToken(UUID())])
    let first = await updates.next()
    XCTAssertEqual(first?.unsafePayloadValue.id, other.id)
    XCTAssertEqual(first?.unsafePayloadValue.purchasedQuantity, 2)
    XCTAssertNotNil(first?.unsafePayloadValue.appAccountToken)
    // The next start brings both, since neither is finished.
    session.relaunchApp()
    let ended = await updates.next()
    XCTAssertNil(ended)
    var next = Transaction.updates.makeAsyncIterator()
    let (again, bought) = (await next.next(), await next.next())
    XCTAssertEqual(again?.unsafePayloadValue.id, own.unsafePayloadValue.id)
    XCTAssertEqual(bought?.unsafePayloadValue.id, other.id)
  }

  func testAnInterruptedPurchaseComesOnceItsIssueIsResolved() async throws {
    let session = try ShopFixture.gemsSession()
    session.interruptedPurchasesEnabled = true
    var updates = Transaction.updates.makeAsyncIterator()
    guard case .userCancelled = try await buy("gems_300") else { return XCTFail("expected userCancelled") }
    let attempt = try XCTUnwrap(session.allTransactions().first)
    XCTAssertTrue(attempt.hasPurchaseIssue)
    XCTAssertEqual(attempt.state, .deferred)
    try session.resolveIssueForTransaction(identifier: attempt.identifier)
    let resolved = await updates.next()
    XCTAssertEqual(resolved?.unsafePayloadValue.id, UInt64(attempt.identifier))
  }

  func testFailingTransactionsFailWithEachError() async throws {
    let session = try ShopFixture.gemsSession()
    session.failTransactionsEnabled = true
    let expected: [(SKError.Code, any Error & Equatable)] = [
      (.unknown, StoreKitError.unknown), (.invalidOfferIdentifier, Product.PurchaseError.invalidOfferIdentifier),
      (.invalidSignature, Product.PurchaseError.invalidOfferSignature),
      (.missingOfferParams, Product.PurchaseError.missingOfferParameters),
      (.invalidOfferPrice, Product.PurchaseError.invalidOfferPrice),
    ]
    for (code, error) in expected {
      session.failureError = code
      XCTAssertEqual(session.failureError, code)
      do {
        _ = try await buy("gems_300")
        XCTFail("expected a failure")
      } catch let thrown {
        XCTAssertEqual("\(thrown)", "\(error)")
        XCTAssertTrue(type(of: thrown) == type(of: error))
      }
    }
    XCTAssertEqual(expected.map(\.0), SKError.Code.allCases)
    session.resetToDefaultState()
    XCTAssertFalse(session.failTransactionsEnabled)
  }

  func testSimulatedErrorsComeBackAsTheyWereSet() async throws {
    let session = try ShopFixture.gemsSession()
    let timeout = StoreKitError.networkError(URLError(.timedOut))
    try await session.setSimulatedError(.generic(timeout), forAPI: .loadProducts)
    let simulated = await session.simulatedError(forAPI: .loadProducts)
    XCTAssertEqual(simulated, .generic(timeout))
    do {
      _ = try await Product.products(for: ["gems_300"])
      XCTFail("expected a failure")
    } catch StoreKitError.networkError(let error) {
      XCTAssertEqual(error.code, .timedOut)
    }
    try await session.setSimulatedError(.generic(.notEntitled), forAPI: .appStoreSync)
    do {
      try await AppStore.sync()
      XCTFail("expected a failure")
    } catch StoreKitError.notEntitled {}
    session.resetToDefaultState()
    let none = await session.simulatedError(forAPI: .loadProducts)
    XCTAssertNil(none)
    try await session.setSimulatedError(.purchase(.purchaseNotAllowed), forAPI: .purchase)
    do {
      _ = try await buy("gems_300")
      XCTFail("expected a failure")
    } catch Product.PurchaseError.purchaseNotAllowed {}
    try await AppStore.sync()
  }

  func testControlsSayWhatIsMissing() async throws {
    let session = try ShopFixture.gemsSession()
    XCTAssertThrowsError(try session.refundTransaction(identifier: 1)) { error in
      XCTAssertEqual((error as? SKTestError)?.code, .noTransactionFound)
    }
    XCTAssertThrowsError(try session.expireSubscription(productIdentifier: "gems_300")) { error in
      XCTAssertEqual((error as? SKTestError)?.code, .noSubscriptionFound)
    }
    XCTAssertThrowsError(try session.buyProduct(productIdentifier: "unknown")) { error in
      XCTAssertEqual((error as? SKTestError)?.code, .invalidProductIdentifier)
    }
    do {
      try await session.buyProduct(identifier: "unknown")
      XCTFail("expected a failure")
    } catch Product.PurchaseError.productUnavailable {}
    try session.buyProduct(productIdentifier: "gems_300")
    let bought = try XCTUnwrap(session.allTransactions().first)
    XCTAssertThrowsError(try session.approveAskToBuyTransaction(identifier: bought.identifier)) { error in
      XCTAssertEqual((error as? SKTestError)?.code, .invalidAction)
    }
    try session.refundTransaction(identifier: bought.identifier)
    XCTAssertNotNil(session.allTransactions().first?.cancelDate)
    XCTAssertThrowsError(try session.refundTransaction(identifier: bought.identifier)) { error in
      XCTAssertEqual((error as? SKTestError)?.code, .invalidAction)
    }
    try session.deleteTransaction(identifier: bought.identifier)
    XCTAssertEqual(session.allTransactions().count, 0)
  }

  func testConfigurationFilesAreFoundByName() throws {
    XCTAssertEqual(try SKTestSession(configurationFileNamed: "gems.storekit").storefront, "USA")
    XCTAssertThrowsError(try SKTestSession(configurationFileNamed: "no such file")) { error in
      XCTAssertEqual((error as? SKTestError)?.code, .fileNotFound)
    }
    XCTAssertThrowsError(try SKTestSession(contentsOf: XCTUnwrap(URL(string: "https://example.com/a.storekit")))) {
      XCTAssertEqual(($0 as? SKTestError)?.code, .invalidURL)
    }
  }

  func testResourceBundlesAreSearchedFirst() throws {
    let bundle = Bundle.main.bundleURL.appendingPathComponent("SKTestSessionTests.resources")
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: bundle) }
    try Data(contentsOf: ShopFixture.gemsFile).write(to: bundle.appendingPathComponent("Bundled.storekit"))
    XCTAssertEqual(
      try ConfigurationFile.named("Bundled").resolvingSymlinksInPath().path,
      bundle.appendingPathComponent("Bundled.storekit").resolvingSymlinksInPath().path)
    XCTAssertNoThrow(try SKTestSession(configurationFileNamed: "Bundled"))
  }

  func testOfTwoFilesTheShallowerOneIsMeant() throws {
    let top = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: top) }
    func write(_ path: String) throws {
      let file = top.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("{}".utf8).write(to: file)
    }
    try write("a/b/Two.storekit")
    try write(".hidden/Two.storekit")
    XCTAssertEqual(try ConfigurationFile.named("Two", below: top.path).lastPathComponent, "Two.storekit")
    try write("a/c/Two.storekit")
    XCTAssertThrowsError(try ConfigurationFile.named("Two", below: top.path)) { error in
      XCTAssertTrue("\(error)".contains("a/b/Two.storekit"), "\(error)")
      XCTAssertTrue("\(error)".contains("a/c/Two.storekit"), "\(error)")
    }
    try write("d/Two.storekit")
    XCTAssertTrue(try ConfigurationFile.named("Two", below: top.path).path.hasSuffix("d/Two.storekit"))
  }

  func testAGroupOfAConfigurationFileHasItsSubscriptions() async throws {
    let file = ShopFixture.top.appendingPathComponent("Fixtures/storekit/v4.storekit")
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
    let groups = try XCTUnwrap(json?["subscriptionGroups"] as? [[String: Any]])
    let id = try XCTUnwrap(groups.first?["id"] as? String)
    let subscriptions = try XCTUnwrap(groups.first?["subscriptions"] as? [[String: Any]])
    let productID = try XCTUnwrap(subscriptions.first?["productID"] as? String)
    _ = try SKTestSession(contentsOf: file)
    let product = try await ShopFixture.product(productID)
    XCTAssertEqual(product.subscription?.subscriptionGroupID, id)
    guard case .success(let verification) = try await product.purchase() else { return XCTFail("expected a success") }
    XCTAssertEqual(verification.unsafePayloadValue.subscriptionGroupID, id)
    let status = try await Product.SubscriptionInfo.status(for: id)
    XCTAssertEqual(status.map(\.state), [.subscribed])
    let none = try await Product.SubscriptionInfo.status(for: "unknown")
    XCTAssertEqual(none, [])
  }

  func testLongListsAreReadToTheEnd() async throws {
    let session = try ShopFixture.gemsSession()
    for _ in 0..<250 { try await session.buyProduct(identifier: "gems_300") }
    let ids = await Transaction.unfinished.collect().map(\.unsafePayloadValue.id)
    XCTAssertEqual(ids, session.allTransactions().map { UInt64($0.identifier) })
    // A reading that finishes as it goes sees each of them once.
    var finished: [UInt64] = []
    for await result in Transaction.unfinished {
      finished.append(result.unsafePayloadValue.id)
      await result.unsafePayloadValue.finish()
    }
    XCTAssertEqual(finished, ids)
    let left = await Transaction.unfinished.collect()
    XCTAssertEqual(left, [])
  }

  func testEveryTimeRateIsTheStoresOwn() throws {
    let session = try ShopFixture.gemsSession()
    for rate in SKTestSession.TimeRate.allCases {
      session.timeRate = rate
      XCTAssertEqual(session.timeRate, rate)
      XCTAssertEqual(session.store.timeRate.rawValue, Int64(rate.rawValue))
    }
  }
}
