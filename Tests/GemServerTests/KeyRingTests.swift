#if Server
import GemLedger
import GemTestSupport
import SystemHTTP
import XCTest

@testable import GemServer

/// The keys in a ledger's storage, as two processes see them.
final class KeyRingTests: XCTestCase {
  private let time = ManualClock()

  private func rings() -> (server: KeyRing, command: KeyRing) {
    let ledger = Ledger.inMemory(clock: time.clock, salt: 1)
    return (KeyRing(ledger), KeyRing(ledger))
  }

  private func isAdmitted(_ text: String, by ring: KeyRing, in world: APIWorld) throws -> Bool {
    let gate = Gatekeeper([GuardedProject(world.project, keys: ring)], clock: time.clock)
    let head = HTTPHeaders([("Authorization", "Bearer \(text)")])
    do throws(LedgerError) {
      _ = try gate.admit(HTTPRequest(method: "GET", path: [], headers: head, id: "r1"), to: .app, projectID: nil)
      return true
    } catch {
      guard error.code == .unauthenticated else { throw error }
      return false
    }
  }

  /// The console offers the listed scopes for new keys, and the help names them.
  func testTheScopesOfAllOperationsAreListed() {
    for route in Routes.all {
      guard case .secret(let scope) = route.access else { continue }
      XCTAssertTrue(Scope.all.contains(scope), "\(scope) of \(route.name)")
    }
  }

  func testAKeyIsUsableInTheInstantOfItsCreation() throws {
    let ((server, command), world) = (rings(), try APIWorld())
    for _ in 0..<3 {
      let text = try command.create(.app(.apple)).text
      XCTAssertTrue(try isAdmitted(text, by: server, in: world))
    }
    // The right id is not enough.
    let text = try command.create(.secret(scopes: [])).text
    XCTAssertFalse(try isAdmitted(String(text.dropLast(4)) + "0000", by: server, in: world))
  }

  func testARevokedKeyIsRefusedASecondLater() throws {
    let ((server, command), world) = (rings(), try APIWorld())
    let made = try command.create(.secret(scopes: []))
    XCTAssertTrue(try isAdmitted(made.text, by: server, in: world))
    _ = try command.revoke(made.key.id)
    time.advance(seconds: 1)
    XCTAssertFalse(try isAdmitted(made.text, by: server, in: world))
  }

  func testInventedKeysOccupyNoStorage() throws {
    let ((server, command), world) = (rings(), try APIWorld())
    let invented = try (0..<100).map { _ in try rings().command.create(.app(.apple)).text }
    for text in invented { XCTAssertFalse(try isAdmitted(text, by: server, in: world)) }
    // The lookups of this second are used up; a new key waits for the next one.
    let text = try command.create(.app(.apple)).text
    XCTAssertFalse(try isAdmitted(text, by: server, in: world))
    time.advance(seconds: 1)
    XCTAssertTrue(try isAdmitted(text, by: server, in: world))
  }

  func testAnInventedKeyIsLookedUpOnce() throws {
    let ((server, command), world) = (rings(), try APIWorld())
    let invented = try rings().command.create(.app(.apple)).text
    for _ in 0..<100 { XCTAssertFalse(try isAdmitted(invented, by: server, in: world)) }
    XCTAssertTrue(try isAdmitted(try command.create(.app(.apple)).text, by: server, in: world))
  }
}
#endif
