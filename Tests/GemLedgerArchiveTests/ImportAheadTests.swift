import GemLedger
import GemLedgerArchive
import GemTestSupport
import Synchronization
import XCTest

/// Lines are read and parsed ahead of their use; problems and errors have the order of the lines all the same.
final class ImportAheadTests: XCTestCase {
  private let time = ManualClock()

  private func lines(grants: Int) throws -> [String] {
    let ledger = Ledger.inMemory(clock: time.clock, salt: 7)
    try ledger.apply(Make.catalog())
    let alice = try Make.customer("alice")
    for index in 0..<grants {
      try ledger.grant([Make.amount("GEM", 1)], customer: alice, key: Make.key("k\(index)"))
    }
    return try Exported(ledger).lines
  }

  private func bytes(_ lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }

  func testProblemsFarApartAreListedInOrder() throws {
    var lines = try lines(grants: 3000)
    let damaged = [100, 1500, 2047, 2048, 2049, 5000]
    for number in damaged { lines[number - 1] += "," }
    let error = assertRefused(.invalidImport) { try Ledger.inMemory(importing: bytes(lines)) }
    let listed = (error?.details ?? []).compactMap { detail -> Int? in
      guard detail.name.hasPrefix("problems["), case .text(let text) = detail.value else { return nil }
      return text.contains("Only space may follow") ? Int(text.dropFirst(5).prefix { $0 != ":" }) : nil
    }
    XCTAssertEqual(listed, damaged)
  }

  func testPagesBeforeAnUnreadablePageAreImported() throws {
    let lines = try lines(grants: 12)
    let start = bytes(Array(lines.prefix(11)))
    let unreadable = LedgerError(.inputOutput, "Unreadable.")
    let (error, done) = try imported(ReplacedText(bytes(lines), then: start, unreadable))
    XCTAssertEqual(error?.code, .inputOutput)
    XCTAssertEqual(done, [3, 6, 9])
  }

  func testPagesBeforeAChangedPageAreImported() throws {
    let lines = try lines(grants: 12)
    var changed = lines
    changed[10] += ","
    let (error, done) = try imported(ReplacedText(bytes(lines), then: bytes(changed)))
    XCTAssertEqual(error?.code, .invalidImport)
    XCTAssertTrue(error?.message.contains("The export changed during the import") == true, "\(error?.message ?? "")")
    XCTAssertTrue(error?.message.contains("Line 11: ") == true, "\(error?.message ?? "")")
    XCTAssertEqual(done, [3, 6, 9])
  }

  /// Imports with three lines a page, and returns the error and the lines of each commit.
  private func imported(_ text: ReplacedText) throws -> (LedgerError?, [Int64]) {
    let source = JournalImport(text, clock: time.clock, pageSize: 3)
    let storage = MemoryStorage(project: try source.head().project)
    let checked = try source.check()
    text.replace()
    var done: [Int64] = []
    do throws(LedgerError) {
      try source.run(checked, into: storage) { stage, lines, _ in if stage == .importing { done.append(lines) } }
      return (nil, done)
    } catch {
      return (error, done)
    }
  }
}

/// A text that is replaced while it is imported.
private final class ReplacedText: ImportText {
  private let text: [UInt8]
  private let later: [UInt8]
  private let failure: LedgerError?
  private let isReplaced = Atomic(false)

  /// - Parameter failure: The error at the end of the later text.
  init(_ text: [UInt8], then later: [UInt8], _ failure: LedgerError? = nil) {
    self.text = text
    self.later = later
    self.failure = failure
  }

  func replace() { isReplaced.store(true, ordering: .relaxed) }

  func open() -> () throws(LedgerError) -> [UInt8] {
    let isReplaced = isReplaced.load(ordering: .relaxed)
    var rest: [UInt8]? = isReplaced ? later : text
    let failure = isReplaced ? failure : nil
    return { () throws(LedgerError) in
      if let part = rest {
        rest = nil
        return part
      }
      if let failure { throw failure }
      return []
    }
  }
}
