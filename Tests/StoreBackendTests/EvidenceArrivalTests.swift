import GemLedger
import GemTestSupport
import XCTest

@testable import StoreBackend

/// What comes of messages does not depend on their order, nor on another decision about all of them.
final class EvidenceArrivalTests: XCTestCase {
  private func permutations<T>(_ items: [T]) -> [[T]] {
    guard items.count > 1 else { return [items] }
    return items.indices.flatMap { index -> [[T]] in
      var rest = items
      let one = rest.remove(at: index)
      return permutations(rest).map { [one] + $0 }
    }
  }

  private struct Outcome: Hashable, CustomStringConvertible {
    var gems: [String: Int64]
    var held: String
    var share: Int64?
    var description: String { "\(gems.sorted { $0.key < $1.key }) held \(held) share \(share ?? -1)" }
  }

  private typealias Message = (name: String, send: (Shop) async throws -> Void)

  private func run(
    _ label: String, isNew: Bool, store: Store, register: [String] = ["alice"],
    file: StaticString = #filePath, line: UInt = #line, _ make: (Shop) throws -> [Message]
  ) async throws {
    var outcomes: [Outcome: [String]] = [:]
    let count = try make(Shop()).count
    for order in permutations(Array(0..<count)) {
      let shop = try Shop()
      for id in register { _ = try await shop.backend.register(CustomerID(id)) }
      let messages = try make(shop)
      shop.time.advance(seconds: 1000)
      var names: [String] = []
      for index in order {
        names.append(messages[index].name)
        do { try await messages[index].send(shop) } catch { _ = error }
        shop.time.advance(seconds: 1)
      }
      if isNew { try shop.sellNew(amount: 1000) }
      _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
      let before = try exportedText(shop.ledger)
      _ = try await shop.backend.decideHeld()
      _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
      XCTAssertEqual(
        before.split(separator: "\n").filter { !$0.contains("document") },
        try exportedText(shop.ledger).split(separator: "\n").filter { !$0.contains("document") }, "\(label) \(names)",
        file: file, line: line)
      try assertBooksAddUp(shop.ledger, file: file, line: line)
      var outcome = Outcome(gems: [:], held: "", share: nil)
      for id in ["alice", "bob"] { outcome.gems[id] = (try? shop.gems(id)) ?? 0 }
      outcome.held = try shop.backend.heldCounts().map { "\($0.key.name)" }.sorted().joined(separator: ",")
      outcomes[outcome, default: []].append(names.joined(separator: " "))
    }
    if outcomes.count > 1 {
      let text = outcomes.sorted { $0.value.count > $1.value.count }.map {
        "\($0.value.count)x \($0.key): \($0.value.prefix(3))"
      }
      XCTFail("\(label): \(text.joined(separator: "\n"))", file: file, line: line)
    }
  }

  private func refund(
    _ base: StoreTransaction, _ seconds: Int64, _ extent: StoreTransaction.Revocation.Extent
  ) -> StoreTransaction {
    var t = base
    t.signedAt = base.purchasedAt.advanced(milliseconds: seconds * 1000)
    t.revocation = .init(revokedAt: t.signedAt, extent: extent)
    return t
  }

  func testApplePercentages() async throws {
    for isNew in [false, true] {
      try await run("percentages new \(isNew)", isNew: isNew, store: .apple) { shop in
        let base = try shop.transaction("t1", product: isNew ? "new" : "gems", of: "alice")
        let down = self.refund(base, 10, .milliPercent(75_000))
        let up = self.refund(base, 20, .milliPercent(25_000))
        var reversed = base
        reversed.signedAt = base.purchasedAt.advanced(milliseconds: 15_000)
        return [
          ("post", { s in _ = try await s.backend.post(s.post(base)) }),
          ("75@10", { s in _ = try await s.backend.apply(down) }),
          ("25@20", { s in _ = try await s.backend.apply(up) }),
          ("rev@15", { s in _ = try await s.backend.apply(reversed) }),
          ("post25@20", { s in _ = try await s.backend.post(s.post(up)) }),
        ]
      }
    }
  }

