import GemLedger
import GemTestSupport
import StoreBackend
import XCTest

@testable import StoreClient

/// Two-step purchases, the funnel, the shop window.
final class FlowTests: XCTestCase {
  private let order = PurchaseOrder(
    productID: "com.example.gems_1200",
    context: OrderContext(gameID: "game-1", roleID: "char-12345", serverID: "server-01", rechargeType: "IN_GAME"))

  // MARK: Two steps

  func testTheOrderExistsBeforeAnybodyPays() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    let outcome = try await client.purchase(order: order)
    XCTAssertNotNil(outcome.result.customerInfo)
    XCTAssertEqual(outcome.order?.status, .success)
    XCTAssertEqual(outcome.order?.request.context, order.context)
    XCTAssertEqual(outcome.order?.request.bundleID, "com.example.gems")
    XCTAssertFalse(outcome.isDeliveryPending)
    let calls = fixture.backend.calls.filter { $0.contains("Payment") }
    XCTAssertEqual(calls, ["initPayment gems_1200", "completePayment AP2601010"])
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200)
  }

  func testNobodyPaysWithoutAnOrder() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    fixture.backend.setDown(true)
    _ = await refusal(.backendUnreachable) { try await client.purchase(order: self.order) }
    XCTAssertEqual(fixture.shop.purchaseCount, 0)
  }

  func testACancelledPaymentEndsItsOrder() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    fixture.shop.script(.cancelled)
    let outcome = try await client.purchase(order: order)
    XCTAssertTrue(outcome.result.userCancelled)
    XCTAssertEqual(outcome.order?.status, .failed)
  }

  func testADeliveryThatIsNotConfirmedIsASuccessThatSaysSo() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    fixture.backend.failDelivery()
    let outcome = try await client.purchase(order: order)
    XCTAssertNotNil(outcome.result.customerInfo)
    XCTAssertTrue(outcome.isDeliveryPending)
    XCTAssertEqual(fixture.shop.finished.count, 1)
  }

  /// The app dies between payment and completion: the next launch completes the same order.
  func testAReplayAtLaunchCompletesTheOrder() async throws {
    for losesQueue in [false, true] {
      let fixture = try ClientFixture()
      let (shop, backend) = (fixture.shop, fixture.backend)
      let client = try fixture.client {
        $0.onStep = { step in
          guard step == .paid else { return }
          shop.die()
          backend.setDown(true)
        }
      }
      _ = try await client.purchase(order: order)
      shop.die(false)
      backend.setDown(false)
      backend.clearCalls()
      let next = try fixture.client(eventLog: losesQueue ? MemoryEventLog() : nil) { $0.purchaseStyle = .twoStep }
      for _ in 0..<2 { await next.syncPurchases() }
      XCTAssertEqual(fixture.backend.count("completePayment"), losesQueue ? 0 : 1)
      // With the queue gone, the backend looks for the order, or announces it after the fact.
      XCTAssertEqual(fixture.backend.searches, losesQueue ? [.findOrOpen] : [])
      XCTAssertEqual(fixture.backend.count("initPayment"), 0)
      XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200)
      XCTAssertEqual(next.queueItems, [])
    }
  }

  /// Only the device that began a purchase knows whether it pays for an order.
  func testAReceiptSaysWhetherItsOrderIsLookedFor() async throws {
    typealias Row = (line: UInt, style: StoreClient.PurchaseStyle, isOwn: Bool, search: ReceiptPost.OrderSearch)
    let rows: [Row] = [
      (#line, .direct, true, .none), (#line, .direct, false, .find), (#line, .twoStep, false, .findOrOpen),
    ]
    for row in rows {
      let fixture = try ClientFixture()
      let client = try fixture.client { $0.purchaseStyle = row.style }
      await client.context.register(client.customerID)
      if row.isOwn {
        // The answer of the payment is lost, and the purchase comes by itself.
        fixture.shop.script(.paidButLost)
        _ = await refusal(.storeError) { try await client.purchase(try ProductCode("gems_300")) }
      } else {
        fixture.shop.sell("com.example.gems_300", token: AccountToken(of: client.customerID))
      }
      await client.syncPurchases()
      XCTAssertEqual(fixture.backend.searches, [row.search], line: row.line)
    }
  }

  func testWhatWasPaidForIsCreditedThoughItsOrderIsGone() async throws {
    let fixture = try ClientFixture()
    let backend = fixture.backend
    let client = try fixture.client {
      $0.onStep = { step in if step == .paid { backend.forgetOrder(PurchaseCode(unchecked: "AP2601010")) } }
    }
    let outcome = try await client.purchase(order: order)
    XCTAssertNotNil(outcome.result.customerInfo)
    XCTAssertEqual(try fixture.backend.balance("alice-4f1c9a7e"), 1200)
  }

  // MARK: The funnel

  func testTheFunnelOfAPurchase() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    let shown = try await current(client)
    let package = try XCTUnwrap(shown?.availablePackages.first)
    try await client.purchase(package: package)
    var events: [FunnelEvent] = []
    for await event in client.funnelEvents {
      events.append(event)
      if event.name == .purchase { break }
    }
    XCTAssertEqual(
      events.map(\.name.rawValue),
      [
        "sdk_init", "purchase_initiated", "product_selected", "sdk_payment_init", "sdk_payment_callback_success",
        "sdk_payment_validated", "sdk_payment_validated_success", "sdk_payment_completed", "af_purchase",
      ])
    XCTAssertEqual(events.last?.revenue, Money(minorUnits: 999, currency: "USD"))
    XCTAssertEqual(events.last?.currency, "USD")
    XCTAssertEqual(events.last?.productID, "com.example.gems_1200")
    XCTAssertEqual(events.last?.storeTransactionID?.text, "2000000001")
  }

  func testTheFunnelOfWhatGoesWrong() async throws {
    let rows: [(line: UInt, script: FakeShop.Script, last: FunnelEvent.Name)] = [
      (#line, .cancelled, .paymentCallbackCancel), (#line, .fails(.unknown), .paymentCallbackFail),
      (#line, .unverified, .paymentValidatedFail),
    ]
    for row in rows {
      let fixture = try ClientFixture()
      fixture.shop.script(row.script)
      let client = try fixture.client()
      _ = try? await client.purchase(try ProductCode("gems_300"))
      let names = await early(client)
      XCTAssertEqual(names.last, row.last, line: row.line)
      XCTAssertFalse(names.contains(.purchase), line: row.line)
    }
  }

  func testTheFunnelCanBeSwitchedOff() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client { $0.isFunnelEnabled = false }
    try await client.purchase(try ProductCode("gems_300"))
    client.isFunnelEnabled = true
    _ = try await client.offerings()
    let names = await early(client)
    XCTAssertEqual(names, [.purchaseInitiated])
  }

  /// A redelivered purchase was counted when it was credited.
  func testRevenueIsCountedOnce() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    let outcome = try await client.outcome(ofPurchasing: "gems_300")
    let (transaction, receipt) = (try XCTUnwrap(outcome.transaction), try XCTUnwrap(outcome.receipt))
    await client.receive(StoreEvidence(transaction: transaction, receipt: receipt))
    let names = await early(client)
    XCTAssertEqual(names.count { $0 == .purchase }, 1)
  }

  /// The events that were kept for the first listener.
  private func early(_ client: StoreClient) async -> [FunnelEvent.Name] {
    let stream = client.funnelEvents
    client.funnel.finish()
    var names: [FunnelEvent.Name] = []
    for await event in stream { names.append(event.name) }
    return names
  }

  // MARK: The window

  private func current(_ client: StoreClient) async throws -> Offerings.Offering? {
    try await client.offerings().current
  }

  func testOfferingsAsRevenueCatsReadersKnowThem() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    let offerings = try await client.offerings()
    let gems = try XCTUnwrap(offerings.all["gems"])
    XCTAssertEqual(offerings.current, gems)
    XCTAssertEqual(offerings.offering(identifier: "gems"), gems)
    XCTAssertNil(offerings.offering(identifier: "nothing"))
    XCTAssertEqual(gems.serverDescription, "Packs of gems")
    XCTAssertEqual(gems.availablePackages.map(\.identifier), ["gems_1200", "gems_300"])
    let package = try XCTUnwrap(gems["gems_300"])
    XCTAssertEqual(package.storeProduct.localizedTitle, "Pack com.example.gems_300")
    XCTAssertEqual(package.storeProduct.localizedPriceString, "$9.99")
    XCTAssertEqual(package.storeProduct.productIdentifier, "com.example.gems_300")
    XCTAssertEqual(package.packageType, .custom)
    let club = try XCTUnwrap(offerings.all["club"])
    XCTAssertEqual(club.monthly?.storeProduct.code.text, "bundle")
    for other in [club.lifetime, club.annual, club.sixMonth, club.threeMonth, club.twoMonth, club.weekly] {
      XCTAssertNil(other)
    }
    let catalog = try await client.getProductCatalog()
    XCTAssertEqual(catalog.map(\.code.text), ["gems_1200", "gems_300", "bundle"])
  }

  func testPackageTypesOfNames() {
    let rows: [(name: String, type: PackageType)] = [
      ("$rc_lifetime", .lifetime), ("$rc_annual", .annual), ("$rc_six_month", .sixMonth),
      ("$rc_three_month", .threeMonth), ("$rc_two_month", .twoMonth), ("$rc_monthly", .monthly),
      ("$rc_weekly", .weekly), ("$rc_daily", .unknown), ("gems", .custom), ("unknown", .custom), ("custom", .custom),
    ]
    for row in rows { XCTAssertEqual(PackageType(identifier: row.name), row.type, row.name) }
  }

  func testOfferingsAreKeptForTheTimeWithoutABackend() async throws {
    let fixture = try ClientFixture()
    let client = try fixture.client()
    _ = try await client.offerings()
    fixture.clock.advance(seconds: 600)
    fixture.backend.setDown(true)
    let kept = try await client.offerings()
    XCTAssertEqual(kept, client.cachedOfferings)
    // After a restart nothing can be shown, but a product that was known can be bought.
    let next = try fixture.client()
    _ = await refusal(.backendUnreachable) { try await next.offerings() }
    let result = try await next.purchase(try ProductCode("gems_300"))
    XCTAssertEqual(result, .pendingServerValidation)
  }
}
