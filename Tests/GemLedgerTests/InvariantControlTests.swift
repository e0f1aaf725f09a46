import GemLedger
import GemTestSupport
import Synchronization
import XCTest

/// Each invariant is broken once on purpose: a harness that cannot fail would prove nothing.
final class InvariantControlTests: XCTestCase {
  /// Runs until something is found; it must be that the invariant is broken, in one of a few runs: another may notice
  /// the same damage before it.
  private func assertFound(
    _ invariant: Invariant, _ change: (inout InvariantContract.Access) -> Void, line: UInt = #line
  ) throws {
    var access = InvariantContract.Access()
    change(&access)
    var found: [String] = []
    for generator in InvariantContract.generator(8, quick: 8) {
      var contract = try InvariantContract(generator: generator, access: access) { Ledger.inMemory(clock: $0, salt: 1) }
      let breaches = try contract.findBreaches(800).breaches
      if breaches.contains(where: { $0.invariant == invariant }) { return }
      found.append("seed \(generator.seed): \(breaches.prefix(3))")
    }
    XCTFail("\(invariant.rawValue) went unnoticed; found \(found)", line: line)
  }

  /// Damages the rows of every read.
  private func assertDamageIsFound(
    _ invariant: Invariant, damage: @escaping (inout EconomyRows) -> Void, line: UInt = #line
  ) throws {
    try assertFound(
      invariant,
      { access in
        access.read = { ledger in
          var rows = try EconomyRows(ledger)
          damage(&rows)
          return rows
        }
      }, line: line)
  }

  func testCurrencyOutOfNothingIsFound() throws {
    try assertDamageIsFound(.issuedLessBurnedIsInTheLots) { rows in
      if let index = rows.lots.indices.last { rows.lots[index].remaining += 1 }
    }
  }

  func testAHeldAmountThatNobodyHoldsIsFound() throws {
    try assertDamageIsFound(.issuedLessBurnedIsInTheLots) { rows in
      if let index = rows.events.lastIndex(where: { $0.kind == .held }) { rows.events[index].amount += 1 }
    }
  }

  func testALotOutOfBoundsIsFound() throws {
    try assertDamageIsFound(.lotsStayInBounds) { rows in
      if let index = rows.lots.indices.last { rows.lots[index].remaining = -1 }
    }
    try assertDamageIsFound(.lotsStayInBounds) { rows in
      if let index = rows.lots.lastIndex(where: { $0.purchase != nil }) { rows.lots[index].granted -= 1 }
    }
  }

  func testARunningBalanceThatIsOffIsFound() throws {
    try assertDamageIsFound(.balancesAreTheirLots) { rows in
      if let index = rows.entries.indices.last { rows.entries[index].balance += 1 }
    }
    try assertDamageIsFound(.balancesAreTheirLots) { rows in
      if let index = rows.accounts.indices.last { rows.accounts[index].held += 1 }
    }
  }

  func testAKeyThatIsForgottenIsFound() throws {
    try assertFound(.oneKeyOneEffect) { access in
      access.book = { ledger, command in
        var command = command
        command.key = nil
        return try ledger.book(command)
      }
    }
  }

  func testAReversalOfTooMuchIsFound() throws {
    try assertDamageIsFound(.reversalsStayBelowTheOriginal) { rows in
      // As if it had been booked once more.
      if let index = rows.events.lastIndex(where: { $0.kind == .reversal }) {
        rows.events += [JournalEventRow](repeating: rows.events[index], count: 1000)
      }
    }
    try assertDamageIsFound(.reversalsStayBelowTheOriginal) { rows in
      if let part = rows.refundParts.last { rows.refundParts += [RefundPartRow](repeating: part, count: 1000) }
    }
  }

  func testAnExpiredLotThatIsWorthSomethingIsFound() throws {
    try assertDamageIsFound(.expiredIsWorthNothing) { rows in
      if let index = rows.lots.lastIndex(where: { $0.remaining > 0 }) { rows.lots[index].expiresAt = 1 }
    }
    // A sweeper that does more than write down.
    try assertFound(.expiredIsWorthNothing) { access in
      access.sweep = { ledger in
        _ = try ledger.sweep()
        for customer in try ledger.everyCustomer().prefix(1) {
          try ledger.grant([Make.amount("GEM", 1)], customer: customer.id)
        }
      }
    }
  }

  func testAHoldThatEndsTwiceOrNeverIsFound() throws {
    try assertDamageIsFound(.holdsEndOnce) { rows in
      if let end = rows.events.last(where: { $0.kind == .released || $0.kind == .captured }) {
        var again = end
        (again.transaction, again.amount) = (.max, 1 << 40)
        rows.events.append(again)
      }
    }
    try assertDamageIsFound(.holdsEndOnce) { rows in
      if let index = rows.events.lastIndex(where: { $0.kind == .captured }) { rows.events.remove(at: index) }
    }
    try assertDamageIsFound(.holdsEndOnce) { rows in rows.holds.removeAll() }
  }

  func testARefusalThatLeavesATraceIsFound() throws {
    try assertFound(.refusalsLeaveNoTrace) { access in
      access.book = { ledger, command in
        do {
          return try ledger.book(command)
        } catch let error as LedgerError where !error.isReplayed {
          try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("trace"))
          throw error
        }
      }
    }
  }

  func testAPreviewThatSaysOtherwiseIsFound() throws {
    try assertFound(.previewsAreCommits) { access in
      access.preview = { ledger, command in
        var booking = try ledger.preview(command)
        booking.entries = CompactList(Array(booking.entries.dropLast()))
        return booking
      }
    }
    try assertFound(.previewsAreCommits) { access in access.preview = { try $0.book($1) } }
  }

  func testARefundThatIsNotUndoneIsFound() throws {
    try assertFound(.refundsUndone) { access in
      access.book = { ledger, command in
        let booking: Booking = try ledger.book(command)
        // A part of the returned currency is spent outside the stream.
        if !booking.isReplayed, booking.kind == .reversedRefund, let entry = booking.entries.first, entry.amount > 0 {
          _ = try? ledger.spend([Adjustment(entry.currency, 1)], customer: booking.customer)
        }
        return booking
      }
    }
  }

  func testJournalsThatDifferAreFound() throws {
    let generator = InvariantContract.generator(1)[0]
    var one = try InvariantContract(generator: generator) { Ledger.inMemory(clock: $0, salt: 1) }
    var access = InvariantContract.Access()
    let count = Mutex(0)
    access.book = { ledger, command in
      // The hundredth command is booked by one of them only.
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 100 { try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("extra")) }
      return try ledger.book(command)
    }
    var other = try InvariantContract(generator: generator, access: access) { Ledger.inMemory(clock: $0, salt: 1) }
    let (rows, others) = (try one.findBreaches(200).rows, try other.findBreaches(200).rows)
    XCTAssertNotNil(rows.difference(from: others), "seed \(generator.seed)")
  }

  func testALostPurchaseIsFound() throws {
    try assertDamageIsFound(.purchasesAreDurable) { rows in
      if !rows.purchases.isEmpty { rows.purchases.removeFirst() }
    }
  }
}
