internal import Foundation
internal import GemLedger
internal import GemLedgerSQLite
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

#if Receipts
internal import StoreReceipts
#endif

extension SubjectBench {
  func purchases() throws {
    let operations = settings.operationCount ?? 10_000
    let directory = try scratch()
    // Files that cannot be removed stay in the temporary directory.
    defer { try? FileManager.default.removeItem(at: directory) }
    let measurement = try Measurement(
      [
        PurchaseBenchmark("all in memory, nothing kept", operationCount: operations) {
          try PurchaseFixture(ledger: .inMemory(), eventLog: nil)
        },
        PurchaseBenchmark("all in memory, queue kept in memory", operationCount: operations) {
          try PurchaseFixture(ledger: .inMemory(), eventLog: MemoryEventLog())
        },
        PurchaseBenchmark("the same, signed receipts", operationCount: max(1, operations / 5)) {
          try PurchaseFixture(
            ledger: .inMemory(), eventLog: MemoryEventLog(), receipts: try Self.signedReceipts())
        },
        PurchaseBenchmark("queue in a file, ledger on SQLite", operationCount: max(1, operations / 50)) {
          try PurchaseFixture(
            ledger: try Ledger.createSQLite(at: directory.appendingPathComponent("ledger.sqlite").path),
            eventLog: try FileEventLog(path: directory.appendingPathComponent("queue.log").path))
        },
      ], rounds: settings.rounds)
    show(measurement)
    let log = MemoryEventLog()
    let fixture = try PurchaseFixture(ledger: .inMemory(), eventLog: log)
    try Blocking.wait { try await fixture.buy(10) }
    let before = log.appendCount
    try Blocking.wait { try await fixture.buy(100) }
    print("    syncs of the queue a purchase: \(Figure.ratio(Double(log.appendCount - before) / 100))")
    fixture.ledger.close()
  }

  /// Returns signed receipts, or nil if this build has no crypto library.
  private static func signedReceipts() throws -> (any SimulatedReceipts)? {
    #if Receipts
    try LocalReceipts(authority: LocalAuthority(), environment: PurchaseFixture.environment())
    #else
    nil
    #endif
  }

  func backlog() throws {
    let count = settings.operationCount ?? 10_000
    let fixture = try PurchaseFixture(ledger: .inMemory(), eventLog: MemoryEventLog())
    defer { fixture.ledger.close() }
    fixture.store.repurchaseReturnsUnfinished = false
    var bought: [StoreTransactionID] = []
    for _ in 0..<count {
      bought.append(try fixture.store.buyProduct(identifier: PurchaseFixture.product, account: "alice").identifier)
    }
    let before = Figure.peakMegabytes()
    let start = ContinuousClock.now
    try Blocking.wait { await fixture.client.syncPurchases() }
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    let nanoseconds = (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
    guard try creditedInOrder(fixture.ledger) == bought, fixture.client.queueCounts.pending == 0 else {
      throw LedgerError.defect("The backlog was not credited in the order of buying")
    }
    print("    \(count) unfinished transactions, credited in order and finished")
    print("    \(Figure.nanoseconds(nanoseconds)) each, \(Figure.rate(nanoseconds))")
    print("    peak memory of this process: \(before) MiB before, \(Figure.peakMegabytes()) MiB after")
  }

  private func creditedInOrder(_ ledger: Ledger) throws -> [StoreTransactionID] {
    var ids: [StoreTransactionID] = []
    var cursor: PageCursor?
    let alice = try CustomerID("alice")
    repeat {
      let page = try ledger.purchases(of: alice, before: cursor)
      ids += page.purchases.map(\.storeTransactionID)
      cursor = page.next
    } while cursor != nil
    return ids.reversed()
  }

  private func scratch() throws -> URL {
    let directory = URL(fileURLWithPath: settings.directory).appendingPathComponent("gembench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    return directory
  }
}
