import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import Synchronization
import XCTest

/// The end of the app between any two steps of a purchase, as a client's user sees it.
final class StoreCrashControlsTests: XCTestCase {
  private static let steps = ["asked", "paid", "delivered", "finishing", "finished"]

  func testWhateverStepTheAppEndsAtEveryPaymentIsCreditedOnce() async throws {
    for wanted in Self.steps {
      let fixture = try ControlFixture()
      _ = try await fixture.client.offerings()
      let left = try await crash(
        at: wanted, eventLog: fixture.eventLog, backend: fixture.backend, inject: { try fixture.store.inject($0) },
        hear: { fixture.store.onStep = $0 }, buy: { _ = try? await fixture.client.buy("gems") })
      try fixture.store.clearFaults()
      fixture.world.phone.relaunch()
      let next = try fixture.world.client(nil, on: fixture.world.phone, eventLog: left, backend: fixture.backend)
      await next.syncPurchases()
      let paid = fixture.store.allTransactions().count { $0.state == .purchased }
      XCTAssertEqual(paid, wanted == "asked" ? 0 : 1, wanted)
      XCTAssertEqual(next.customerID.text, ControlFixture.alice)
      try await assertSees(300 * paid, next, wanted)
      let unfinished = try await fixture.world.phone.unfinishedIDs()
      XCTAssertEqual(unfinished, [], wanted)
      try assertBooksAddUp(fixture.world.ledger)
    }
  }

  func testTheSameAtGooglePlay() async throws {
    for wanted in Self.steps {
      let fixture = try PlayFixture()
      _ = try await fixture.client.offerings()
      let left = try await crash(
        at: wanted, eventLog: fixture.eventLog, backend: fixture.backend, inject: { try fixture.store.inject($0) },
        hear: { fixture.store.onStep = $0 }, buy: { _ = try? await fixture.client.buy("gems") })
      try fixture.store.clearFaults()
      fixture.pixel.relaunch()
      let next = try fixture.world.client(nil, on: fixture.pixel, eventLog: left, backend: fixture.backend)
      await next.syncPurchases()
      let paid = fixture.store.purchases().count
      XCTAssertEqual(paid, wanted == "asked" ? 0 : 1, wanted)
      try await assertSees(300 * paid, next, wanted)
      XCTAssertEqual(fixture.store.purchases().map(\.isConsumed), wanted == "asked" ? [] : [true], wanted)
    }
  }

  func testAStoreThatIsKeptGoesOnInTheNextProcess() async throws {
    let (world, kept) = (try World(catalog: ControlFixture.catalog()), RetainedEventLog())
    func open() throws -> (SimulatedStore, StoreClient) {
      let store = try SimulatedStore(
        catalog: ControlFixture.catalog(), store: .apple, session: World.session, seed: 5, clock: world.clock,
        signer: world.receipts, eventLog: kept)
      return (store, try world.client(ControlFixture.alice, on: store.account("family").device("phone")))
    }
    let (first, client) = try open()
    first.askToBuyEnabled = true
    let result = try await client.buy("gems")
    let (second, next) = try open()
    let other = try await next.buy("chest")
    XCTAssertEqual([result, other], [.pending, .pending], "the switch is kept")
    try second.approveAskToBuyTransaction(identifier: try XCTUnwrap(second.allTransactions().first).identifier)
    await next.syncPurchases()
    try await assertSees(300, next)
  }

  func testAPlayStoreThatIsKeptGoesOnInTheNextProcess() async throws {
    let (world, kept) = (try World(catalog: ControlFixture.catalog()), RetainedEventLog())
    func open() throws -> (SimulatedPlayStore, StoreClient) {
      let store = try SimulatedPlayStore(
        catalog: ControlFixture.catalog(), session: World.session, seed: 5, clock: world.clock, signer: world.receipts,
        eventLog: kept)
      return (store, try world.client(ControlFixture.alice, on: store.account("family").device("pixel")))
    }
    let (first, client) = try open()
    first.paymentInstrument = .cash
    let result = try await client.buy("gems")
    let (second, next) = try open()
    let other = try await next.buy("chest")
    XCTAssertEqual([result, other], [.pending, .pending], "the switch is kept")
    try second.approvePendingPurchase(token: try XCTUnwrap(second.purchases().first).purchaseToken)
    await next.syncPurchases()
    try await assertSees(300, next)
  }

  /// Ends the app at the step: from there on it reaches no server, and only the event log of that moment is left of it.
  private func crash(
    at wanted: String, eventLog: MemoryEventLog, backend: FaultyBackend,
    inject: @escaping @Sendable (FaultPlan) throws -> Void,
    hear: (@escaping @Sendable (StoreStep) -> Void) -> Void, buy: () async -> Void
  ) async throws -> MemoryEventLog {
    let kept = Mutex<[String]?>(nil)
    hear { step in
      let name =
        switch step {
        case .asked: "asked"
        case .paid: "paid"
        case .delivered: "delivered"
        case .finishing: "finishing"
        case .finished: "finished"
        }
      guard name == wanted, kept.withLock({ $0 }) == nil else { return }
      kept.withLock { $0 = eventLog.records() }
      backend.fail(with: .networkLostBeforeEffect, .always)
      do {
        try inject([
          StoreFault(.networkCutBefore, on: .purchase, .always), StoreFault(.networkCutBefore, on: .finish, .always),
        ])
      } catch { XCTFail("\(error)") }
    }
    await buy()
    hear { _ in }
    backend.heal()
    return MemoryEventLog(try XCTUnwrap(kept.withLock { $0 }, "the purchase never came to \(wanted)"))
  }
}
