#if Server
import StoreBackend
import StoreTestSupport
import XCTest

// End-to-end suites over a real server on a port of this machine, with a URL session.

final class OrderKeyOverLoopbackTests: OrderKeyTests {
  private let servers = LoopbackServers()

  override func setUp() { World.openHTTP(on: servers) }
  override func tearDown() async throws {
    World.closeHTTP()
    await servers.stop()
  }
  func testGoesOverHTTP() throws { XCTAssertFalse(try World().access is LocalBackend) }
}

final class TwoPeopleOverLoopbackTests: TwoPeopleTests {
  private let servers = LoopbackServers()

  override func setUp() { World.openHTTP(on: servers) }
  override func tearDown() async throws {
    World.closeHTTP()
    await servers.stop()
  }
  func testGoesOverHTTP() throws { XCTAssertFalse(try World().access is LocalBackend) }
}

final class ItemPurchaseOverLoopbackTests: ItemPurchaseTests {
  private let servers = LoopbackServers()

  override func setUp() { World.openHTTP(on: servers) }
  override func tearDown() async throws {
    World.closeHTTP()
    await servers.stop()
  }
  func testGoesOverHTTP() throws { XCTAssertFalse(try World().access is LocalBackend) }
}
#endif
