package import GemLedger
import XCTest

/// Holds, on any storage.
package struct HoldContract: LedgerContract {
  let make: (LedgerClock) throws -> Ledger
  let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testAHoldLowersWhatIsAvailable", testAHoldLowersWhatIsAvailable)
    run.step("testACaptureTakesTheHeldLots", testACaptureTakesTheHeldLots)
    run.step("testACaptureOfLessReleasesTheRest", testACaptureOfLessReleasesTheRest)
    run.step("testSeveralCaptures", testSeveralCaptures)
    run.step("testAReleaseGivesBackTheLots", testAReleaseGivesBackTheLots)
    run.step("testADeadlineEndsAHoldByItself", testADeadlineEndsAHoldByItself)
    run.step("testAnExtensionLetsItLast", testAnExtensionLetsItLast)
    run.step("testSeveralCurrencies", testSeveralCurrencies)
    run.step("testAHoldEndsExactlyOnce", testAHoldEndsExactlyOnce)
    run.step("testBadInput", testBadInput)
    run.step("testASpendPassesOverHeldLots", testASpendPassesOverHeldLots)
    run.step("testALotThatExpiresInMidHold", testALotThatExpiresInMidHold)
    run.step("testARefundInMidHold", testARefundInMidHold)
    run.step("testARefundInMidHoldThatFroze", testARefundInMidHoldThatFroze)
    run.step("testAHoldMovesWithAMerge", testAHoldMovesWithAMerge)
    run.step("testACaptureOfALotThatGrewByAMerge", testACaptureOfALotThatGrewByAMerge)
    run.step("testAnswersGivenAgain", testAnswersGivenAgain)
    run.step("testWhatComesBackRepaysADebt", testWhatComesBackRepaysADebt)
    run.step("testNothingLeavesMoneyAndGems", testNothingLeavesMoneyAndGems)
  }

  func assert(
    _ ledger: Ledger, _ customer: CustomerID, balance: Int64, held: Int64, line: UInt = #line
  ) throws {
    try assert(ledger, "GEM", customer, balance: balance, held: held, line: line)
  }

  func assert(
    _ ledger: Ledger, _ code: String, _ customer: CustomerID, balance: Int64, held: Int64, line: UInt = #line
  ) throws {
    let found = try ledger.balance(of: CurrencyCode(code), customer: customer)
    XCTAssertEqual(found.balance, balance, line: line)
    XCTAssertEqual(found.held, held, line: line)
    XCTAssertEqual(found.available, balance - held, line: line)
  }

  private func alice(_ ledger: Ledger, gems: Int64 = 100) throws -> CustomerID {
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", gems)], customer: alice)
    return alice
  }

  func hold(
    _ ledger: Ledger, _ customer: CustomerID, _ amount: Int64, seconds: Int64 = 900
  ) throws -> HoldID {
    let booking = try ledger.hold([Make.amount("GEM", amount)], customer: customer, for: .seconds(seconds))
    return try XCTUnwrap(booking.hold?.id)
  }

  func testAHoldLowersWhatIsAvailable() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    let booking = try ledger.hold([Make.amount("GEM", 30)], customer: alice, for: .seconds(60))
    let hold = try XCTUnwrap(booking.hold)
    let gem = try CurrencyCode("GEM")
    XCTAssertEqual(booking.kind, .hold)
    XCTAssertEqual(hold.amounts, [CurrencyAmount(currency: gem, amount: 30)])
    XCTAssertEqual(hold.balances, [CurrencyAmount(currency: gem, amount: 100)])
    XCTAssertEqual(hold.available, [CurrencyAmount(currency: gem, amount: 70)])
    XCTAssertEqual(hold.expiresAt?.milliseconds, time.now.milliseconds + 60_000)
    try assert(ledger, alice, balance: 100, held: 30)
    XCTAssertEqual(try ledger.holds(of: alice).map(\.id), [hold.id])
    let refusal = assertRefused(.insufficientBalance) { try ledger.spend([Make.amount("GEM", 71)], customer: alice) }
    XCTAssertEqual(refusal?.details.contains(.integer("held", 30)), true)
    try ledger.spend([Make.amount("GEM", 70)], customer: alice)
    try assert(ledger, alice, balance: 30, held: 30)
    assertRefused(.insufficientBalance) { try ledger.hold([Make.amount("GEM", 1)], customer: alice) }
    XCTAssertEqual(try ledger.history(of: alice).transactions.map(\.booking.kind), [.spend, .hold, .grant])
    try check(ledger)
  }

  func testACaptureTakesTheHeldLots() throws {
    let ledger = try ledger()
    let alice = try alice(ledger, gems: 50)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    // The free units burn first, and are the held ones.
    let id = try hold(ledger, alice, 60)
    let capture = try ledger.capture(id)
    XCTAssertEqual(capture.kind, .capture)
    XCTAssertEqual(capture.customer, alice)
    XCTAssertEqual(capture.entries.map(\.kind), [.spend])
    XCTAssertEqual(capture.entries.map(\.amount), [-60])
    XCTAssertEqual(capture.entries[0].allocations.map(\.amount), [-50, -10])
    XCTAssertEqual(capture.entries[0].allocations.map(\.source), [.admin, .paid])
    XCTAssertEqual(capture.hold?.amounts, [])
    try assert(ledger, alice, balance: 1190, held: 0)
    XCTAssertEqual(try ledger.holds(of: alice), [])
    try check(ledger)
  }

  func testACaptureOfLessReleasesTheRest() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    let id = try hold(ledger, alice, 60)
    try ledger.capture(id, amounts: [Make.amount("GEM", 25)])
    try assert(ledger, alice, balance: 75, held: 0)
    assertRefused(.holdEnded) { try ledger.capture(id) }
    try check(ledger)
  }

  func testSeveralCaptures() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    let id = try hold(ledger, alice, 60)
    try ledger.capture(id, amounts: [Make.amount("GEM", 10)], keepsOpen: true)
    try assert(ledger, alice, balance: 90, held: 50)
    assertRefused(.exceedsHold) { try ledger.capture(id, amounts: [Make.amount("GEM", 51)]) }
    try ledger.capture(id, amounts: [Make.amount("GEM", 50)], keepsOpen: true)
    try assert(ledger, alice, balance: 40, held: 0)
    assertRefused(.holdEnded) { try ledger.release(id) }
    try check(ledger)
  }

  func testAReleaseGivesBackTheLots() throws {
    let ledger = try ledger()
    let alice = try alice(ledger, gems: 10)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let id = try hold(ledger, alice, 500)
    let release = try ledger.release(id)
    XCTAssertEqual(release.kind, .release)
    XCTAssertEqual(release.entries.count, 0)
    try assert(ledger, alice, balance: 1210, held: 0)
    let spend = try ledger.spend([Make.amount("GEM", 1210)], customer: alice)
    XCTAssertEqual(spend.entries[0].allocations.map(\.amount), [-10, -1200])
    try check(ledger)
  }

  func testADeadlineEndsAHoldByItself() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    let id = try hold(ledger, alice, 60, seconds: 60)
    time.advance(seconds: 59)
    try assert(ledger, alice, balance: 100, held: 60)
    time.advance(seconds: 1)
    try assert(ledger, alice, balance: 100, held: 0)
    XCTAssertEqual(try ledger.holds(of: alice), [])
    assertRefused(.holdEnded) { try ledger.capture(id, key: Make.key("late")) }
    assertRefused(.holdEnded) { try ledger.extend(id, for: .seconds(60)) }
    try ledger.spend([Make.amount("GEM", 100)], customer: alice)
    XCTAssertEqual(try ledger.history(of: alice).transactions.map(\.booking.kind), [.spend, .release, .hold, .grant])
    let other = try Make.customer("bob")
    try ledger.grant([Make.amount("GEM", 5)], customer: other)
    _ = try hold(ledger, other, 5, seconds: 1)
    time.advance(seconds: 10)
    XCTAssertEqual(try ledger.sweep(), 1)
    XCTAssertEqual(try ledger.sweep(), 0)
    try check(ledger)
  }

  func testAnExtensionLetsItLast() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    let id = try hold(ledger, alice, 60, seconds: 60)
    time.advance(seconds: 50)
    let booking = try ledger.extend(id, for: .seconds(120), key: Make.key("more"))
    XCTAssertEqual(booking.hold?.expiresAt?.milliseconds, time.now.milliseconds + 120_000)
    time.advance(seconds: 100)
    try assert(ledger, alice, balance: 100, held: 60)
    assertRefused(.limitExceeded) { try ledger.extend(id, for: Limits.holdDuration) }
    // A shorter one changes nothing.
    let again = try ledger.extend(id, for: .seconds(1))
    XCTAssertEqual(again.hold?.expiresAt, booking.hold?.expiresAt)
    time.advance(seconds: 20)
    try assert(ledger, alice, balance: 100, held: 0)
    try check(ledger)
  }

  func testSeveralCurrencies() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    try ledger.grant([Make.amount("COIN", 10)], customer: alice)
    let booking = try ledger.hold([Make.amount("GEM", 5), Make.amount("COIN", 7)], customer: alice, for: .seconds(60))
    let id = try XCTUnwrap(booking.hold?.id)
    try ledger.capture(id, amounts: [Make.amount("COIN", 2)], keepsOpen: true)
    try assert(ledger, "COIN", alice, balance: 8, held: 5)
    try assert(ledger, alice, balance: 100, held: 5)
    time.advance(seconds: 60)
    try assert(ledger, "COIN", alice, balance: 8, held: 0)
    // The command on one currency ends the hold in both.
    try ledger.spend([Make.amount("GEM", 100)], customer: alice)
    try ledger.spend([Make.amount("COIN", 8)], customer: alice)
    try check(ledger)
  }

  func testAHoldEndsExactlyOnce() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    let id = try hold(ledger, alice, 60)
    let answers = ledger.submit([.capture(id), .release(id), .capture(id, key: try Make.key("k"))])
    XCTAssertNoThrow(try answers[0].get())
    assertRefused(.holdEnded) { try answers[1].get() }
    assertRefused(.holdEnded) { try answers[2].get() }
    try assert(ledger, alice, balance: 40, held: 0)
    try check(ledger)
  }

  func testBadInput() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    let bob = try Make.customer("bob")
    let id = try hold(ledger, alice, 60)
    assertRefused(.invalidRequest) { try ledger.hold([], customer: alice) }
    assertRefused(.invalidRequest) {
      try ledger.hold([Make.amount("GEM", 1), Make.amount("GEM", 2)], customer: alice)
    }
    assertRefused(.amountOutOfRange) { try ledger.hold([Make.amount("GEM", 0)], customer: alice) }
    assertRefused(.amountOutOfRange) { try ledger.hold([Make.amount("GEM", -1)], customer: alice) }
    assertRefused(.amountOutOfRange) { try ledger.hold([Make.amount("GEM", 1)], customer: alice, for: .zero) }
    assertRefused(.amountOutOfRange) {
      try ledger.hold([Make.amount("GEM", 1)], customer: alice, for: Limits.holdDuration + .seconds(1))
    }
    assertRefused(.customerNotFound) { try ledger.hold([Make.amount("GEM", 1)], customer: bob) }
    assertRefused(.unknownCurrency) { try ledger.hold([Make.amount("NONE", 1)], customer: alice) }
    try ledger.freeze(alice)
    assertRefused(.customerFrozen) { try ledger.hold([Make.amount("GEM", 1)], customer: alice) }
    try ledger.unfreeze(alice)
    let grant = try ledger.history(of: alice).transactions.last?.booking.transactionID
    assertRefused(.holdNotFound) { try ledger.capture(HoldID(XCTUnwrap(grant))) }
    assertRefused(.holdNotFound) { try ledger.release(HoldID("019aa3f2-6c1e-7000-8000-00000a51c7e4")) }
    try assertRefusedWithoutTrace(.exceedsHold, ledger) { try ledger.capture(id, amounts: [Make.amount("GEM", 61)]) }
    try assertRefusedWithoutTrace(.exceedsHold, ledger) { try ledger.capture(id, amounts: [Make.amount("COIN", 1)]) }
    try ledger.release(id)
    try assertRefusedWithoutTrace(.holdEnded, ledger) { try ledger.capture(id) }
    try assertRefusedWithoutTrace(.holdEnded, ledger) { try ledger.release(id) }
    try check(ledger)
  }

  func testASpendPassesOverHeldLots() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    try ledger.grant(
      [Make.amount("GEM", 40)], customer: alice, source: .promotional, expiresAt: time.now.advanced(milliseconds: 9999))
    _ = try hold(ledger, alice, 40)
    // The verification counts the hold, although no entry tells of it.
    XCTAssertEqual(try ledger.spend([Make.amount("GEM", 10)], customer: alice).entries[0].allocations[0].source, .admin)
    try check(ledger)
  }

  func testALotThatExpiresInMidHold() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    let soon = Timestamp(milliseconds: time.now.milliseconds + 100_000)
    try ledger.grant([Make.amount("GEM", 40)], customer: alice, source: .promotional, expiresAt: soon)
    let first = try hold(ledger, alice, 30, seconds: 1000)
    let second = try hold(ledger, alice, 5, seconds: 1000)
    time.advance(seconds: 100)
    // The held currency lives on; the rest is gone.
    try assert(ledger, alice, balance: 35, held: 35)
    let capture = try ledger.capture(first, amounts: [Make.amount("GEM", 20)])
    XCTAssertEqual(capture.expired, [CurrencyAmount(currency: try CurrencyCode("GEM"), amount: 10)])
    XCTAssertEqual(capture.entries.map(\.amount), [-20, -10])
    XCTAssertEqual(capture.balance(try CurrencyCode("GEM")), 5)
    try assert(ledger, alice, balance: 5, held: 5)
    let release = try ledger.release(second)
    XCTAssertEqual(release.expired, [CurrencyAmount(currency: try CurrencyCode("GEM"), amount: 5)])
    try assert(ledger, alice, balance: 0, held: 0)
    try check(ledger)
  }

  func testAHoldMovesWithAMerge() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    let bob = try Make.customer("bob")
    try ledger.grant([Make.amount("GEM", 7)], customer: bob)
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let id = try hold(ledger, alice, 150, seconds: 600)
    let all = try hold(ledger, alice, 1150, seconds: 600)
    try ledger.merge(from: alice, into: bob)
    try assert(ledger, bob, balance: 1307, held: 1300)
    XCTAssertEqual(try ledger.holds(of: bob).map(\.id), [id, all])
    let capture = try ledger.capture(id, amounts: [Make.amount("GEM", 120)])
    XCTAssertEqual(capture.customer, bob)
    XCTAssertEqual(capture.entries[0].allocations.map(\.amount), [-100, -20])
    try assert(ledger, bob, balance: 1187, held: 1150)
    time.advance(seconds: 600)
    try assert(ledger, bob, balance: 1187, held: 0)
    try ledger.refund(Make.refund("t"))
    try assert(ledger, bob, balance: 0, held: 0)
    try ledger.reverse(try XCTUnwrap(capture.transactionID))
    try check(ledger)
  }

  /// A release beside a capture may leave more in a pooled lot than it was ever given at once.
  func testACaptureOfALotThatGrewByAMerge() throws {
    let ledger = try ledger()
    let alice = try alice(ledger, gems: 30)
    let id = try hold(ledger, alice, 30)
    let bob = try Make.customer("bob")
    try ledger.grant([Make.amount("GEM", 30)], customer: bob)
    try ledger.merge(from: bob, into: alice)
    try ledger.capture(id, amounts: [Make.amount("GEM", 28)])
    try assert(ledger, alice, balance: 32, held: 0)
    try check(ledger)
  }

  func testAnswersGivenAgain() throws {
    let ledger = try ledger()
    let alice = try alice(ledger)
    func twice(_ command: LedgerCommand) throws -> Booking {
      let first: Booking = try ledger.book(command)
      try ledger.grant([Make.amount("GEM", 1)], customer: alice)
      var again: Booking = try ledger.book(command)
      XCTAssertTrue(again.isReplayed)
      again.isReplayed = false
      XCTAssertEqual(again, first)
      return first
    }
    let held = try twice(.hold([Make.amount("GEM", 60)], customer: alice, key: Make.key("h")))
    let id = try XCTUnwrap(held.hold?.id)
    _ = try twice(.extend(id, for: .seconds(3000), key: Make.key("e")))
    _ = try twice(.capture(id, amounts: [Make.amount("GEM", 10)], keepsOpen: true, key: Make.key("c")))
    let last = try twice(.capture(id, amounts: [Make.amount("GEM", 20)], key: Make.key("d")))
    assertRefused(.keyConflict) { try ledger.capture(id, amounts: [Make.amount("GEM", 21)], key: Make.key("d")) }
    assertRefused(.keyConflict) { try ledger.hold([Make.amount("GEM", 61)], customer: alice, key: Make.key("h")) }
    _ = try twice(.reverse(try XCTUnwrap(last.transactionID), key: Make.key("r")))
    // The part that was not captured is released, and reported with the rest.
    try ledger.grant([Make.amount("COIN", 9)], customer: alice)
    let both = try ledger.hold([Make.amount("GEM", 5), Make.amount("COIN", 9)], customer: alice)
    let gems = [try Make.amount("GEM", 2)]
    let part = try twice(.capture(try XCTUnwrap(both.hold?.id), amounts: gems, key: Make.key("p")))
    XCTAssertEqual(part.hold?.available.map(\.currency.description), ["COIN", "GEM"])
    XCTAssertEqual(part.hold?.available.first?.amount, 9)
    let other = try hold(ledger, alice, 5)
    _ = try twice(.release(other, key: Make.key("l")))
    // Also within one group, which has not looked at the lot.
    let soon = Timestamp(milliseconds: time.now.milliseconds + 9_000_000)
    try ledger.grant([Make.amount("GEM", 5)], customer: alice, source: .promotional, expiresAt: soon)
    let capture = LedgerCommand.capture(try hold(ledger, alice, 5), key: try Make.key("g"))
    var answers = try ledger.submit([capture, capture]).map { try $0.get() }
    XCTAssertTrue(answers[1].isReplayed)
    answers[1].isReplayed = false
    XCTAssertEqual(answers[1], answers[0])
    try check(ledger)
  }

  /// Currency on hold while a refund made a debt repays the debt as it comes back.
  func testWhatComesBackRepaysADebt() throws {
    let ledger = try ledger()
    let alice = try Make.customer("alice")
    try ledger.grant([Make.amount("RUBY", 100)], customer: alice)
    let held = try ledger.hold([Make.amount("RUBY", 100)], customer: alice, key: Make.key("h"))
    try ledger.creditPurchase(Make.purchase("t", product: "rubies"), customer: alice)
    try ledger.spend([Make.amount("RUBY", 120)], customer: alice)
    try ledger.refund(Make.refund("t"))
    let command = LedgerCommand.release(try XCTUnwrap(held.hold?.id), key: try Make.key("r"))
    let release: Booking = try ledger.book(command)
    XCTAssertEqual(release.reclaimed.map(\.amount), [100])
    try assert(ledger, "RUBY", alice, balance: 0, held: 0)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("RUBY"), customer: alice).debt, 20)
    var again: Booking = try ledger.book(command)
    again.isReplayed = false
    XCTAssertEqual(again, release)
    try check(ledger)
  }

  /// Hold, refund, release; spend, refund, reverse; hold, refund, capture, reverse.
  func testNothingLeavesMoneyAndGems() throws {
    let ledger = try ledger()
    for (product, code) in [("gems_1200", "GEM"), ("rubies", "RUBY"), ("ore_pack", "ORE")] {
      for path in 0..<3 {
        let name = "alice \(code) \(path)"
        let alice = try Make.customer(name)
        try ledger.creditPurchase(Make.purchase(name, product: product), customer: alice)
        if path == 1 {
          let spend = try ledger.spend([Make.amount(code, 70)], customer: alice)
          try ledger.refund(Make.refund(name))
          try ledger.reverse(try XCTUnwrap(spend.transactionID))
        } else {
          let held = try ledger.hold([Make.amount(code, 70)], customer: alice)
          let id = try XCTUnwrap(held.hold?.id)
          try ledger.refund(Make.refund(name))
          if path == 0 {
            try ledger.release(id)
          } else {
            try ledger.reverse(try XCTUnwrap(ledger.capture(id).transactionID))
          }
        }
        let found = try ledger.balance(of: CurrencyCode(code), customer: alice)
        XCTAssertEqual(found.balance, 0, "\(product) by path \(path)")
        XCTAssertEqual(found.debt, 0, "\(product) by path \(path)")
      }
    }
    try check(ledger)
  }
}
