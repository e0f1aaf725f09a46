import GemTestSupport
import XCTest

@testable import GemLedger

final class BasketRulesTests: XCTestCase {
  func testRequests() throws {
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    let (one, zero) = ([try Make.amount("GEM", 1)], [try Make.amount("GEM", 0)])
    let (gem, coin) = (try CurrencyCode("GEM"), try CurrencyCode("COIN"))
    let give = BasketLeg.transfer(one, from: alice, to: bob)
    let sword = try ItemID("sword")
    func item(_ quantity: Int64, to: CustomerID) -> BasketLeg {
      .item(sword, quantity: quantity, from: alice, to: to)
    }
    let many = Array(repeating: give, count: Limits.legsPerBasket + 1)
    let rows: [(line: UInt, legs: [BasketLeg], conditions: [Condition], code: LedgerError.Code?)] = [
      (#line, [give], [], nil), (#line, Array(many.dropLast()), [], nil), (#line, [item(1, to: bob)], [], nil),
      (#line, [.spend(one, customer: alice), .grant(one, customer: bob, source: .bonus)], [], nil),
      (#line, [give], [.minimum(gem, 0)], nil),
      (#line, [], [], .invalidRequest),
      // The payer takes part.
      (#line, [.spend(one, customer: bob)], [], .invalidRequest),
      (#line, many, [], .limitExceeded),
      (#line, [.transfer(one, from: alice, to: alice)], [], .sameCustomer),
      (#line, [.transfer(zero, from: alice, to: alice)], [], .sameCustomer),
      (#line, [item(0, to: alice)], [], .sameCustomer),
      (#line, [.transfer(zero, from: alice, to: bob)], [], .amountOutOfRange),
      (#line, [item(0, to: bob)], [], .amountOutOfRange),
      (#line, [.spend(zero, customer: alice)], [], .amountOutOfRange),
      (#line, [.grant(zero, customer: alice, source: .bonus)], [], .amountOutOfRange),
      (#line, [.grant(one, customer: alice, source: .paid)], [], .invalidRequest),
      // Conditions are about the payer's accounts.
      (#line, [give], [.minimum(coin, 0)], .invalidRequest),
      (#line, [item(1, to: bob), .grant(one, customer: bob, source: .bonus)], [.minimum(gem, 0)], .invalidRequest),
    ]
    for row in rows {
      assertOutcome(row.code, line: row.line) {
        try BasketRules.check(row.legs, payer: alice, conditions: row.conditions)
      }
    }
  }

  func testParticipantsInTheOrderOfAppearance() throws {
    let ids = try ["alice", "bob", "carol"].map(Make.customer)
    let one = [try Make.amount("GEM", 1)]
    let legs: [BasketLeg] = [
      .spend(one, customer: ids[1]), .transfer(one, from: ids[0], to: ids[1]),
      .item(try ItemID("sword"), quantity: 1, from: ids[2], to: ids[0]),
    ]
    XCTAssertEqual(BasketRules.customers(of: legs), [ids[1], ids[0], ids[2]])
  }

  func testExchangeRequests() throws {
    let (gem, coin) = (try CurrencyCode("GEM"), try CurrencyCode("COIN"))
    let rows: [(line: UInt, amount: Int64, into: CurrencyCode, conditions: [Condition], code: LedgerError.Code?)] = [
      (#line, 1, coin, [], nil), (#line, 1, coin, [.minimum(gem, 0), .maximum(coin, 9)], nil),
      (#line, 1, gem, [], .invalidRequest), (#line, 0, gem, [], .invalidRequest),
      (#line, 0, coin, [.minimum(try CurrencyCode("ORE"), 0)], .invalidRequest),
      (#line, 0, coin, [], .amountOutOfRange), (#line, -1, coin, [], .amountOutOfRange),
      (#line, Limits.amount + 1, coin, [], .amountOutOfRange),
    ]
    for row in rows {
      let exchange = ExchangeCommand(from: Adjustment(gem, row.amount), into: row.into, rate: ExchangeRate(1, for: 1))
      assertOutcome(row.code, line: row.line) { try exchange.check(conditions: row.conditions) }
    }
  }
}
