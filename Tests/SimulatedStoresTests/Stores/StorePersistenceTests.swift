import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import Synchronization
import XCTest

/// A store that is opened again goes on where its process ended.
final class StorePersistenceTests: XCTestCase {
  func testAPaidPurchaseSurvivesTheProcess() async throws {
    let eventLog = RetainedEventLog()
    let token = AccountToken(of: try CustomerID("alice"))
    let first = try SimulatedShop(eventLog: eventLog)
    let bought = try await first.phone.buy("gems", quantity: 2, token: token)
    let again = try SimulatedShop(eventLog: eventLog)
    let found = try await again.phone.unfinished(after: nil, limit: 10)
    XCTAssertEqual(found.map(\.transaction), [bought])
    try await again.phone.finish(bought.id)
    let third = try SimulatedShop(eventLog: eventLog)
    let unfinished = try await third.phone.unfinishedIDs()
    XCTAssertEqual(unfinished, [])
    let next = try await third.phone.buy("gems").id
    XCTAssertGreaterThan(next, bought.id, "ids are not used again")
  }

  func testEveryStepIsDurableWhenItIsReported() async throws {
    let eventLog = RetainedEventLog()
    let shop = try SimulatedShop(eventLog: eventLog)
    let seen = StepLog()
    shop.store.onStep = { step in
      // The store that another process would find if this one ended here.
      guard let other = try? SimulatedShop(eventLog: eventLog) else { return }
      if case .paid(let id) = step, other.store.transaction(identifier: id)?.isFinished == false { seen.add(step) }
      if case .finished(let id) = step, other.store.transaction(identifier: id)?.isFinished == true { seen.add(step) }
    }
    let id = try await shop.phone.buy("gems").id
    try await shop.phone.finish(id)
    XCTAssertEqual(seen.all, [.paid(id), .finished(id)])
  }

  /// A process that ends itself in a renewal's step finds the renewal again, and not in the future.
  func testARenewalIsNotAheadOfTheClockThatIsKept() async throws {
    let eventLog = RetainedEventLog()
    let shop = try SimulatedShop(eventLog: eventLog)
    try await shop.phone.buy("weekly")
    let seen = Mutex<[Bool]>([])
    shop.store.onStep = { step in
      guard case .paid = step, let other = try? SimulatedShop(eventLog: eventLog) else { return }
      let newest = other.store.allTransactions().map(\.transaction.purchasedAt).max()
      seen.withLock { $0.append(newest.map { $0 <= other.clock.now } ?? false) }
    }
    shop.clock.advance(by: .seconds(8 * 86_400))
    XCTAssertEqual(seen.withLock { $0 }, [true])
  }

