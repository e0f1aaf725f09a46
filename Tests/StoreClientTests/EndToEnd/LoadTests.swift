import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import Synchronization
import XCTest

/// High load, and the remains of a damaged queue, with the real store and crediting side.
class LoadTests: XCTestCase {
  private let alice = "alice-4f1c9a7e"

  /// Fifty processes are handed the same transaction, each with a queue of its own.
  func testFiftyParallelDeliveriesAreOneCreditAndFortyNineReplays() async throws {
    let world = try World()
    try world.store.account("family").buyProduct(
      identifier: "gems", options: [.appAccountToken(AccountToken(of: CustomerID(alice)))])
    let evidence = try await world.phone.unfinished(after: nil, limit: 1)
    let receipt = try XCTUnwrap(evidence.first?.receipt)
    let (backend, customer) = (world.backend, try CustomerID(alice))
    let answers = try await withThrowingTaskGroup(of: ReceiptAnswer.self) { group in
      for _ in 0..<50 {
        group.addTask { try await backend.post(ReceiptPost(receipt: receipt, customer: customer, source: .updates)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(answers.count { !$0.booking.isReplayed }, 1)
    XCTAssertEqual(answers.count { $0.booking.isReplayed }, 49)
    XCTAssertEqual(Set(answers.map(\.purchase.transactionID)).count, 1)
    XCTAssertEqual(try world.balance(alice), 300)
    XCTAssertEqual(try world.ledger.wholeHistory(of: customer).count { $0.booking.kind == .purchase }, 1)
    try assertBooksAddUp(world.ledger)
  }

  /// The same through fifty clients on fifty devices of one account.
  func testFiftyDevicesCreditOneTransactionOnce() async throws {
    let world = try World()
    try world.store.account("family").buyProduct(identifier: "gems")
    let clients = try (0..<50).map { number in
      try world.client(alice, on: world.store.account("family").device("device \(number)"))
    }
    await withTaskGroup { group in
      for client in clients { group.addTask { await client.syncPurchases() } }
    }
    XCTAssertEqual(clients.map(\.queueCounts.pending).reduce(0, +), 0)
    XCTAssertEqual(try world.balance(alice), 300)
    let left = try await world.phone.unfinishedIDs()
    XCTAssertEqual(left, [])
    try assertBooksAddUp(world.ledger)
  }

  func testALongBacklogDrainsInOrderWithProgress() async throws {
    let world = try World()
    let count = Tier.current.length(1000, thorough: 10_000)
    let token = AccountToken(of: try CustomerID(alice))
    for _ in 0..<count {
      try world.store.account("family").buyProduct(identifier: "gems", options: [.appAccountToken(token)])
    }
    let paid = world.store.allTransactions().map(\.identifier)
    let client = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
    let events = Collector<ReceiptPipelineEvent>()
    client.onReceiptPipelineEvent = { events.add($0) }
    let largest = Mutex(0)
    world.store.onStep = { step in
      guard case .finished = step else { return }
      let count = client.queueItems.count
      largest.withLock { $0 = max($0, count) }
    }
    await client.syncPurchases()
    world.store.onStep = nil
    let posted = events.all.compactMap { if case .posted(let item) = $0 { item.storeTransactionID } else { nil } }
    XCTAssertEqual(posted.count, count)
    XCTAssertTrue(posted == paid, "not in the order in which they were paid for")
    let progress = events.all.compactMap { if case .progress(let done, _) = $0 { done } else { nil } }
    XCTAssertEqual(progress.last, count)
    XCTAssertEqual(progress, progress.sorted())
    XCTAssertGreaterThan(progress.count, count / 100)
    // A page of the store's list at a time, and never all of it.
    XCTAssertLessThanOrEqual(largest.withLock { $0 }, 64)
    XCTAssertEqual(try world.balance(alice), 300 * Int64(count))
    XCTAssertTrue(world.store.allTransactions().allSatisfy(\.isFinished))
    try assertBooksAddUp(world.ledger)
  }

  /// Damage in the middle of the queue's file loses no payment.
  ///
  /// The rest of the file is worked off, the damaged part is set aside and reported, and its receipts come from the
  /// store again.
  func testADamagedQueueLosesNothingThatWasPaidFor() async throws {
    let world = try World()
    let directory = try TemporaryDirectory()
    let path = directory.path("queue.records")
    let backend = FaultyBackend(world.access)
    let log = try FileEventLog(path: path)
    let first = try world.client(alice, on: world.phone, eventLog: log, backend: backend)
    _ = try await first.offerings()
    backend.fail(.post, with: .networkLostBeforeEffect, .always)
    for product in ["gems", "chest", "vip"] { try await first.purchase(try ProductCode(product)) }
    XCTAssertEqual(first.queueCounts.pending, 3)
    log.close()
    let damaged = try damage(#""store_product":"chest""#, in: path)

    backend.heal()
    let events = Collector<ReceiptPipelineEvent>()
    let opened = try FileEventLog(path: path)
    let next = try world.client(alice, on: world.phone, eventLog: opened, backend: backend)
    next.onReceiptPipelineEvent = { events.add($0) }
    XCTAssertEqual(next.queueCounts.pending, 2)
    let said = events.all.compactMap { if case .damaged(let problem) = $0 { problem } else { nil } }
    XCTAssertEqual(said.count, 1)
    XCTAssertEqual(said, opened.problems)
    let aside = try String(contentsOfFile: try XCTUnwrap(said.first?.savedAs), encoding: .utf8)
    XCTAssertTrue(aside.contains(damaged), "the damaged part is kept as it was")
    await next.syncPurchases()
    XCTAssertEqual(next.queueItems, [])
    XCTAssertEqual(try world.balance(alice), 900)
    XCTAssertTrue(world.store.allTransactions().allSatisfy(\.isFinished))
    try assertBooksAddUp(world.ledger)
  }

  /// A sync beside a launch that is still busy comes back when all is done, and not before.
  func testASyncWaitsForWhatIsOnItsWayAlready() async throws {
    let world = try World()
    let eventLog = MemoryEventLog()
    let gate = Gate()
    let backend = FaultyBackend(world.access) { _ in await gate.pass() }
    let first = try world.client(alice, on: world.phone, eventLog: eventLog, backend: backend)
    _ = try await first.offerings()
    backend.fail(.post, with: .networkLostBeforeEffect)
    try await first.purchase(try ProductCode("gems"))
    backend.fail(.post, with: .latency(.seconds(1)))
    let next = try world.client(alice, on: world.phone, eventLog: eventLog, backend: backend)
    async let launch: Void = next.syncPurchases()
    try await until { gate.waitingCount == 1 }
    let returned = Collector<Int>()
    async let sync: Void = {
      await next.syncPurchases()
      returned.add(next.queueCounts.pending)
    }()
    for _ in 0..<1000 { await Task.yield() }
    XCTAssertEqual(returned.all, [], "it came back before the receipt on its way was settled")
    gate.open()
    _ = await (launch, sync)
    XCTAssertEqual(returned.all, [0])
    XCTAssertEqual(try world.balance(alice), 300)
  }

  /// Changes a byte behind the text, which must be in the file once; gives the line as it is then.
  private func damage(_ text: String, in path: String) throws -> String {
    let url = URL(fileURLWithPath: path)
    var lines = String(decoding: try Data(contentsOf: url), as: UTF8.self).components(separatedBy: "\n")
    let index = try XCTUnwrap(lines.firstIndex { $0.contains(text) && $0.contains(#""what":"queued""#) })
    let changed = text.replacingOccurrences(of: "chest", with: "crest")
    lines[index] = lines[index].replacingOccurrences(of: text, with: changed)
    try Data(lines.joined(separator: "\n").utf8).write(to: url)
    return changed
  }
}

/// Holds up every caller until it is opened.
private final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  var waitingCount: Int { state.withLock { $0.waiting.count } }

  func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.isOpen = true
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
