#if Server
import GemLedger
import GemTestSupport
import XCTest

@testable import GemServer

/// Whether a server is ready.
final class WriteProbeTests: XCTestCase {
  private let time = ManualClock()

  private func probe(commits: Int) throws -> (probe: WriteProbe, Ledger) {
    let memory = MemoryStorage(project: ProjectRow(salt: 1, createdAt: Timestamp(milliseconds: 0)))
    let storage = InterruptedStorage(memory, afterCommits: commits)
    let ledger = Ledger(storage: storage, clock: time.clock)
    let world = try APIWorld()
    let project = ServerProject(ledger: ledger, backend: world.backend, sessions: world.sessions)
    return (WriteProbe(project), ledger)
  }

  func testAStorageThatRefusesWritesIsNotReady() async throws {
    let (probe, ledger) = try probe(commits: 1)
    let first = await probe.succeeds()
    XCTAssertTrue(first)
    XCTAssertNotNil(try ledger.documents.find(named: WriteProbe.documentName))
    // Within five seconds nobody asks the storage.
    time.advance(seconds: 4)
    let cached = await probe.succeeds()
    XCTAssertTrue(cached)
    time.advance(seconds: 1)
    let full = await probe.succeeds()
    XCTAssertFalse(full)
    // Reads go on.
    XCTAssertNotNil(try ledger.documents.find(named: WriteProbe.documentName))
  }

  func testTwoServersAreReadySideBySide() async throws {
    let (one, ledger) = try probe(commits: 100)
    let world = try APIWorld()
    let other = WriteProbe(ServerProject(ledger: ledger, backend: world.backend, sessions: world.sessions))
    for _ in 0..<3 {
      async let first = one.succeeds()
      async let second = other.succeeds()
      let both = await [first, second]
      XCTAssertEqual(both, [true, true])
      time.advance(seconds: 10)
    }
  }
}
#endif
