internal import GemLedgerAudit
import XCTest

@testable package import GemLedger

/// Merges, unmerges, reversals and refunds in random order: every balance is that of ``MergeModel``.
package struct MergeModelContract {
  private let time = ManualClock()
  private let ledger: Ledger
  private var generator: SeededRandom
  private var model = MergeModel()
  private var spends: [TransactionID] = []
  private var refundCount: Int64 = 0
  private let gem: CurrencyCode
  private let people: [CustomerID]

  package init(generator: SeededRandom, make: (LedgerClock) throws -> Ledger) throws {
    self.generator = generator
    gem = try CurrencyCode("GEM")
    people = try ["alice", "bob", "carol", "dave", "erin"].map(Make.customer)
    ledger = try make(time.clock)
    try ledger.apply(Catalog.load(Array(Self.document.utf8)))
    for id in people { try ledger.createCustomer(id) }
  }

  private static let document = """
    {"currencies": [{"code": "GEM", "name": "Gems", "refund_policy": "floor"}],
     "products": [{"code": "pack", "type": "consumable", "grants": [{"currency": "GEM", "amount": 12, "bonus": 4}]}]}
    """

  /// Runs so many commands, up to the first difference.
  package mutating func run(_ count: Int) throws {
    for step in 0..<count {
      time.advance(seconds: 1)
      let told = try play()
      for (index, id) in people.enumerated() {
        let balance = try ledger.balance(of: gem, customer: id).balance
        guard balance != model.balance(of: index) else { continue }
        return XCTFail(
          "seed \(generator.seed), step \(step), \(told): \(id) has \(balance), not \(model.balance(of: index))")
      }
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private mutating func play() throws -> String {
    let person = generator.below(people.count)
    let count = 1 + generator.below(9)
    switch generator.below(100) {
    case 0..<15:
      try ledger.grant([Make.amount("GEM", Int64(count))], customer: people[person])
      model.grant(count, to: person)
      return "grant \(count) to \(person)"
    case 15..<25:
      try ledger.creditPurchase(Make.purchase("t\(model.purchases.count)", product: "pack"), customer: people[person])
      model.buy(paid: 12, bonus: 4, for: person)
      return "purchase for \(person)"
    case 25..<45:
      let part = min(count * 2, model.balance(of: person))
      guard part > 0 else { return "nothing" }
      let booking = try ledger.spend([Make.amount("GEM", Int64(part))], customer: people[person])
      spends.append(try XCTUnwrap(booking.transactionID))
      model.spend(part, of: person)
      return "spend \(part) of \(person)"
    case 45..<60: return try reverse(count)
    case 60..<74: return try refundOrReverse()
    case 74..<88:
      let other = generator.below(people.count)
      let (from, into) = (model.root(of: person), model.root(of: other))
      guard from != into else { return "nothing" }
      try ledger.merge(from: people[from], into: people[into])
      model.merge(from, into: into)
      return "merge \(from) into \(into)"
    default:
      guard model.unmerge(person) else { return "nothing" }
      try ledger.unmerge(people[person])
      return "unmerge \(person)"
    }
  }

  private mutating func reverse(_ count: Int) throws -> String {
    let open = model.spends.indices.filter { !model.spends[$0].taken.isEmpty }
    guard !open.isEmpty else { return "nothing" }
    let index = generator.one(of: open)
    let left = model.spends[index].taken.count
    // A part is undone only where the account is the one that spent it: what a customer that was away meanwhile got
    // back counts as a whole.
    let isPart = model.spends[index].customer == 0 && model.survivors[0] == nil && generator.percent(50)
    let part = isPart ? min(count, left) : left
    try ledger.reverse(spends[index], amounts: [Make.amount("GEM", Int64(part))])
    model.reverse(index, count: part)
    return "reverse \(part) of spend \(index)"
  }

  private mutating func refundOrReverse() throws -> String {
    guard !model.purchases.isEmpty else { return "nothing" }
    let index = generator.below(model.purchases.count)
    refundCount += 1
    if model.purchases[index].isRefunded {
      try ledger.reverseRefund(Make.reversal("t\(index)", signedAt: refundCount))
      model.reverseRefund(index)
      return "reverse the refund of t\(index)"
    }
    try ledger.refund(Make.refund("t\(index)", revokedAt: refundCount, signedAt: refundCount))
    model.refund(index)
    return "refund t\(index)"
  }
}
