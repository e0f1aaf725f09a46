#if Server
import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

// The end-to-end suites once more, with clients that reach the crediting side over HTTP.
//
// Each suite needs a test of its own: XCTest on Linux finds the inherited ones by it.

/// Fails unless clients of a new world reach their crediting side over HTTP.
private func assertGoesOverHTTP() throws { XCTAssertFalse(try World().access is LocalBackend) }

final class EndToEndOverHTTPTests: EndToEndTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}

final class TwoPeopleOverHTTPTests: TwoPeopleTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}

final class LostOrderOverHTTPTests: LostOrderTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}

final class OrderKeyOverHTTPTests: OrderKeyTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}

final class GivenUpOrderOverHTTPTests: GivenUpOrderTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}

final class ItemPurchaseOverHTTPTests: ItemPurchaseTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}

final class SharedAccountOverHTTPTests: SharedAccountTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }

  /// Without a proof the restore is only a post: the receipt can be a copy of the true buyer's.
  override func testARestoreTakesALostInstallationsPurchaseAtOnce() async throws {
    let world = try World()
    let next = try await installationAfterALostOne(in: world)
    do {
      try await next.restorePurchases()
      XCTFail("The restore took a purchase whose buyer may still come.")
    } catch {
      XCTAssertEqual(error.code, .validationPending)
    }
    world.clock.advance(by: .seconds(3600))
    try await next.restorePurchases()
    try await assertHoldsThePurchase(next, in: world)
  }
}

final class ReceiptProblemOverHTTPTests: ReceiptProblemTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}

final class NewCustomerOverHTTPTests: NewCustomerTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}

final class ClosedAppRefundOverHTTPTests: ClosedAppRefundTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}

final class FailureStoryClientOverHTTPTests: FailureStoryClientTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}

final class ProvisionalSpendOverHTTPTests: ProvisionalSpendTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}

final class DiscountOverHTTPTests: DiscountTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}

final class FamiliarGemStoreOverHTTPTests: FamiliarGemStoreTests {
  override func setUp() { World.openHTTP() }
  override func tearDown() { World.closeHTTP() }
  func testGoesOverHTTP() throws { try assertGoesOverHTTP() }
}
#endif
