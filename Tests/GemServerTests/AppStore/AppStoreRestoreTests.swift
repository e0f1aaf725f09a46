#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import XCTest

@testable import GemServer

/// A restore posts one transaction, and the rest of the customer's history is credited too.
final class AppStoreRestoreTests: XCTestCase {
  private let restore: JSONObject = ["initiation_source": "restore", "is_restore": true]

  func testARestoreCreditsWhatTheHistoryHas() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    let texts = try ["1", "2", "3"].map { try world.signed($0) }
    world.store.state.withLock { $0.pages = [[texts[0], texts[1]], [texts[2]]] }
    let answer = try await world.post(texts[0], with: restore)
    XCTAssertEqual(answer.status, 200, answer.body.text())
    // The answer's customer has all three, and so do the books.
    XCTAssertEqual(answer.body["subscriber"]?["non_subscriptions"]?["gems_300"]?.array?.count, 3)
    XCTAssertEqual(try world.gems(), 900)
    XCTAssertEqual(
      world.store.lines,
      ["GET /sandbox/inApps/v2/history/1 HTTP/1.1", "GET /sandbox/inApps/v2/history/1?revision=1 HTTP/1.1"])
    XCTAssertEqual(world.world.project.quarantine.count, 0)
    // An app posts the others that it finds too; the history was read a moment ago.
    _ = try await world.post(texts[2], with: restore)
    XCTAssertEqual(world.store.lines.count, 2)
    world.world.time.advance(seconds: 61)
    _ = try await world.post(texts[2], with: restore)
    XCTAssertEqual(world.store.lines.count, 4)
    XCTAssertEqual(try world.gems(), 900)
  }

  /// Apps of anonymous users call every purchase a restore.
  func testAPurchaseAsksForNoHistory() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    for source in ["purchase", "queue"] {
      let answer = try await world.post(
        world.signed(source == "queue" ? "1" : "2"),
        with: ["initiation_source": .string(source), "is_restore": source == "queue" ? false : true])
      XCTAssertEqual(answer.status, 200)
    }
    XCTAssertEqual(world.store.lines, [])
  }

  func testWhatTheHistoryHasIsCreditedByTheRulesOfPosts() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    world.world.time.advance(seconds: 86_400)
    _ = try await world.world.backend.register(CustomerID("bob"))
    // Carol has had one of them already.
    _ = try await world.post(world.signed("carols"), as: "carol")
    let old: [StoreTransaction] = [
      try world.transaction("before", boughtAgo: 90_000), try world.transaction("refunded", isRefunded: true),
    ]
    let forged = try LocalReceipts(session: "s1").receipt(for: world.transaction("forged")).text
    var page = try [world.signed("1"), world.signed("bobs", buyer: "bob"), world.signed("carols")]
    page += old.map { world.receipts.receipt(for: $0).text } + [forged, "x"]
    page.append(try world.signed("new product", product: "unknown"))
    world.store.state.withLock { [page] in $0.pages = [page] }
    let answer = try await world.post(world.signed("1"), with: restore)
    XCTAssertEqual(answer.status, 200)
    XCTAssertEqual(try ["alice", "bob", "carol"].map { try world.gems($0) }, [300, 300, 300])
    XCTAssertEqual(try world.world.backend.heldCounts()[.product], 1)
    XCTAssertEqual(world.logged.lines.count, 1, "\(world.logged.lines)")
  }

  /// The credit of a signed transaction never waits for the App Store.
  func testAStoreThatDoesNotAnswerKeepsNobodyWaiting() async throws {
    let world = try AppStoreWorld(wait: .milliseconds(20))
    defer { world.store.stop() }
    let texts = try ["1", "2"].map { try world.signed($0) }
    world.store.state.withLock { $0.pages = [texts] }
    world.store.web.holdBack()
    let answer = try await world.post(texts[0], with: restore)
    XCTAssertEqual(answer.status, 200)
    XCTAssertEqual(try world.gems(), 300)
    XCTAssertEqual(world.world.project.quarantine.count, 1)
    // What was asked goes on; here it is tried again before.
    world.store.web.release()
    world.world.time.advance(seconds: 61)
    try await world.round()
    XCTAssertEqual(try world.gems(), 600)
  }

  /// What is not credited in time is in the storage: another process goes on with it.
  func testAHistoryOutlivesTheServer() async throws {
    let ledger = Ledger.inMemory(clock: ManualClock().clock, salt: 1)
    let before = try AppStoreWorld(ledger: ledger)
    defer { before.store.stop() }
    let texts = try ["1", "2"].map { try before.signed($0) }
    before.store.state.withLock { $0.pages = [texts] }
    for (status, code) in [(500, 5_000_001), (429, 4_290_000), (404, 4_040_010), (401, nil)] as [(Int, Int64?)] {
      before.store.fail(.sandbox, status, code: code)
      let answer = try await before.post(texts[0], with: restore)
      XCTAssertEqual(answer.status, 200)
    }
    XCTAssertEqual(before.world.project.quarantine.count, 1)
    XCTAssertEqual(try before.gems(), 300)
    XCTAssertTrue(before.logged.lines.contains { $0.contains("does not take this server's key") })
    // Without the key it waits on.
    let without = try AppStoreWorld(
      hasKey: false, ledger: ledger, receipts: before.receipts, store: before.store)
    without.world.time.advance(seconds: 61)
    try await without.round()
    XCTAssertEqual(without.world.project.quarantine.count, 1)
    let after = try AppStoreWorld(ledger: ledger, receipts: before.receipts, store: before.store)
    before.store.mend()
    after.world.time.advance(seconds: 3600)
    try await after.round()
    XCTAssertEqual(try after.gems(), 600)
    XCTAssertEqual(after.world.project.quarantine.count, 0)
  }

  func testAnErasureForgetsTheHistory() async throws {
    let world = try AppStoreWorld()
    defer { world.store.stop() }
    world.store.fail(.sandbox, 500)
    _ = try await world.post(world.signed("1"), with: restore)
    XCTAssertEqual(world.world.project.quarantine.count, 1)
    try world.world.project.quarantine.erase([CustomerID("alice")])
    try await world.round()
    XCTAssertEqual(world.world.project.quarantine.count, 0)
  }
}
#endif
