import GemLedger
import GemTestSupport
import XCTest

@testable import StoreBackend

/// All orders of all sets of messages about one purchase come to the same books.
final class EvidenceOrderTests: XCTestCase {
  private enum Message: Int64, CaseIterable {
    /// An app posts a purchase that is not paid yet.
    case pendingPost
    case paidNotice
    case post
    case partialRefund
    case fullRefund
    case reversal
    /// The catalog gets the product.
    case catalog
    /// The customer of the purchase's token, who is not who posts it.
    case registration
  }

  private struct Story {
    let shop: Shop
    let start: Timestamp
    let owner: String?

    init(owner: String?) throws {
      shop = try Shop()
      start = shop.time.now
      shop.time.advance(seconds: 120)
      self.owner = owner
    }

    private func transaction(_ message: Message) throws -> StoreTransaction {
      var transaction = try shop.transaction("t1", product: "new", store: .google, quantity: 4, of: owner)
      transaction.purchasedAt = start
      transaction.signedAt = start.advanced(milliseconds: message.rawValue * 10_000)
      return transaction
    }

    func tell(_ message: Message) async throws {
      var transaction = try transaction(message)
      let alice = try CustomerID("alice")
      do throws(LedgerError) {
        switch message {
        case .pendingPost:
          try await shop.backend.keep(unpaid: transaction, isDeclined: false, postedBy: alice)
        case .paidNotice: _ = try await shop.backend.apply(state: transaction)
        case .post:
          let post = ReceiptPost(receipt: shop.receipts.receipt(for: transaction), customer: alice, source: .purchase)
          _ = try await shop.backend.post(post)
        case .partialRefund, .fullRefund:
          transaction.revocation = .init(
            revokedAt: transaction.signedAt, extent: message == .fullRefund ? .full : .milliPercent(25_000))
          _ = try await shop.backend.apply(transaction)
        case .reversal: _ = try await shop.backend.apply(transaction)
        case .registration: _ = try await shop.backend.register(CustomerID("carol"))
        case .catalog: break
        }
      } catch {
        XCTAssertTrue([.validationPending, .receiptRevoked].contains(error.code), "\(error)")
      }
      if message == .catalog { try shop.sellNew(amount: 100) }
    }

    /// The balances after everything that happens by itself.
    func balances() async throws -> [Int64] {
      for _ in 0..<2 {
        shop.time.advance(seconds: 7200)
        _ = try await MaintenanceRunner(backend: shop.backend).runOnce()
      }
      try assertBooksAddUp(shop.ledger)
      return ["alice", "carol"].map { (try? shop.gems($0)) ?? 0 }
    }
  }

  /// The balances of who posts it and of who bought it, by the messages without their order.
  private func expected(_ messages: Set<Message>) -> [Int64] {
    let isOwners = messages.contains(.registration)
    let amount = amount(messages, isOwners: isOwners)
    return isOwners ? [0, amount] : [amount, 0]
  }

  private func amount(_ messages: Set<Message>, isOwners: Bool) -> Int64 {
    guard messages.contains(.catalog) else { return 0 }
    let isPaid = messages.contains(.post) || messages.contains(.paidNotice) || messages.contains(.reversal)
    let isPosted = messages.contains(.post) || messages.contains(.pendingPost) || isOwners
    // Of a purchase that was given back in part, the refund says what was bought.
    guard isPosted, isPaid || messages.contains(.partialRefund) else { return 0 }
    if messages.contains(.reversal) { return 400 }
    return messages.contains(.fullRefund) ? 0 : messages.contains(.partialRefund) ? 300 : 400
  }

  func testAllOrdersOfAllSets() async throws {
    try await play(Message.allCases.filter { $0 != .registration }, owner: nil)
  }

  func testAllOrdersOfAllSetsWithAnOwner() async throws {
    try await play([.pendingPost, .paidNotice, .post, .partialRefund, .catalog, .registration], owner: "carol")
  }

  private func play(_ kinds: [Message], owner: String?) async throws {
    var (generator, all) = (SeededRandom(), [[Message]]())
    for bits in 1..<(1 << kinds.count) {
      let messages = kinds.indices.filter { bits & 1 << $0 != 0 }.map { kinds[$0] }
      // All orders of up to four; of more a few, others in each run.
      all += messages.count <= 4 ? Self.orders(messages) : (0..<12).map { _ in messages.shuffled(using: &generator) }
    }
    // Google Play calls no purchase pending that it has refunded.
    all.removeAll { order in
      guard let refund = order.firstIndex(of: .fullRefund), let pending = order.firstIndex(of: .pendingPost) else {
        return false
      }
      return refund < pending
    }
    for order in Tier.current.items(200, of: all) {
      let story = try Story(owner: owner)
      for message in order { try await story.tell(message) }
      let balances = try await story.balances()
      XCTAssertEqual(balances, expected(Set(order)), "\(order), seed \(generator.seed)")
    }
  }

  private static func orders(_ messages: [Message]) -> [[Message]] {
    guard messages.count > 1 else { return [messages] }
    return messages.flatMap { first in orders(messages.filter { $0 != first }).map { [first] + $0 } }
  }
}