  func testSettingsFaultsClockAndNoticesSurvive() async throws {
    let eventLog = RetainedEventLog()
    let first = try SimulatedShop(eventLog: eventLog)
    let japan = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
    first.store.askToBuyEnabled = true
    first.store.disableDialogs = false
    first.store.storefront = japan
    first.store.locale = "ja_JP"
    first.store.timeRate = .anyRenewalEveryTenSeconds
    first.store.failureError = .networkError
    try first.store.setState(.inReview, ofProduct: "chest")
    try first.store.setSimulatedError(.verification(.invalidEncoding), forAPI: .verification)
    try first.store.addOfferCode("X", forProduct: "gems")
    let plan: FaultPlan = [
      StoreFault(.delay(.seconds(5)), on: .updates, .nth(2)), StoreFault(.unverified(.invalidSignature), on: .purchase),
      StoreFault(.failure(.systemError), on: .all, .always, account: "alice", device: "phone"),
      StoreFault(.slow(.milliseconds(10)), on: .finish, .times(3)),
      StoreFault(.duplicate, on: .updates, .chance(percent: 7)),
    ]
    try first.store.inject(plan)
    let id = try first.store.buyProduct(identifier: "gems", account: "alice").identifier
    try first.store.refundTransaction(identifier: id, extent: .milliPercent(1), isAppIssue: true)
    first.clock.advance(by: .seconds(3))
    let again = try SimulatedShop(eventLog: eventLog)
    XCTAssertEqual(again.clock.now, first.clock.now)
    XCTAssertTrue(again.store.askToBuyEnabled)
    XCTAssertFalse(again.store.disableDialogs)
    XCTAssertEqual(again.store.storefront, japan)
    XCTAssertEqual(again.store.locale, "ja_JP")
    XCTAssertEqual(again.store.timeRate, .anyRenewalEveryTenSeconds)
    XCTAssertEqual(again.store.failureError, .networkError)
    XCTAssertEqual(again.store.state(ofProduct: "chest"), .inReview)
    XCTAssertEqual(again.store.simulatedError(forAPI: .verification), .verification(.invalidEncoding))
    XCTAssertEqual(again.store.faults, first.store.faults)
    XCTAssertEqual(again.store.faults.count, 4, "the second update was delayed, that fault is spent")
    XCTAssertEqual(again.store.allTransactions(), first.store.allTransactions())
    XCTAssertEqual(again.store.pendingNotices(), first.store.pendingNotices())
    let updates = Reader(again.phone.updates())
    let launch = await updates.next()
    XCTAssertNotNil(launch?.transaction.revocation)
    again.clock.advance(by: .seconds(2))
    let late = await updates.next()
    XCTAssertEqual(late?.transaction.id, id, "the delayed update comes in the next process")
  }

  func testAOneShotFaultStrikesOnceAcrossProcesses() async throws {
    let eventLog = RetainedEventLog()
    try SimulatedShop(eventLog: eventLog).store.inject(StoreFault(.networkCutBefore, on: .purchase))
    await assertFails(.networkError) { try await SimulatedShop(eventLog: eventLog).phone.buy("gems") }
    try await SimulatedShop(eventLog: eventLog).phone.buy("gems")
  }

  func testRenewalsThatFellDueMeanwhileHappenWhenItIsOpened() async throws {
    let eventLog = RetainedEventLog()
    try await SimulatedShop(eventLog: eventLog).phone.buy("weekly")
    let later = VirtualClock()
    later.advance(by: .seconds(15 * 86_400))
    let again = try SimulatedShop(clock: later, eventLog: eventLog)
    XCTAssertEqual(again.store.allTransactions().count, 3)
  }

  func testAJournalThatFailsShowsNothingAndLosesNothing() async throws {
    let eventLog = RetainedEventLog()
    let shop = try SimulatedShop(eventLog: eventLog)
    let updates = Reader(shop.tablet.updates())
    eventLog.isBroken = true
    await assertFails(.systemError) { try await shop.phone.buy("gems") }
    shop.store.askToBuyEnabled = true
    await assertFails(.systemError) { try await shop.phone.unfinishedIDs() }
    XCTAssertEqual(try SimulatedShop(eventLog: eventLog).store.allTransactions(), [])
    eventLog.isBroken = false
    let unfinished = try await shop.phone.unfinishedIDs()
    XCTAssertEqual(unfinished.count, 1, "as if the answer had been lost")
    let update = await updates.next()
    XCTAssertEqual(update?.transaction.id, unfinished.first)
    let again = try SimulatedShop(eventLog: eventLog)
    XCTAssertEqual(again.store.allTransactions(), shop.store.allTransactions())
    XCTAssertTrue(again.store.askToBuyEnabled)
  }

  func testALongJournalIsMadeSmallAndSaysTheSame() async throws {
    let eventLog = RetainedEventLog()
    let shop = try SimulatedShop(eventLog: eventLog)
    try await shop.phone.buy("monthly")
    for _ in 0..<800 {
      shop.store.askToBuyEnabled.toggle()
      shop.store.locale = "en_US"
    }
    XCTAssertGreaterThan(eventLog.compactions, 0)
    XCTAssertLessThan(eventLog.count, 1100)
    let again = try SimulatedShop(eventLog: eventLog)
    XCTAssertEqual(again.store.allTransactions(), shop.store.allTransactions())
    again.clock.advance(by: .seconds(31 * 86_400))
    XCTAssertEqual(again.store.allTransactions().count, 2)
  }

