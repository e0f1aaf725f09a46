internal import GemLedger
import XCTest

extension MergeContract {
  /// A sign-in joins a customer with only anonymous ids, and with the effects of the commands before it in its group.
  func testOnlyAnonymousCustomersAreJoined() throws {
    let anonymous = try (0..<4).map { try CustomerID("$RCAnonymousID:0123456789abcdef0123456789abcde\($0)") }
    let (alice, bob, _) = try people()
    for isOneGroup in [false, true] {
      let ledger = try ledger()
      let commands: [LedgerCommand] = [
        .grant([try Make.amount("GEM", 10)], customer: alice), .grant([try Make.amount("GEM", 20)], customer: bob),
        .grant([try Make.amount("GEM", 1)], customer: anonymous[0]),
        .createAlias(anonymous[1], of: anonymous[0]), .mergeAnonymous(from: anonymous[1], into: alice),
        // It is one of alice's ids from then on, by whichever name.
        .mergeAnonymous(from: anonymous[0], into: bob), .mergeAnonymous(from: anonymous[1], into: bob),
        .mergeAnonymous(from: anonymous[0], into: alice),
        // A free id is added to the first customer that signs in from it.
        .mergeAnonymous(from: anonymous[2], into: bob), .mergeAnonymous(from: anonymous[2], into: alice),
        .mergeAnonymous(from: alice, into: bob),
        .grant([try Make.amount("GEM", 5)], customer: anonymous[3]),
        .createAlias(try Make.customer("dave"), of: anonymous[3]), .mergeAnonymous(from: anonymous[3], into: bob),
        .mergeAnonymous(from: try Make.customer("erin"), into: try Make.customer("frank")),
      ]
      let results =
        isOneGroup
        ? ledger.submit(commands) : commands.flatMap { ledger.submit([$0]) }
      let codes: [LedgerError.Code?] = results.map {
        guard case .failure(let error) = $0 else { return nil }
        return error.code
      }
      XCTAssertEqual(
        codes,
        [
          nil, nil, nil, nil, nil, .conditionFailed, .conditionFailed, .sameCustomer, nil, .conditionFailed,
          .conditionFailed, nil, nil, .conditionFailed, .customerNotFound,
        ])
      XCTAssertEqual(try balance(ledger, "GEM", alice), 11)
      XCTAssertEqual(try balance(ledger, "GEM", bob), 20)
      XCTAssertEqual(try ledger.customerIDs(of: bob), [bob, anonymous[2]])
      try check(ledger)
    }
  }
}
