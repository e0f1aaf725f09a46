import GemLedger
import GemLedgerArchive
import GemLedgerAudit
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

  func testFromMemoryIntoAFile() throws {
    let (kept, directory) = (KeptStorages(), try TemporaryDirectory())
    try ExportContract(
      make: { kept.ledger("from", $0) }, open: { kept.ledger("from", $0) },
      openTarget: { try Self.open(directory.path($1), $0) },
      openResult: { try .openSQLite(at: directory.path($1), clock: $0) }, areAlike: false
    ).runAll()
  }

  func testFromAFileIntoMemory() throws {
    let (kept, directory) = (KeptStorages(), try TemporaryDirectory())
    let from = directory.path("from.sqlite")
    try ExportContract(
      make: { try .createSQLite(at: from, clock: $0) }, open: { try .openSQLite(at: from, clock: $0) },
      openTarget: { kept.storage($1, $0.project) }, openResult: { kept.ledger($1, $0) }, areAlike: false,
      isKept: false
    ).runAll()
  }

  func testAnImportDoesNotGoOnWithAnotherExport() throws {
    let directory = try TemporaryDirectory()
    let ledger = Ledger.inMemory()
    try ledger.apply(Make.catalog())
    let first = JournalImport(ImportBytes(try Exported(ledger).bytes))
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    let second = JournalImport(ImportBytes(try Exported(ledger).bytes))
    let target = try Self.open(directory.path("to.sqlite"), try first.head())
    assertRefused(.storageUnavailable) { try first.run(into: InterruptedStorage(target, afterCommits: 2)) }
    assertRefused(.alreadyExists) { try second.run(into: target) }
    assertRefused(.storageUnavailable) { try Ledger.openSQLite(at: directory.path("to.sqlite")) }
    try first.run(into: target)
    target.close()
    let made = try Ledger.openSQLite(at: directory.path("to.sqlite"))
    XCTAssertEqual(try made.verify().transactions, 0)
    made.close()
  }

  static func open(_ path: String, _ head: JournalImport.Head) throws -> any LedgerStorage {
    if !head.isWhole { return try SQLiteStorage.openImport(path: path) }
    return try SQLiteStorage.openCopy(path: path, project: head.project, source: 0)
  }
}
