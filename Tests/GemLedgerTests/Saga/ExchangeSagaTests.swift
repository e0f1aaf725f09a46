import GemLedger
import GemTestSupport
import XCTest

/// Exchanges into a currency of another server.
final class ExchangeSagaTests: XCTestCase {
  private func check(
    _ world: SagaWorld, balance: Int64, held: Int64 = 0, coins: Int64, line: UInt = #line
  ) throws {
    let found = try world.balance
    XCTAssertEqual(found.balance, balance, line: line)
    XCTAssertEqual(found.held, held, line: line)
    XCTAssertEqual(world.server.coins, coins, line: line)
    try assertBooksAddUp(world.ledger, line: line)
  }

  func testAnExchangeTakesHereAndCreditsThere() async throws {
    let world = try SagaWorld()
    guard case .exchanged(let booking) = try await world.run() else { return XCTFail("not exchanged") }
    XCTAssertEqual(booking.entries.map(\.amount), [-50])
    try check(world, balance: 50, coins: 5000)
    // The same key is the same exchange, and does not call the other server again.
    guard case .exchanged(let again) = try await world.run() else { return XCTFail("not exchanged") }
    XCTAssertEqual(again.transactionID, booking.transactionID)
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(world.server.calls, 1)
    let other = RemoteExchange(
      customer: world.alice, gives: world.exchange.gives,
      gets: CurrencyAmount(currency: world.exchange.gets.currency, amount: 5001))
    await assertRefused(.keyConflict) { try await world.saga.run(other, key: Make.key("k")) }
    try check(world, balance: 50, coins: 5000)
  }

  func testARefusalForGoodReleases() async throws {
    let world = try SagaWorld()
    world.server.refuse()
    for _ in 0..<2 {
      let outcome = try await world.run()
      XCTAssertEqual(outcome, .refused(reason: "No such player."))
    }
    XCTAssertEqual(world.server.calls, 1)
    try check(world, balance: 100, coins: 0)
    XCTAssertEqual(try world.ledger.history(of: world.alice).transactions.first?.reason?.text, "No such player.")
  }

  func testWhatIsNotThereIsNotAskedFor() async throws {
    let world = try SagaWorld()
    try world.ledger.spend([Adjustment(world.gem, 60)], customer: world.alice)
    await assertRefused(.insufficientBalance) { try await world.run() }
    XCTAssertEqual(world.server.calls, 0)
    let nothing = RemoteExchange(
      customer: world.alice, gives: world.exchange.gives,
      gets: CurrencyAmount(currency: world.exchange.gets.currency, amount: 0))
    await assertRefused(.amountOutOfRange) { try await world.saga.run(nothing, key: Make.key("z")) }
    await assertRefused(.invalidIdentifier) { try await world.run(String(repeating: "k", count: 240)) }
    try check(world, balance: 40, coins: 0)
  }

  func testAnUnknownOutcomeKeepsTheHoldOpen() async throws {
    let world = try SagaWorld()
    world.server.answers(false)
    let unknown = await assertRefused(.outcomeUnknown) { try await world.run() }
    XCTAssertEqual(unknown?.text("key"), "k")
    try check(world, balance: 100, held: 50, coins: 5000)
    world.server.answers(true)
    guard case .exchanged = try await world.run() else { return XCTFail("not exchanged") }
    try check(world, balance: 50, coins: 5000)
  }

  func testAHoldLastsWhileTheOutcomeIsUnknown() async throws {
    let world = try SagaWorld()
    world.server.answers(false)
    for _ in 0..<20 {
      await assertRefused(.outcomeUnknown) { try await world.run() }
      try check(world, balance: 100, held: 50, coins: 5000)
      // A minute before it ends.
      world.time.advance(seconds: 86_400 - 60)
    }
    // The exchange was not resumed in time, so the other side is asked.
    world.time.advance(seconds: 86_400)
    guard case .exchanged = try await world.run() else { return XCTFail("not exchanged") }
    try check(world, balance: 50, coins: 5000)
  }

  func testAHoldThatEndedIsSettledByWhatTheOtherSideSays() async throws {
    for credits in [true, false] {
      let world = try SagaWorld()
      world.server.answers(false)
      if !credits { world.crashPoint.begin(deaths: [1: .before]) }
      await assertRefused(.outcomeUnknown) { try await world.run() }
      world.crashPoint.begin()
      world.server.answers(true)
      world.time.advance(seconds: 2 * 86_400)
      let outcome = try await world.run()
      if credits {
        guard case .exchanged(let booking) = outcome else { return XCTFail("\(outcome)") }
        XCTAssertEqual(booking.kind, .spend)
      } else {
        guard case .refused = outcome else { return XCTFail("\(outcome)") }
      }
      try check(world, balance: credits ? 50 : 100, coins: credits ? 5000 : 0)
      let again = try await world.run()
      if case .exchanged = again { XCTAssertTrue(credits) } else { XCTAssertFalse(credits) }
    }
  }