  func testAJournalOfAnotherStoreIsRefused() throws {
    let eventLog = RetainedEventLog()
    _ = try SimulatedShop(eventLog: eventLog)
    assertRefused(.storageForeign) {
      try SimulatedPlayStore(
        catalog: SimulatedShop.catalog(), session: "test", clock: VirtualClock(), signer: PlainSigner(),
        eventLog: eventLog)
    }
    assertRefused(.storageForeign) {
      try SimulatedStore(
        catalog: SimulatedShop.catalog(), session: "other", clock: VirtualClock(), signer: PlainSigner(),
        eventLog: eventLog)
    }
    for (record, code) in [
      ("{}", .storageForeign), ("no JSON", .storageDamaged),
      ("{\"e\":\"shop\",\"flavour\":\"apple\",\"version\":2}", .storageNewer),
    ] as [(String, LedgerError.Code)] {
      let eventLog = RetainedEventLog()
      try eventLog.append([record])
      assertRefused(code) { try SimulatedShop(eventLog: eventLog) }
    }
  }

  func testADamagedRecordIsNamedNotGuessedAt() async throws {
    let eventLog = RetainedEventLog()
    try await SimulatedShop(eventLog: eventLog).phone.buy("gems")
    let records = try eventLog.records()
    for (index, record) in records.enumerated() {
      let damaged = RetainedEventLog()
      var copy = records
      copy[index] = record.replacing("\"e\":", with: "\"f\":")
      try damaged.append(copy)
      XCTAssertThrowsError(try SimulatedShop(eventLog: damaged), record)
    }
  }

  func testRandomUseLeavesTheSameStoreInMemoryAndInTheJournal() async throws {
    var generator = SeededRandom()
    for _ in 0..<20 {
      let eventLog = RetainedEventLog()
      var shop = try SimulatedShop(seed: generator.next(), eventLog: eventLog)
      try shop.store.inject(.chaos(percent: 10))
      for _ in 0..<60 { try await act(on: shop, &generator) }
      let clock = VirtualClock()
      let before = (shop.store.allTransactions(), shop.store.pendingNotices(limit: 1000), shop.store.faults)
      shop = try SimulatedShop(clock: clock, eventLog: eventLog)
      XCTAssertEqual(shop.store.allTransactions(), before.0)
      XCTAssertEqual(shop.store.pendingNotices(limit: 1000), before.1)
      XCTAssertEqual(shop.store.faults, before.2)
      try shop.store.clearFaults()
      for account in ["alice", "bob"] {
        try await shop.store.account(account).device("phone").sync()
        let listed = try await shop.store.account(account).device("phone").unfinishedIDs()
        let expected = shop.store.account(account).transactions().filter { $0.state == .purchased && !$0.isFinished }
        XCTAssertEqual(listed, expected.map(\.identifier))
      }
    }
  }

  /// Takes one random step on a random device; failures are expected.
  private func act(on shop: SimulatedShop, _ generator: inout SeededRandom) async throws {
    let device = shop.store.account(generator.one(of: ["alice", "bob"])).device(generator.one(of: ["phone", "tablet"]))
    let product = generator.one(of: ["gems", "chest", "vip", "monthly", "weekly"])
    let id = shop.store.allTransactions().map(\.identifier).randomElement(using: &generator)
    switch generator.below(8) {
    case 0, 1, 2: _ = try? await device.purchase(StorePaymentRequest(productID: product))
    case 3: if let id { try? await device.finish(id) }
    case 4: if let id { try? shop.store.approveAskToBuyTransaction(identifier: id) }
    case 5: if let id { try? shop.store.refundTransaction(identifier: id) }
    case 6: if let id { try? shop.store.reverseRefund(identifier: id) }
    default: shop.clock.advance(by: .seconds(Int64(generator.below(10) * 86_400)))
    }
  }
}
