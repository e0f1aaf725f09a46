package import GemLedger
internal import GemLedgerArchive
internal import XCTest

/// Short lives of a ledger that an export must bring back.
///
/// Each has transactions before one export and after it. The two exports are imported apart or together, with one line
/// a commit or all lines in one.
package enum ArchiveStories {
  private struct Story {
    let name: String
    let first: (Ledger) throws -> Void
    let then: (Ledger) throws -> Void
  }

  /// - Parameters:
  ///   - make: Makes an empty ledger.
  ///   - copy: Gives an empty place of that name.
  package static func run(
    make: (LedgerClock) throws -> Ledger, copy: (String) throws -> ArchiveContract.Copy, line: UInt = #line
  ) throws {
    for story in try all() {
      for pageSize in [1, 16_384] {
        let time = ManualClock()
        let ledger = try make(time.clock)
        try ledger.apply(Make.catalog())
        try story.first(ledger)
        let (position, whole) = (try copy("\(story.name) \(pageSize)"), try copy("\(story.name) \(pageSize) whole"))
        let first = try Exported(ledger)
        try ArchiveContract.check(first, of: ledger, in: position, pageSize, time, "\(story.name), before", line: line)
        try story.then(ledger)
        let then = try Exported(ledger, after: first.summary.cursor)
        try ArchiveContract.check(then, of: ledger, in: position, pageSize, time, story.name, line: line)
        try ArchiveContract.check(
          Exported(ledger), of: ledger, in: whole, pageSize, time, "\(story.name), whole", line: line)
        ledger.close()
      }
    }
  }

  private static func all() throws -> [Story] {
    let (alice, bob, ally) = (try Make.customer("alice"), try Make.customer("bob"), try Make.customer("ally"))
    let (ten, fifty) = ([try Make.amount("GEM", 10)], [try Make.amount("GEM", 50)])
    func hold(_ ledger: Ledger) throws { try ledger.hold([Make.amount("GEM", 30)], customer: alice) }
    func onlyHold(_ ledger: Ledger, of customer: CustomerID) throws -> HoldID {
      try XCTUnwrap(try ledger.holds(of: customer).first?.id)
    }
    return [
      Story(
        name: "a hold is captured in part and the rest released",
        first: { ledger in
          try ledger.grant(fifty, customer: alice)
          try hold(ledger)
        }, then: { try $0.capture(try onlyHold($0, of: alice), amounts: ten) }),
      Story(
        name: "a merge moves a hold, which ends",
        first: { ledger in
          try ledger.grant(fifty, customer: alice)
          try ledger.grant(ten, customer: bob)
          try hold(ledger)
        },
        then: { ledger in
          try ledger.merge(from: alice, into: bob)
          try ledger.release(try onlyHold(ledger, of: bob))
        }),
      Story(
        name: "a merge moves a part of a purchase without a price",
        first: { ledger in
          try ledger.creditPurchase(Make.purchase("t", price: nil), customer: alice)
          try ledger.grant(ten, customer: bob)
          try ledger.transfer(ten, from: alice, to: bob)
        }, then: { try $0.merge(from: bob, into: ally, make: ally) }),
      Story(
        name: "a login that nobody proved brings a purchase, which is refunded",
        first: { ledger in
          try ledger.grant(fifty, customer: alice)
          try ledger.buy(spending: ten, thenLogInAs: alice)
        }, then: { try $0.refund(Make.refund("t")) }),
      Story(
        name: "an erased customer's alias is given to another",
        first: { ledger in
          try ledger.grant(ten, customer: alice)
          try ledger.grant(ten, customer: bob)
          try ledger.book(.createAlias(ally, of: alice))
        },
        then: { ledger in
          try ledger.book(.erase(alice))
          try ledger.book(.createAlias(ally, of: bob))
        }),
      Story(
        name: "a new customer takes an erased id",
        first: { try $0.grant(ten, customer: alice) },
        then: { ledger in
          try ledger.book(.erase(alice))
          try ledger.grant(fifty, customer: alice)
        }),
      Story(
        name: "a refund of an erased customer has a key that was used before",
        first: { ledger in
          try ledger.creditPurchase(Make.purchase("t"), customer: alice)
          try ledger.spend(ten, customer: alice, key: Make.key("k"))
        },
        then: { ledger in
          try ledger.book(.erase(alice))
          try ledger.book(.refund(Make.refund("t"), key: Make.key("k")))
        }),
    ]
  }
}

extension Ledger {
  fileprivate func buy(spending amounts: [Adjustment], thenLogInAs customer: CustomerID) throws {
    let device = try Make.customer("$RCAnonymousID:0123456789abcdef0123456789abcdef")
    try creditPurchase(Make.purchase("t"), customer: device)
    try spend(amounts, customer: device)
    try book(.mergeAnonymous(from: device, into: customer, isProven: false))
  }

  fileprivate func merge(from: CustomerID, into: CustomerID, make new: CustomerID) throws {
    try grant([Make.amount("COIN", 1)], customer: new)
    try merge(from: from, into: into)
  }
}
