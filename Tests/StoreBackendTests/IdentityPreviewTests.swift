import GemLedger
import GemTestSupport
import XCTest

@testable import StoreBackend

/// What identity calls would do: the preview names what the call then does, and books nothing.
final class IdentityPreviewTests: XCTestCase {
  private let anonymous = "$RCAnonymousID:0123456789abcdef0123456789abcdef"
  private let otherAnonymous = "$RCAnonymousID:fedcba9876543210fedcba9876543210"

  /// The number of transactions and customers, which a preview must not change.
  private func size(_ shop: Shop) throws -> [Int] {
    [try shop.ledger.feed(limit: 1000).events.count, try shop.ledger.customers(limit: 1000).customers.count]
  }

  private func gems(_ merge: MergePreview?) -> Int64? { merge?.balances.first?.balance }

  func testASignInFromAnAnonymousCustomerSaysWhatBecomesOne() async throws {
    let shop = try Shop()
    let (guest, alice) = (try CustomerID(anonymous), try CustomerID("alice"))
    _ = try await shop.backend.post(shop.post(shop.transaction("t1"), as: anonymous))
    try shop.ledger.grant([Adjustment(CurrencyCode("GEM"), 5)], customer: alice)
    let before = try size(shop)
    let preview = try await shop.backend.previewLogIn(alice, from: guest)
    XCTAssertEqual(try size(shop), before)
    XCTAssertFalse(preview.isCreated)
    XCTAssertTrue(preview.movesAnything)
    XCTAssertEqual(preview.merges.map(\.from), [[guest]])
    XCTAssertEqual(preview.merges.map(\.into), [[alice]])
    XCTAssertEqual(gems(preview.merges.first), 1200)
    _ = try await shop.backend.logIn(alice, from: guest)
    XCTAssertEqual(try shop.gems(), 1205)
    // The second call finds it done.
    let again = try await shop.backend.previewLogIn(alice, from: guest)
    XCTAssertEqual(again, IdentityPreview(customer: alice))
  }

  func testASignInFromASignedInCustomerMovesNothing() async throws {
    let shop = try Shop()
    let (alice, bob) = (try CustomerID("alice"), try CustomerID("bob"))
    _ = try await shop.backend.post(shop.post(shop.transaction("t1")))
    let preview = try await shop.backend.previewLogIn(bob, from: alice)
    XCTAssertEqual(preview, IdentityPreview(customer: bob, isCreated: true))
    // Nor does one from an anonymous id of a customer that signed in.
    let guest = try CustomerID(anonymous)
    _ = try await shop.backend.register(guest)
    _ = try await shop.backend.logIn(alice, from: guest)
    let other = try await shop.backend.previewLogIn(bob, from: guest)
    XCTAssertEqual(other.merges, [])
    let strange = try await shop.backend.previewLogIn(bob, from: CustomerID(otherAnonymous))
    XCTAssertEqual(strange.merges, [])
    await assertRefused(.invalidUserID) { try await shop.backend.previewLogIn(CustomerID("guest"), from: alice) }
  }

  func testAnAliasSaysWhoseBalancesMove() async throws {
    let shop = try Shop()
    let (alice, bob) = (try CustomerID("alice"), try CustomerID("bob"))
    _ = try await shop.backend.post(shop.post(shop.transaction("t1"), as: "bob"))
    _ = try await shop.backend.register(alice)
    let preview = try shop.backend.previewAlias(bob, of: alice)
    XCTAssertEqual(preview.merges.map(\.from), [[bob]])
    XCTAssertEqual(gems(preview.merges.first), 1200)
    _ = try await shop.backend.createAlias(bob, of: alice)
    XCTAssertEqual(try shop.backend.previewAlias(bob, of: alice).merges, [])
  }

  /// The preview and the restore agree under every rule, for an anonymous owner and for one that signed in.
  func testARestoreDoesWhatItsPreviewSays() async throws {
    for sharing in [EntitlementSharing.alias, .transfer, .keepWithOwner] {
      for owner in ["bob", otherAnonymous] {
        for restorer in ["alice", anonymous] {
          let shop = try Shop()
          let customer = try CustomerID(restorer)
          let right = try shop.transaction("t1", product: "premium")
          _ = try await shop.backend.post(shop.post(right, as: owner))
          _ = try await shop.backend.post(shop.post(shop.transaction("t2"), as: owner))
          let receipts = [shop.receipts.receipt(for: right), shop.receipts.receipt(for: try shop.transaction("t3"))]
          let before = try size(shop)
          let preview = try await shop.backend.previewRestore(receipts, customer: customer, sharing: sharing)
          XCTAssertEqual(try size(shop), before)
          XCTAssertEqual(preview.uncredited.map(\.text), ["t3"])
          let record = try await shop.backend.restore(receipts, customer: customer, sharing: sharing)
          let isOne = try record.ids.contains(CustomerID(owner))
          let story = "\(sharing) \(owner) \(restorer)"
          XCTAssertEqual(preview.merges.count, isOne ? 1 : 0, story)
          XCTAssertEqual(gems(preview.merges.first), isOne ? 1200 : nil, story)
          let hasRight = record.entitlements.contains { $0.id == "premium" && $0.isActive }
          XCTAssertEqual(hasRight, isOne || !preview.movedEntitlements.isEmpty, story)
          XCTAssertEqual(preview.movesAnything, hasRight, story)
        }
      }
    }
  }

  func testASecondRestoreMovesNothing() async throws {
    let shop = try Shop()
    let receipts = [shop.receipts.receipt(for: try shop.transaction("t1", product: "premium"))]
    let alice = try CustomerID("alice")
    _ = try await shop.backend.restore(receipts, customer: alice, sharing: .alias)
    let preview = try await shop.backend.previewRestore(receipts, customer: alice, sharing: .alias)
    XCTAssertEqual(preview, IdentityPreview(customer: alice))
  }
}