  func testWhatIsDueAndGoneIsSaidUntilItIsThere() async throws {
    let world = try SagaWorld()
    world.server.answers(false)
    await assertRefused(.outcomeUnknown) { try await world.run() }
    world.time.advance(seconds: 2 * 86_400)
    try world.ledger.spend([Adjustment(world.gem, 60)], customer: world.alice)
    for _ in 0..<3 {
      guard case .unpaid(let why) = try await world.run() else { return XCTFail("paid") }
      XCTAssertEqual(why.code, .insufficientBalance)
    }
    let resumed = try await world.saga.resumeAll()
    XCTAssertEqual(resumed.exchanges.map(\.isFinished), [false])
    try world.ledger.grant([Adjustment(world.gem, 30)], customer: world.alice)
    try world.ledger.freeze(world.alice)
    guard case .unpaid(let frozen) = try await world.run() else { return XCTFail("paid") }
    XCTAssertEqual(frozen.code, .customerFrozen)
    try world.ledger.unfreeze(world.alice)
    // The unfinished exchange is found again from the cursor of the earlier call.
    let paid = try await world.saga.resumeAll(after: resumed.cursor)
    XCTAssertEqual(paid.exchanges.map(\.isFinished), [true])
    let none = try await world.saga.resumeAll(after: paid.cursor)
    XCTAssertEqual(none.exchanges.count, 0)
    try check(world, balance: 20, coins: 5000)
  }

  func testAServerThatCannotSayLeavesItToPeople() async throws {
    let world = try SagaWorld()
    world.server.cannotSay()
    world.server.answers(false)
    await assertRefused(.outcomeUnknown) { try await world.run() }
    world.time.advance(seconds: 2 * 86_400)
    await assertRefused(.outcomeUnknown) { try await world.run() }
    let resumed = try await world.saga.resumeAll()
    XCTAssertEqual(resumed.exchanges.map(\.isFinished), [false])
    try check(world, balance: 100, coins: 5000)
  }

  func testWhatAPersonCapturedIsNotTakenTwice() async throws {
    for amount in [50, 20] as [Int64] {
      let world = try SagaWorld()
      world.server.answers(false)
      await assertRefused(.outcomeUnknown) { try await world.run() }
      let hold = try XCTUnwrap(world.ledger.holds(of: world.alice).first).id
      try world.ledger.capture(hold, amounts: [Adjustment(world.gem, amount)])
      for _ in 0..<2 {
        guard case .exchanged = try await world.run() else { return XCTFail("not exchanged") }
      }
      try check(world, balance: 50, coins: 5000)
    }
  }

  func testAfterAMergeTheSurvivorPays() async throws {
    let world = try SagaWorld()
    let bob = try Make.customer("bob")
    try world.ledger.grant([Adjustment(world.gem, 1)], customer: bob)
    world.server.answers(false)
    await assertRefused(.outcomeUnknown) { try await world.run() }
    try world.ledger.merge(from: world.alice, into: bob)
    world.server.answers(true)
    let resumed = try await world.saga.resumeAll()
    XCTAssertEqual(resumed.exchanges.map(\.exchange), [world.exchange])
    XCTAssertEqual(resumed.exchanges.map(\.isFinished), [true])
    try check(world, balance: 51, coins: 5000)
  }

  func testARestartFindsWhatIsUnfinished() async throws {
    let world = try SagaWorld()
    world.server.answers(false)
    for number in 0..<2 { await assertRefused(.outcomeUnknown) { try await world.run("k\(number)") } }
    let still = try await world.saga.resumeAll()
    XCTAssertEqual(still.exchanges.map(\.key.text), ["k0", "k1"])
    XCTAssertEqual(still.exchanges.map(\.isFinished), [false, false])
    world.server.answers(true)
    let resumed = try await world.saga.resumeAll(after: still.cursor)
    XCTAssertEqual(resumed.exchanges.map(\.isFinished), [true, true])
    try check(world, balance: 0, coins: 10_000)
    let none = try await world.saga.resumeAll()
    XCTAssertEqual(none.exchanges.count, 0)
  }
}
