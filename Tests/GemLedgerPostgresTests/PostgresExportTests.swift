#if PostgreSQL
import GemLedger
import GemLedgerArchive
import GemLedgerPostgres
import GemLedgerSQLite
import GemTestSupport
import PostgresTestSupport
import XCTest

final class PostgresExportTests: XCTestCase {
  /// The databases of one test, by the names of the imports.
  private final class Databases {
    private var urls: [String: String] = [:]

    func url(_ name: String) throws -> String {
      if let url = urls[name] { return url }
      let url = try PostgresServer.shared().createDatabase()
      urls[name] = url
      return url
    }

    func open(_ head: JournalImport.Head, _ name: String) throws -> any LedgerStorage {
      if !head.isWhole { return try PostgresStorage.openImport(url: try url(name)) }
      return try PostgresStorage.openCopy(url: try url(name), project: head.project, source: 0)
    }
  }

  func testAnExportMakesTheSameLedgerInAnotherDatabase() throws {
    let databases = Databases()
    let from = try databases.url("from")
    try ExportContract(
      // One lane: transactions of several lanes in one instant have no order of their own, and the model needs one.
      make: { try .createPostgres(at: "\(from)?lanes=1", clock: $0) },
      open: { try .openPostgres(at: from, clock: $0) },
      openTarget: { try databases.open($0, $1) },
      openResult: { try .openPostgres(at: try databases.url($1), clock: $0) }
    ).runAll()
  }

  func testFromAFileIntoADatabase() throws {
    let (databases, directory) = (Databases(), try TemporaryDirectory())
    let from = directory.path("from.sqlite")
    try ExportContract(
      make: { try .createSQLite(at: from, clock: $0) }, open: { try .openSQLite(at: from, clock: $0) },
      openTarget: { try databases.open($0, $1) },
      openResult: { try .openPostgres(at: try databases.url($1), clock: $0) }, areAlike: false
    ).runAll()
  }

  func testFromADatabaseIntoAFile() throws {
    let (databases, directory) = (Databases(), try TemporaryDirectory())
    let from = try databases.url("from")
    try ExportContract(
      make: { try .createPostgres(at: "\(from)?lanes=1", clock: $0) },
      open: { try .openPostgres(at: from, clock: $0) },
      openTarget: { head, name in
        let path = directory.path(name)
        if !head.isWhole { return try SQLiteStorage.openImport(path: path) }
        return try SQLiteStorage.openCopy(path: path, project: head.project, source: 0)
      }, openResult: { try .openSQLite(at: directory.path($1), clock: $0) }, areAlike: false
    ).runAll()
  }

  /// From a database into a file and on into a database, and from memory into a database.
  func testEveryJournalComesBackFromADatabase() throws {
    for (index, generator) in InvariantContract.generator(2).enumerated() {
      let (databases, directory, kept) = (Databases(), try TemporaryDirectory(), KeptStorages())
      func database(_ name: String) -> ArchiveContract.Copy {
        ArchiveContract.Copy(
          name, numbersAlike: false, open: { try databases.open($0, name) },
          ledger: { try .openPostgres(at: try databases.url(name), clock: $0) })
      }
      let file = ArchiveContract.Copy(
        "copy.sqlite", numbersAlike: false,
        open: { head in
          let path = directory.path("copy.sqlite")
          if !head.isWhole { return try SQLiteStorage.openImport(path: path) }
          return try SQLiteStorage.openCopy(path: path, project: head.project, source: 0)
        }, ledger: { try .openSQLite(at: directory.path("copy.sqlite"), clock: $0) })
      let isFromDatabase = index % 2 == 0
      var contract = try ArchiveContract(
        generator: generator,
        make: {
          isFromDatabase
            ? try .createPostgres(at: "\(try databases.url("from"))?lanes=1", clock: $0) : kept.ledger("from", $0)
        }, chain: isFromDatabase ? [file, database("further")] : [database("copy")],
        whole: { database("whole") })
      try contract.run(cuts: 2, of: 40)
    }
  }

  /// The remains of a refused import make room for a good one; a ledger is not taken for such remains.
  func testARefusedImportIsRemoved() throws {
    let url = try PostgresServer.shared().createDatabase()
    let ledger = Ledger.inMemory(clock: ManualClock().clock, salt: 7)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 5)], customer: Make.customer("alice"))
    let good = try Exported(ledger)
    let bad = ForgedExport.lines(of: good) { lines in
      lines.map { $0.replacing("\"balance\":5", with: "\"balance\":6") }
    }
    func run(_ bytes: [UInt8]) throws {
      let text = JournalImport(ImportBytes(bytes))
      let target = try PostgresStorage.openCopy(url: url, project: try text.head().project, source: 0)
      defer { target.close() }
      try text.run(into: target)
    }
    assertRefused(.invalidImport) { try run(bad) }
    XCTAssertTrue(try PostgresStorage.removeCopy(url: url))
    try run(good.bytes)
    XCTAssertFalse(try PostgresStorage.removeCopy(url: url))
    let copy = try Ledger.openPostgres(at: url)
    XCTAssertEqual(try LedgerState(copy), try LedgerState(ledger))
    copy.close()
  }

  func testMemoryHasNoRoomForGaps() throws {
    let ledger = try Ledger.createPostgres(at: try PostgresServer.shared().createDatabase())
    try ledger.apply(Make.catalog())
    let exported = try Exported(ledger)
    assertRefused(.invalidImport) { try Ledger.inMemory(importing: exported.bytes) }
    ledger.close()
  }
}
#endif
