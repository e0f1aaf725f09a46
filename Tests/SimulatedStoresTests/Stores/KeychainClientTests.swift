import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// A client with its state in a keychain: what is paid for is credited once, wherever the process ends.
final class KeychainClientTests: XCTestCase {
  private struct App {
    let world: World
    let backend: FaultyBackend

    init() throws {
      world = try World(seed: 7, catalog: ControlFixture.catalog())
      backend = FaultyBackend(world.backend)
    }

    func launch(_ keychain: FaultyKeychain) throws -> StoreClient {
      world.phone.relaunch()
      return try world.client(
        ControlFixture.alice, on: world.phone, eventLog: KeychainEventLog(name: "gems", in: keychain), backend: backend)
    }
  }

  func testAPurchaseThatWaitsIsCreditedAfterTheNextStart() async throws {
    let (app, keychain) = (try App(), FaultyKeychain())
    app.backend.fail(.post, with: .networkLostBeforeEffect)
    let result = try await app.launch(keychain).buy("gems")
    XCTAssertEqual(result, .pendingServerValidation)
    let client = try app.launch(keychain)
    XCTAssertEqual(client.queueCounts.pending, 1)
    await client.syncPurchases()
    try await assertSees(300, client)
  }

  /// The keychain takes nothing from some change on, as where the process ends there.
  func testAProcessThatEndsBetweenAnyTwoChangesLosesNothingAndDoublesNothing() async throws {
    var cut = 0
    var isCut = true
    while isCut {
      let (app, keychain) = (try App(), FaultyKeychain())
      keychain.inject(.ended, atChange: cut)
      // Where the keychain ends before the payment, nothing is paid for.
      if let client = try? app.launch(keychain) { _ = try? await client.buy("gems") }
      isCut = keychain.changeCount > cut
      let client = try app.launch(FaultyKeychain(keychain.values))
      await client.syncPurchases()
      let paid = app.world.store.allTransactions().count { $0.state == .purchased }
      try await assertSees(300 * paid, client)
      cut += 1
    }
    XCTAssertGreaterThan(cut, 4)
  }
}