  func testFullRefundAndReversalPosted() async throws {
    for isNew in [false, true] {
      try await run("full new \(isNew)", isNew: isNew, store: .apple) { shop in
        let base = try shop.transaction("t1", product: isNew ? "new" : "gems", of: "alice")
        let full = self.refund(base, 10, .full)
        var later = base
        later.signedAt = base.purchasedAt.advanced(milliseconds: 20_000)
        return [
          ("post", { s in _ = try await s.backend.post(s.post(base)) }),
          ("full@10", { s in _ = try await s.backend.apply(full) }),
          ("postfull@10", { s in _ = try await s.backend.post(s.post(full)) }),
          ("post@20", { s in _ = try await s.backend.post(s.post(later)) }),
          ("notice", { s in _ = try await s.backend.apply(base) }),
        ]
      }
    }
  }

  /// More statements than are kept apart.
  func testManyRefundsInAnyOrder() async throws {
    var (seen, generator): (Set<Int64>, SeededRandom) = ([], SeededRandom())
    for _ in 0..<8 {
      let shop = try Shop()
      let base = try shop.transaction("t1", of: "alice")
      var messages: [StoreTransaction] = []
      for number in Int64(1)...40 {
        messages.append(refund(base, number * 10, .milliPercent(1000 + number * 1000)))
      }
      var reversed = base
      reversed.signedAt = base.purchasedAt.advanced(milliseconds: 205_000)
      messages.append(reversed)
      messages.append(base)
      messages.shuffle(using: &generator)
      shop.time.advance(seconds: 1000)
      for (index, message) in messages.enumerated() {
        if index % 2 == 0 {
          _ = try await shop.backend.apply(message)
        } else {
          _ = try? await shop.backend.post(shop.post(message))
        }
      }
      seen.insert(try shop.gems())
      try assertBooksAddUp(shop.ledger)
    }
    XCTAssertEqual(seen.count, 1, "\(seen), seed \(generator.seed)")
  }

  /// The owner registers at any time.
  func testTheOwnerRegistersInBetween() async throws {
    for isNew in [false, true] {
      try await run("owner new \(isNew)", isNew: isNew, store: .apple, register: ["bob"]) { shop in
        let base = try shop.transaction("t1", product: isNew ? "new" : "gems", of: "alice")
        return [
          ("register", { s in _ = try await s.backend.register(CustomerID("alice")) }),
          ("post(bob)", { s in _ = try await s.backend.post(s.post(base, as: "bob")) }),
          (
            "order(bob)",
            { s in _ = try await s.backend.completePayment(PurchaseCode("PC-X"), post: s.post(base, as: "bob")) }
          ),
          ("notice", { s in _ = try await s.backend.apply(base) }),
        ]
      }
    }
  }

  /// Whether what is kept states the same again.
  func testContentsAreStable() async throws {
    let shop = try Shop()
    for store in [Store.apple, .google, .amazon] {
      for kind in [nil] + StoreTransaction.Offer.Kind.allCases.map(Optional.some) {
        for trial in [false, true] {
          for quantity in [Int64(0), 1, 3] {
            for price in [nil, Money(minorUnits: 0, currency: "USD"), Money(minorUnits: 1005, currency: "KWD")] {
              var t = try shop.transaction(
                "t1", product: "club", store: store, quantity: quantity, of: "alice", expiresAt: shop.after(hours: 5),
                originalID: "t0")
              t.offer = .init(kind: kind, identifier: trial ? "x" : nil, isFreeTrial: trial)
              t.price = price
              t.ownership = trial ? .familyShared : .purchased
              let content = Evidence(transaction: t).statement.content
              let again = try StoreTransaction(content: content, environment: t.environment, statedAt: t.signedAt)
              XCTAssertEqual(Evidence(transaction: again).statement.content, content)
            }
          }
        }
      }
    }
  }
}
