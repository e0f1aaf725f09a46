#if PostgreSQL
  import GemLedger
  import GemLedgerPostgres
  import GemLedgerSQLite
  import GemTestSupport
  import PostgresTestSupport
  import XCTest

  final class PostgresExportTests: XCTestCase {
    /// The databases of one test by the names of what is imported.
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
        // One lane: what several lanes book in one instant has no order of its own, and the model wants one.
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

    func testMemoryHasNoRoomForGaps() throws {
      let ledger = try Ledger.createPostgres(at: try PostgresServer.shared().createDatabase())
      try ledger.apply(Make.catalog())
      let exported = try Exported(ledger)
      assertRefused(.invalidImport) { try Ledger.inMemory(importing: exported.bytes) }
      ledger.close()
    }
  }
#endif
