import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

final class ExportTests: XCTestCase {
  func testAnExportMakesTheSameLedgerInAnotherFile() throws {
    let directory = try TemporaryDirectory()
    let from = directory.path("from.sqlite")
    try ExportContract(
      make: { try .createSQLite(at: from, clock: $0) }, open: { try .openSQLite(at: from, clock: $0) },
      openTarget: { try Self.open(directory.path($1), $0) },
      openResult: { try .openSQLite(at: directory.path($1), clock: $0) }
    ).runAll()
  }

  static func open(_ path: String, _ head: JournalImport.Head) throws -> any LedgerStorage {
    if !head.isWhole { return try SQLiteStorage.openImport(path: path) }
    return try SQLiteStorage.openCopy(path: path, project: head.project, source: 0)
  }
}
