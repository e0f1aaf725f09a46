import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

final class CopyTests: XCTestCase {
  func testACopyInAnotherFileIsTheSameLedger() throws {
    let directory = try TemporaryDirectory()
    let (from, to) = (directory.path("from.sqlite"), directory.path("to.sqlite"))
    try CopyContract(
      make: { try .createSQLite(at: from, clock: $0) }, open: { try .openSQLite(at: from, clock: $0) },
      openCopy: { try SQLiteStorage.openCopy(path: to, project: $0, source: $1) },
      openResult: { try .openSQLite(at: to, clock: $0) }
    ).runAll()
    // Numbers without gaps are counts by themselves, as before.
    XCTAssertEqual(try RawSQLite(to).rows("SELECT count(*) FROM copied_journal"), ["0"])
  }

  func testMemoryIsNotCopied() throws {
    let directory = try TemporaryDirectory()
    let ledger = Ledger.inMemory()
    assertRefused(.invalidRequest) {
      try CopyContract.copy(ledger) {
        try SQLiteStorage.openCopy(path: directory.path("to.sqlite"), project: $0, source: $1)
      }
    }
  }

  /// A copy brings documents, and would replace those of a service.
  func testNothingIsCopiedOverDocuments() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("to.sqlite")
    let ledger = try Ledger.createSQLite(at: path)
    let project = try ledger.storage.read { (snapshot) throws(LedgerError) in try snapshot.project() }
    try ledger.documents.save("key", content: "1", replacing: nil)
    assertRefused(.alreadyExists) { try SQLiteStorage.openCopy(path: path, project: project, source: 0) }
    try ledger.documents.remove("key", version: 1)
    XCTAssertNoThrow(try SQLiteStorage.openCopy(path: path, project: project, source: 0).close())
    ledger.close()
  }

  /// What is booked between the first look and the last row is not in the copy, and does not disturb it.
  func testACopyBesideAWriterIsOneSnapshot() throws {
    let directory = try TemporaryDirectory()
    let ledger = try Ledger.createSQLite(at: directory.path("from.sqlite"))
    try ledger.apply(Make.catalog())
    for number in 0..<300 { try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("c\(number)")) }
    try CopyContract.copy(ledger) {
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("late"))
      return try SQLiteStorage.openCopy(path: directory.path("to.sqlite"), project: $0, source: $1)
    }
    let copy = try Ledger.openSQLite(at: directory.path("to.sqlite"))
    XCTAssertEqual(try copy.verify().transactions, 300)
    XCTAssertEqual(try ledger.verify().transactions, 301)
    copy.close()
    ledger.close()
  }

  func testACopyDoesNotGoOnFromALedgerThatWasWrittenTo() throws {
    let directory = try TemporaryDirectory()
    let ledger = try Ledger.createSQLite(at: directory.path("from.sqlite"))
    let open: CopyContract.OpenCopy = {
      try SQLiteStorage.openCopy(path: directory.path("to.sqlite"), project: $0, source: $1)
    }
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    assertRefused(.storageUnavailable) {
      try CopyContract.copy(ledger) { InterruptedStorage(try open($0, $1), afterCommits: 3) }
    }
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    assertRefused(.alreadyExists) { try CopyContract.copy(ledger, open) }
    // Nor into another ledger's copy, or a ledger in use.
    let other = try Ledger.createSQLite(at: directory.path("other.sqlite"))
    assertRefused(.alreadyExists) { try CopyContract.copy(other, open) }
    assertRefused(.alreadyExists) {
      try CopyContract.copy(other) {
        try SQLiteStorage.openCopy(path: directory.path("from.sqlite"), project: $0, source: $1)
      }
    }
    try assertBooksAddUp(ledger)
    other.close()
    ledger.close()
  }
}
