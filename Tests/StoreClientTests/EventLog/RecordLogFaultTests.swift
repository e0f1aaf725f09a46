import Foundation
import GemLedger
import GemTestSupport
import StoreTestSupport
import Synchronization
import XCTest

@testable import StoreClient

/// Faults around the file while it is in use: a sync that fails, a lock that is not released, a file that is moved.
final class RecordLogFaultTests: XCTestCase {
  /// A directory with a sync that can be made to fail.
  private final class Disk: Sendable {
    private let isBroken = Mutex(false)
    private let count = Mutex(0)

    var syncCount: Int { count.withLock { $0 } }
    func setBroken(_ broken: Bool) { isBroken.withLock { $0 = broken } }

    func log(_ path: String) throws(LedgerError) -> FileEventLog {
      try FileEventLog(path: path) { (path) throws(LedgerError) in
        self.count.withLock { $0 += 1 }
        if self.isBroken.withLock({ $0 }) {
          throw LedgerError(.inputOutput, "\"\(path)\" cannot be written.")
        }
        try SystemFile.synchronizeDirectory(of: path)
      }
    }
  }

  /// The old file has no name any more and the new one may lose its own: neither may take a record for durable.
  func testAfterAFailedSyncOfTheDirectoryNothingIsAcknowledgedThatCouldBeLost() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("queue")
    let disk = Disk()
    let log = try disk.log(path)
    try log.append(["one", "two"])
    disk.setBroken(true)
    assertRefused(.inputOutput) { try log.compact(to: ["two"]) }
    assertRefused(.inputOutput) { try log.append(["not acknowledged"]) }
    disk.setBroken(false)
    try log.append(["three"])
    XCTAssertEqual(try log.records(), ["two", "three"])
    log.close()
    XCTAssertEqual(try FileEventLog(path: path).records(), ["two", "three"])
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.url.path), ["queue"])
  }

  /// A process that was killed between the renaming and the sync left a name that a power cut would take back.
  func testTheFirstAppendMakesTheNameDurable() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("queue")
    try FileEventLog(path: path).close()
    let disk = Disk()
    let log = try disk.log(path)
    XCTAssertEqual(disk.syncCount, 0)
    try log.append(["one"])
    try log.append(["two"])
    XCTAssertEqual(disk.syncCount, 1)
  }

  // MARK: Another file under the name

  func testARemovedFileTakesNoMoreRecords() throws {
    try check { path in try FileManager.default.removeItem(atPath: path) }
  }

  func testAReplacedFileTakesNoMoreRecords() throws {
    try check { path in
      try Data(contentsOf: URL(fileURLWithPath: path)).write(to: URL(fileURLWithPath: path + "-copy"))
      XCTAssertEqual(rename(path + "-copy", path), 0)
    }
  }

  func testAMovedFileTakesNoMoreRecords() throws {
    try check { path in XCTAssertEqual(rename(path, path + "-moved"), 0) }
  }

  private func check(_ take: (String) throws -> Void) throws {
    for isCompacted in [false, true] {
      let directory = try TemporaryDirectory()
      let path = directory.path("queue")
      let log = try FileEventLog(path: path)
      try log.append(["one"])
      try take(path)
      let before = try? Data(contentsOf: URL(fileURLWithPath: path))
      let refusal = assertRefused(.storageUnavailable) {
        if isCompacted { try log.compact(to: []) } else { try log.append(["two"]) }
      }
      XCTAssertEqual(refusal?.text("file"), path)
      XCTAssertTrue(refusal?.message.contains("moved, replaced or removed") == true, refusal?.message ?? "")
      // For good: if the right file comes back, the refused records must not be missing in its middle.
      assertRefused(.storageUnavailable) { try log.append(["three"]) }
      assertRefused(.storageUnavailable) { try log.compact(to: ["three"]) }
      XCTAssertEqual(try? Data(contentsOf: URL(fileURLWithPath: path)), before, "untouched")
    }
  }

  // MARK: Waiting

  /// A clock that goes on by the time waited.
  private final class Waiting: Sendable {
    private let time = Mutex(Duration.zero)
    private let actions: Mutex<[@Sendable () -> Void]>

    init(_ actions: [@Sendable () -> Void] = []) { self.actions = Mutex(actions) }

    var waited: Duration { time.withLock { $0 } }

    var timeout: LockTimeout {
      LockTimeout(limit: .seconds(10), now: { self.waited }, pause: { self.pass($0) })
    }

    private func pass(_ span: Duration) {
      time.withLock { $0 += span }
      let action = actions.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      action?()
    }
  }

  func testWaitsForAnotherUserOnlySoLong() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("queue")
    let holder = try FileEventLog(path: path)
    let waiting = Waiting()
    let refusal = assertRefused(.storageUnavailable) { try FileEventLog(path: path, timeout: waiting.timeout) }
    XCTAssertGreaterThanOrEqual(waiting.waited, .seconds(10))
    XCTAssertLessThan(waiting.waited, .seconds(11))
    XCTAssertEqual(refusal?.text("file"), path)
    XCTAssertEqual(refusal?.integer("waited_ms"), 10_000)
    #if os(Linux)
    XCTAssertEqual(refusal?.integer("process"), Int64(getpid()))
    #endif
    holder.close()
  }

  func testGoesOnAsSoonAsTheFileIsFree() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("queue")
    let holder = try FileEventLog(path: path)
    try holder.append(["one"])
    let waiting = Waiting([{}, {}, { holder.close() }])
    XCTAssertEqual(try FileEventLog(path: path, timeout: waiting.timeout).records(), ["one"])
    XCTAssertLessThan(waiting.waited, .milliseconds(100))
  }

  /// Where many take turns, the time counts anew with each of them.
  func testTheWaitIsForOneProcess() {
    let waiting = Waiting()
    var wait = LockWait(waiting.timeout)
    for turn in 0..<100 {
      let start = waiting.waited
      while waiting.waited - start < .seconds(9) { XCTAssertTrue(wait.goOn(holder: Int64(turn))) }
    }
    while wait.goOn(holder: 99) { XCTAssertLessThan(waiting.waited, .seconds(1000)) }
    XCTAssertFalse(wait.goOn(holder: 99))
    var impatient = LockWait(.none)
    XCTAssertFalse(impatient.goOn(holder: 1))
  }

  func testReadsWhatTheSystemSaysOfLocks() {
    let list = """
      1: POSIX  ADVISORY  WRITE 15069 fe:00:5382728 1073741824 1073742335
      2: FLOCK  ADVISORY  WRITE 15070 fe:01:16220566 0 EOF
      3: FLOCK  ADVISORY  WRITE 15068 fe:00:16220566 0 EOF
      3: -> FLOCK  ADVISORY  WRITE 15071 fe:00:16220566 0 EOF

      """
    XCTAssertEqual(LockHolder.process(in: list, device: 0xFE00, inode: 16_220_566), 15068)
    XCTAssertEqual(LockHolder.process(in: list, device: 0xFE01, inode: 16_220_566), 15070)
    XCTAssertNil(LockHolder.process(in: list, device: 0xFE00, inode: 5_382_728))
    XCTAssertNil(LockHolder.process(in: "", device: 0xFE00, inode: 1))
    let rows: [(status: String, name: String?, isStopped: Bool)] = [
      ("12 (gemctl) T 1 12", "gemctl", true), ("12 (a ) R) S 1", "a ) R", false), ("12 (gdb) t 1", "gdb", true),
      ("", nil, false), ("12 ()", "", false),
    ]
    for row in rows {
      XCTAssertEqual(
        LockHolder(process: 12, status: row.status), LockHolder(process: 12, name: row.name, isStopped: row.isStopped))
    }
  }

  func testSaysWhoUsesTheFileAndWhatToDo() {
    let stopped = LockHolder(process: 12, name: "gemctl", isStopped: true)
    let rows: [(holder: LockHolder?, waited: Duration?, message: String)] = [
      (
        stopped, .seconds(10),
        "\"queue\" is in use by process 12 (gemctl) for more than 10 s, and it is stopped. Resume it "
          + "(kill -CONT 12) or end it, then try again."
      ),
      (
        LockHolder(process: 12), nil,
        "\"queue\" is in use by process 12. Wait until it has ended, or end it, then try again."
      ),
      (nil, nil, "\"queue\" is in use by another process. Wait until it has ended, or end it, then try again."),
    ]
    for row in rows {
      let error = LedgerError.inUse("queue", by: row.holder, waited: row.waited)
      XCTAssertEqual(error.message, row.message)
      XCTAssertEqual(error.code.exitStatus, 69)
    }
  }

  func testACallThatASignalInterruptsIsMadeAgain() {
    var answers: [(Int32, Int32)] = [(-1, EINTR), (-1, EINTR), (3, 0)]
    let answer = SystemCall.retrying { () -> Int32 in
      let next = answers.removeFirst()
      errno = next.1
      return next.0
    }
    XCTAssertEqual(answer, 3)
    let refused = SystemCall.retrying { () -> Int32 in
      errno = ENOSPC
      return -1
    }
    XCTAssertEqual(refused, -1)
  }
}
