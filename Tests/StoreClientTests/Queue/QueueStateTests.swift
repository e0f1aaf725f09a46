import GemLedger
import GemTestSupport
import StoreBackend
import XCTest

@testable import StoreClient

final class QueueStateTests: XCTestCase {
  private let start = Timestamp(milliseconds: 1_000)
  private let later = Timestamp(milliseconds: 9_000)

  /// The next state of a receipt, for each event in each state.
  func testTransitions() throws {
    typealias Status = ReceiptQueueItem.Status
    let all: [(line: UInt, event: QueueEvent, from: [Status: Status?])] = [
      (#line, .queued(try receipt()), [.waiting: .waiting, .posting: .posting, .finishOnly: .finishOnly]),
      (#line, .queued(try receipt()), [.deadLettered: .deadLettered]),
      (#line, .queued(try receipt(revision: "revoked 5")), [.waiting: .waiting, .posting: .posting]),
      (#line, .queued(try receipt(revision: "revoked 5")), [.finishOnly: .waiting, .deadLettered: .waiting]),
      (#line, .posting(try key(), later), [.waiting: .posting, .posting: .posting, .finishOnly: .finishOnly]),
      (#line, .posting(try key(), later), [.deadLettered: .deadLettered]),
      (#line, .failed(try key(), attempt, next: later), [.waiting: .waiting, .posting: .waiting]),
      (#line, .failed(try key(), attempt, next: later), [.finishOnly: .finishOnly, .deadLettered: .deadLettered]),
      (#line, .credited(try key(), revision: ""), [.waiting: .finishOnly, .posting: .finishOnly]),
      (#line, .credited(try key(), revision: ""), [.finishOnly: .finishOnly, .deadLettered: .deadLettered]),
      (#line, .finished(try key()), [.waiting: .waiting, .posting: .posting, .finishOnly: nil]),
      (#line, .finished(try key()), [.deadLettered: .deadLettered]),
      (#line, .deadLettered(try key(), attempt, revision: ""), [.waiting: .deadLettered, .posting: .deadLettered]),
      (#line, .deadLettered(try key(), attempt, revision: ""), [.finishOnly: .finishOnly]),
      (#line, .requeued(try key(), later), [.waiting: .waiting, .posting: .posting, .deadLettered: .waiting]),
      (#line, .requeued(try key(), later), [.finishOnly: .finishOnly]),
      (#line, .refundPosted(try key(), revision: ""), [.waiting: nil, .posting: nil, .finishOnly: nil]),
      (#line, .refundPosted(try key(), revision: "revoked 5"), [.waiting: .waiting, .posting: .waiting]),
      (#line, .refundPosted(try key(), revision: ""), [.deadLettered: .deadLettered]),
      (#line, .provisional(try key(), later), [.waiting: .waiting, .posting: .posting]),
    ]
    for row in all {
      for (from, to) in row.from {
        var state = try state(from)
        state.apply(row.event)
        XCTAssertEqual(state.items[try key()]?.status, to, "from \(from)", line: row.line)
        XCTAssertEqual(
          state.deadLetteredCount, state.items.values.count { $0.status == .deadLettered }, line: row.line)
      }
    }
  }

  func testNewsThatComeWhileAnOldRevisionIsOnItsWayArePostedToo() throws {
    var state = try state(.posting)
    state.apply(.queued(try receipt(revision: "revoked 5")))
    state.apply(.credited(try key(), revision: ""))
    XCTAssertEqual(state.items[try key()]?.status, .waiting)
    state.apply(.credited(try key(), revision: "revoked 5"))
    XCTAssertEqual(state.items[try key()]?.status, .finishOnly)
  }

  func testOlderEvidenceIsNoNews() throws {
    var state = try state(.waiting)
    state.apply(.queued(try receipt(revision: "revoked 5", signedAt: 500)))
    XCTAssertEqual(state.items[try key()]?.receipt.revision, "")
  }

  func testOlderBalancesNeverTakeThePlaceOfNewerOnes() throws {
    var state = QueueState()
    let alice = try CustomerID("alice")
    func balances(_ at: Int64, _ amount: Int64) -> StoredBalances {
      StoredBalances(
        customer: alice, asOf: Timestamp(milliseconds: at),
        rows: [StoredBalances.Row(code: "GEM", name: "Gems", balance: amount)])
    }
    state.apply(.balances(balances(2, 20)))
    state.apply(.balances(balances(1, 10)))
    XCTAssertEqual(state.balances.map(\.rows.first?.balance), [20])
  }

  private func provisionalSpend(_ refusal: ProvisionalSpend.Refusal? = nil) throws -> ProvisionalSpend {
    ProvisionalSpend(
      key: try IdempotencyKey("tap-2"), customer: try CustomerID("alice"), item: try ItemID("extra life"), quantity: 2,
      price: [CurrencyAmount(currency: try CurrencyCode("GEM"), amount: 100)], spentAt: start, refusal: refusal)
  }

  /// A refusal takes the place of its spend; the end removes it.
  func testAProvisionalSpendIsKeptUntilItsEnd() throws {
    var state = QueueState()
    let (alice, gem) = (try CustomerID("alice"), try CurrencyCode("GEM"))
    state.apply(.spentProvisionally(try provisionalSpend()))
    XCTAssertEqual(state.provisionallySpent(by: alice), [gem: 100])
    XCTAssertEqual(state.provisionallySpent(by: try CustomerID("bob")), [:])
    state.apply(.spentProvisionally(try provisionalSpend(.init(code: .notAvailable, message: "gone"))))
    XCTAssertEqual(state.provisionalSpends.count, 1)
    XCTAssertEqual(state.provisionallySpent(by: alice), [:])
    state.apply(.provisionalSpendEnded(alice, try IdempotencyKey("tap-2")))
    XCTAssertEqual(state.provisionalSpends, [])
    XCTAssertTrue(state.hasEnded(try IdempotencyKey("tap-2"), of: alice))
    var again = QueueState()
    for event in state.events() { again.apply(event) }
    XCTAssertEqual(again.endedSpends, state.endedSpends)
  }

  func testEveryEventSurvivesBeingWrittenAndRead() throws {
    let session = try StoreEnvironment.localTesting(session: "tést 1")
    let odd = QueuedReceipt(
      key: ReceiptKey(store: .test, environment: session, id: try StoreTransactionID("tok\"en")),
      buyer: try CustomerID("alice"), receipt: StoreReceipt("receipt"), signedAt: start,
      revision: "revoked 5 share 50000", bundleID: "app", storeProductID: "gems", product: try ProductCode("gems"),
      quantity: 1, price: Money(minorUnits: 999, currency: "USD"), source: .purchase, order: try PurchaseCode("AP1"),
      seenAt: start, grants: [Adjustment(try CurrencyCode("GEM"), 5)], isAnnounced: true)
    let events: [QueueEvent] = [
      .identity(Identity(customer: try CustomerID("alice"), allowsSharing: false)),
      .intended(
        PurchaseIntent(
          number: 7, buyer: try CustomerID("alice"), storeProductID: "gems", quantity: 2, startedAt: start,
          order: try PurchaseCode("AP2"), key: try IdempotencyKey("tap-1"))),
      .orderOpened(OpenedOrder(buyer: try CustomerID("alice"), key: try IdempotencyKey("tap-1"), claim: "c1")),
      .intentEnded(7), .queued(try receipt()), .queued(odd), .failed(odd.key, attempt, next: later),
      .credited(odd.key, revision: "revoked 5"), .credited(try key(), revision: ""), .finished(odd.key),
      .deadLettered(odd.key, attempt, revision: ""), .requeued(odd.key, later), .provisional(odd.key, later),
      .refundPosted(odd.key, revision: "revoked 5"), .refundPosted(try key(), revision: ""),
      .spentProvisionally(try provisionalSpend()),
      .spentProvisionally(
        try provisionalSpend(ProvisionalSpend.Refusal(code: .insufficientBalance, message: "too \"little\""))),
      .provisionalSpendEnded(try CustomerID("alice"), try IdempotencyKey("tap-2")),
      .balances(
        StoredBalances(
          customer: try CustomerID("alice"), asOf: start,
          rows: [StoredBalances.Row(code: "GEM", name: "Gems", description: "Hard", balance: 5)])),
      .shop([
        KnownProduct(code: try ProductCode("gems"), storeID: "com.gems", type: .consumable, grants: odd.grants)
      ]),
    ]
    for event in events {
      let record = try XCTUnwrap(event.record)
      XCTAssertEqual(QueueEvent(record: record), event, record)
    }
    XCTAssertNil(QueueEvent.posting(odd.key, start).record)
    XCTAssertNil(QueueEvent(record: #"{"what":"queued"}"#))
    XCTAssertNil(QueueEvent(record: "no JSON"))
  }

  /// After any history, the compacted event log gives the same queue as the whole one.
  func testCompactionChangesNothing() throws {
    var generator = SeededRandom()
    for _ in 0..<200 {
      var state = QueueState()
      for _ in 0..<60 { state.apply(try randomEvent(&generator)) }
      state.apply(.identity(Identity(customer: try CustomerID("alice"), allowsSharing: true)))
      var again = QueueState()
      for event in state.events() {
        let record = try XCTUnwrap(event.record)
        again.apply(try XCTUnwrap(QueueEvent(record: record)))
      }
      // Receipts that were on their way wait after a restart.
      XCTAssertEqual(again.ordered(), state.ordered().enumerated().map { $1.numbered(Int64($0)) })
      XCTAssertEqual(again.intents, state.intents)
      XCTAssertEqual(again.openedOrders, state.openedOrders)
      XCTAssertEqual(again.provisionalSpends, state.provisionalSpends)
      XCTAssertEqual(again.endedSpends, state.endedSpends)
      XCTAssertEqual(again.identity, state.identity)
      XCTAssertEqual(again.postedRefunds, state.postedRefunds)
      XCTAssertEqual(again.deadLetteredCount, state.deadLetteredCount)
      XCTAssertLessThanOrEqual(state.events().count, state.liveCount)
    }
  }

  func testWhatWasGivenBackIsRememberedWithinABound() throws {
    let eventLog = MemoryEventLog()
    let queue = try ReceiptQueue(eventLog: eventLog)
    let count = PostedRefunds.countMax
    for number in 0..<(count + 5) {
      let receipt = try receipt(id: "\(number)", revision: "revoked 5")
      try queue.record([.queued(receipt)])
      try queue.record([.credited(receipt.key, revision: receipt.revision), .finished(receipt.key)])
    }
    try queue.record([.refundPosted(try key("9"), revision: "")])
    XCTAssertLessThanOrEqual(eventLog.records().count, 2 * count + ReceiptQueue.slack + 10)
    let known = try ReceiptQueue(eventLog: eventLog).read(\.postedRefunds)
    XCTAssertEqual(known.count, count - 1)
    XCTAssertNil(known[try key("4")])
    XCTAssertEqual(known[try key("5")], "revoked 5")
    // It was taken back.
    XCTAssertNil(known[try key("9")])
  }

  func testTheJournalStaysBoundedByWhatIsAlive() throws {
    let eventLog = MemoryEventLog()
    let queue = try ReceiptQueue(eventLog: eventLog)
    for number in 0..<5_000 {
      let receipt = try receipt(id: "\(number)")
      try queue.record([.queued(receipt)])
      try queue.record([.credited(receipt.key, revision: "")])
      queue.noteLazily([.finished(receipt.key)])
    }
    XCTAssertLessThanOrEqual(eventLog.records().count, ReceiptQueue.slack + 10)
    try queue.flush()
    XCTAssertEqual(try ReceiptQueue(eventLog: eventLog).read { $0.items.count }, 0)
  }

  func testBackOffGrowsIsCappedAndHonoursWhatTheBackendAsks() throws {
    let policy = RetryPolicy(base: .seconds(1), cap: .seconds(60))
    let error = LedgerError(.backendUnreachable, "Down.")
    func wait(_ count: Int, _ random: UInt64, _ error: LedgerError) -> Int64 {
      policy.nextAttempt(after: error, count: count, now: start, random: random).milliseconds - start.milliseconds
    }
    XCTAssertEqual(wait(1, 0, error), 500)
    XCTAssertEqual(wait(1, 500, error), 1_000)
    XCTAssertEqual(wait(4, 0, error), 4_000)
    XCTAssertEqual(wait(100, 0, error), 30_000)
    var generator = SeededRandom()
    for count in 1...200 {
      let longest: Int64 = min(60_000, 1_000 << Int64(min(count - 1, 20)))
      XCTAssertTrue(((longest / 2)...longest).contains(wait(count, generator.next(), error)))
    }
    let limited = LedgerError(.rateLimited, "Slowly.", details: [.integer("retry_after", 120)])
    XCTAssertEqual(wait(1, 0, limited), 120_000)
    let absurd = LedgerError(.rateLimited, "Slowly.", details: [.integer("retry_after", .max)])
    XCTAssertEqual(wait(1, 0, absurd), 3_600_000)
  }
}

extension QueueStateTests {
  private var attempt: FailedAttempt {
    FailedAttempt(
      failure: ReceiptQueueItem.Failure(code: .timedOut, message: "Late.", requestID: "r"), count: 1,
      firstPostedAt: start)
  }

  private func key(_ id: String = "1") throws -> ReceiptKey {
    ReceiptKey(store: .apple, environment: .sandbox, id: try StoreTransactionID(id))
  }

  private func receipt(id: String = "1", revision: String = "", signedAt: Int64 = 1_000) throws -> QueuedReceipt {
    QueuedReceipt(
      key: try key(id), buyer: try CustomerID("alice"), receipt: StoreReceipt("receipt"),
      signedAt: Timestamp(milliseconds: signedAt), revision: revision, bundleID: "app", storeProductID: "gems",
      product: nil, quantity: 1, price: nil, source: .purchase, order: nil, seenAt: start, grants: [])
  }

  private func state(_ status: ReceiptQueueItem.Status) throws -> QueueState {
    var state = QueueState()
    state.apply(.queued(try receipt()))
    switch status {
    case .waiting: break
    case .posting: state.apply(.posting(try key(), start))
    case .finishOnly: state.apply(.credited(try key(), revision: ""))
    case .deadLettered: state.apply(.deadLettered(try key(), attempt, revision: ""))
    }
    XCTAssertEqual(state.items[try key()]?.status, status)
    return state
  }

  private func randomEvent(_ generator: inout SeededRandom) throws -> QueueEvent {
    let id = "\(generator.below(6))"
    let revision = generator.percent(80) ? "" : "revoked \(generator.below(3))"
    switch generator.below(13) {
    case 0, 1: return .queued(try receipt(id: id, revision: revision, signedAt: Int64(generator.below(2_000))))
    case 2: return .failed(try key(id), attempt, next: Timestamp(milliseconds: Int64(generator.below(100_000))))
    case 3: return .credited(try key(id), revision: revision)
    case 4: return .finished(try key(id))
    case 5: return .deadLettered(try key(id), attempt, revision: revision)
    case 6: return .requeued(try key(id), start)
    case 7: return .provisional(try key(id), start)
    case 8: return .refundPosted(try key(id), revision: revision)
    case 9:
      return .orderOpened(
        OpenedOrder(buyer: try CustomerID("alice"), key: try IdempotencyKey("tap-\(generator.below(3))"), claim: id))
    case 10:
      return .provisionalSpendEnded(try CustomerID("alice"), try IdempotencyKey("spend-\(generator.below(3))"))
    case 11:
      return .spentProvisionally(
        ProvisionalSpend(
          key: try IdempotencyKey("spend-\(generator.below(3))"), customer: try CustomerID("alice"),
          item: try ItemID("life"), quantity: 1, price: [], spentAt: start))
    default:
      let number = Int64(generator.below(5))
      guard generator.percent(60) else { return .intentEnded(number) }
      return .intended(
        PurchaseIntent(
          number: number, buyer: try CustomerID("alice"), storeProductID: "gems", quantity: 1, startedAt: start))
    }
  }
}
