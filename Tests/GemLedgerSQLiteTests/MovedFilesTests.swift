import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import Synchronization
import XCTest

/// Files that are removed or replaced under a working ledger take no acknowledged commit with them.
final class MovedFilesTests: XCTestCase {
  private let time = ManualClock()

  private typealias Row = (name: String, line: UInt, move: (Fixture) throws -> Void)

  /// Clean-ups, restores and rotations while the server runs.
  private let rows: [Row] = [
    ("removed", #line, { try FileManager.default.removeItem(atPath: $0.path) }),
    ("renamed", #line, { try FileManager.default.moveItem(atPath: $0.path, toPath: $0.path + ".old") }),
    ("replaced", #line, { try $0.rename(over: $0.path) }),
    ("log removed", #line, { try FileManager.default.removeItem(atPath: $0.path + "-wal") }),
    ("log replaced", #line, { try $0.rename(over: $0.path + "-wal") }),
    ("index removed", #line, { try FileManager.default.removeItem(atPath: $0.path + "-shm") }),
    ("directory renamed", #line, { try FileManager.default.moveItem(at: $0.folder, to: $0.elsewhere) }),
    ("cut to nothing", #line, { try $0.overwrite(with: Data()) }),
    ("other program's file copied over", #line, { try $0.overwrite(with: Data(repeating: 7, count: 1 << 20)) }),
    ("backup copied over", #line, { try $0.overwrite(with: $0.backup) }),
  ]

  func testNothingIsAcknowledgedIntoAFileThatIsGone() throws {
    for row in rows {
      let fixture = try Fixture(time)
      let ledger = try Ledger.openSQLite(at: fixture.path, clock: time.clock)
      let (alice, gem) = (try Make.customer("alice"), try Make.amount("GEM", 1))
      try ledger.grant([gem], customer: alice)
      try row.move(fixture)
      // Right after a check there is none before the next group: then it is unknown where the group's commit went.
      XCTAssertThrowsError(try ledger.grant([gem], customer: alice), row.name, line: row.line) { error in
        let code = (error as? LedgerError)?.code
        XCTAssertTrue(code == .storageUnavailable || code == .outcomeUnknown, "\(error)", line: row.line)
      }
      let refusal = assertRefused(.storageUnavailable, line: row.line) { try ledger.grant([gem], customer: alice) }
      XCTAssertEqual(refusal?.text("file"), fixture.path, row.name, line: row.line)
      XCTAssertEqual(refusal?.message.contains("Nothing was changed"), true, row.name, line: row.line)
      ledger.close()
    }
  }

  /// The files go while a group is written: it is unknown whether its commit is anywhere.
  func testACommitIntoAFileThatGoesMeanwhileIsUnknown() throws {
    for row in rows {
      let fixture = try Fixture(time)
      let storage = try SQLiteStorage(path: fixture.path, now: time.now)
      let salt = try storage.commit(lanes: [0]) { (session) throws(LedgerError) in try session.project().salt }
      XCTAssertEqual(salt, 1)
      assertRefused(.outcomeUnknown, line: row.line) {
        try storage.commit(lanes: [0]) { (session) throws(LedgerError) in
          do { try row.move(fixture) } catch { XCTFail("\(row.name): \(error)", line: row.line) }
          return try session.project().salt
        }
      }
      assertRefused(.storageUnavailable, line: row.line) {
        try storage.commit(lanes: [0]) { (session) throws(LedgerError) in try session.project().salt }
      }
      storage.close()
    }
  }

  /// A server that only reads for days does not answer from a file that no other process sees.
  func testReadersNoticeToo() throws {
    for row in rows {
      let fixture = try Fixture(time)
      let ledger = try Ledger.openSQLite(at: fixture.path, clock: time.clock)
      let (alice, gem) = (try Make.customer("alice"), try CurrencyCode("GEM"))
      _ = try ledger.balance(of: gem, customer: alice)
      try row.move(fixture)
      let deadline = Date(timeIntervalSinceNow: 60)
      var refusal: LedgerError?
      while refusal == nil, Date() < deadline {
        do { _ = try ledger.balance(of: gem, customer: alice) } catch { refusal = error }
      }
      XCTAssertEqual(refusal?.code, .storageUnavailable, row.name, line: row.line)
      ledger.close()
    }
  }

  /// A file that is put back unchanged is used as before, and closing leaves the files of others alone.
  func testAFileThatIsPutBackIsWorkedOn() throws {
    let fixture = try Fixture(time)
    let ledger = try Ledger.openSQLite(at: fixture.path, clock: time.clock)
    let (alice, gem) = (try Make.customer("alice"), try Make.amount("GEM", 1))
    let code = try CurrencyCode("GEM")
    try ledger.grant([gem], customer: alice)
    let before = try ledger.balance(of: code, customer: alice).balance
    try FileManager.default.moveItem(at: fixture.folder, to: fixture.elsewhere)
    let key = try Make.key("k")
    XCTAssertThrowsError(try ledger.grant([gem], customer: alice, key: key))
    assertRefused(.storageUnavailable) { try ledger.grant([gem], customer: alice, key: key) }
    try FileManager.default.moveItem(at: fixture.elsewhere, to: fixture.folder)
    // Whether the first attempt was booked or not, the key's answer is one booking.
    try ledger.grant([gem], customer: alice, key: key)
    XCTAssertEqual(try ledger.balance(of: code, customer: alice).balance, before + 1)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testClosingLeavesTheLogOfAnotherAlone() throws {
    let fixture = try Fixture(time)
    let ledger = try Ledger.openSQLite(at: fixture.path, clock: time.clock)
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    try fixture.rename(over: fixture.path + "-wal")
    let other = FileManager.default.contents(atPath: fixture.path + "-wal")
    ledger.close()
    XCTAssertEqual(FileManager.default.contents(atPath: fixture.path + "-wal"), other)
  }

  /// Events that change no files cause no error: checkpoints, a link that leads to the file, another process that
  /// closes.
  func testWorkingOnIsNotDisturbed() throws {
    let fixture = try Fixture(time)
    let link = fixture.folder.appendingPathComponent("link.sqlite").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.path)
    let ledger = try Ledger.openSQLite(at: link, clock: time.clock)
    for round in 0..<30 {
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("c\(round)"))
      _ = try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("c\(round)"))
      if round % 3 == 0 { XCTAssertNil(try RawSQLite(fixture.path).run("PRAGMA wal_checkpoint(TRUNCATE)")) }
      if round % 7 == 0 { try Ledger.openSQLite(at: fixture.path, clock: time.clock).close() }
      if round == 20 { XCTAssertNil(try RawSQLite(fixture.path).run("VACUUM")) }
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }
}

/// A ledger in a folder of its own, an older backup of it, and another file.
private struct Fixture {
  private let directory: TemporaryDirectory
  let folder: URL
  let path: String
  let backup: Data

  var elsewhere: URL { directory.url.appendingPathComponent("elsewhere") }

  /// The files of a ledger before and after it grew.
  private static let images = Mutex<(backup: Data, grown: Data)?>(nil)

  init(_ time: ManualClock) throws {
    directory = try TemporaryDirectory()
    folder = directory.url.appendingPathComponent("books")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let path = folder.appendingPathComponent("it.sqlite").path
    self.path = path
    let images = try Self.images.withLock { images in
      let made = try images ?? Self.makeImages(path, time)
      images = made
      return made
    }
    backup = images.backup
    try images.grown.write(to: URL(fileURLWithPath: path))
  }

  private static func makeImages(_ path: String, _ time: ManualClock) throws -> (backup: Data, grown: Data) {
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    ledger.close()
    let backup = try Data(contentsOf: URL(fileURLWithPath: path))
    let later = try Ledger.openSQLite(at: path, clock: time.clock)
    for position in 0..<200 { try later.grant([Make.amount("GEM", 1)], customer: Make.customer("c\(position)")) }
    try later.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    later.close()
    return (backup, try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  func rename(over path: String) throws {
    let other = directory.path("other")
    try backup.write(to: URL(fileURLWithPath: other))
    XCTAssertEqual(Foundation.rename(other, path), 0)
  }

  /// As `cp` does it: the file stays, its bytes change.
  func overwrite(with bytes: Data) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: bytes)
    try file.close()
  }
}
