import GemLedger
import GemLedgerAudit
import GemTestSupport
import Synchronization
import XCTest

@testable import GemLedgerSQLite

/// Two threads prove the books, the second one with a snapshot of its own.
final class ProofBesideTests: XCTestCase {
  /// A storage whose second reader comes after other commits.
  private final class LateReader: LedgerStorage {
    private let storage: SQLiteStorage
    private let between = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ storage: SQLiteStorage) { self.storage = storage }

    /// Runs the body once, before the next second reader begins.
    func book(_ body: @escaping @Sendable () -> Void) { between.withLock { $0 = body } }
    var hasBooked: Bool { between.withLock { $0 == nil } }

    var traits: StorageTraits { storage.traits }
    func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
      try storage.read(body)
    }
    func readBeside<R: Sendable>(
      _ scan: any StorageScan, _ body: @escaping @Sendable (any StorageSnapshot) throws(LedgerError) -> R
    ) -> BackgroundTask<R>? {
      let book = between.withLock { between in
        defer { between = nil }
        return between
      }
      book?()
      return storage.readBeside(scan, body)
    }
    func commit<R>(lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R) throws(LedgerError) -> R {
      try storage.commit(lanes: lanes, body)
    }
    func close() { storage.close() }
  }

  private let time = ManualClock()

  func testTheSecondSnapshotMayHaveALaterCatalogAndJournal() throws {
    let directory = try TemporaryDirectory()
    let storage = LateReader(
      try SQLiteStorage.create(
        path: directory.path("l.sqlite"), project: ProjectRow(salt: 1, createdAt: time.now)))
    let ledger = Ledger(storage: storage, clock: time.clock)
    try ledger.apply(try Self.catalog(currencies: ["GEM"]))
    try ledger.creditPurchase(Make.purchase("t1", product: "gem"), customer: Make.customer("a"))
    storage.book {
      do {
        try ledger.apply(try Self.catalog(currencies: ["GEM", "ORE"]))
        let booking = try ledger.creditPurchase(
          Make.purchase("t2", product: "ore"), customer: Make.customer("b"))
        try ledger.grant([Make.amount("ORE", 5)], customer: Make.customer("c"), key: Make.key("k"))
        XCTAssertEqual(booking.entries[0].amount, 10)
      } catch {
        XCTFail("\(error)")
      }
    }
    XCTAssertEqual(try ledger.verify().problems, [])
    XCTAssertTrue(storage.hasBooked)
    XCTAssertEqual(try ledger.verify().problems, [])
  }

  private static func catalog(currencies: [String]) throws -> Catalog {
    let products = currencies.map {
      """
      {"code": "\($0.lowercased())", "type": "consumable", "grants": [{"currency": "\($0)", "amount": 10}]}
      """
    }
    let names = currencies.map { #"{"code": "\#($0)", "name": "\#($0)"}"# }
    return try Catalog.load(
      Array(
        """
        {"currencies": [\(names.joined(separator: ", "))], "products": [\(products.joined(separator: ", "))]}
        """.utf8))
  }
}
