#if Server
import Dispatch
import Foundation
import GemConsole
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import StoreBackend
import SystemHTTP
import XCTest

@testable import GemServer

/// The proof of the books, seals and exports.
final class BookPageTests: XCTestCase {
  private func world() throws -> ConsoleWorld {
    let world = try ConsoleWorld()
    for index in 0..<30 { try world.ledger.grant([Make.amount("GEM", 5)], customer: Make.customer("c\(index)")) }
    return world
  }

  private func waitForProof(_ world: ConsoleWorld) async { while world.project.verifying.isBusy { await Task.yield() } }

  func testAProofRunsInTheBackgroundAndIsKept() async throws {
    let world = try world()
    let browser = try await world.browser()
    let before = try await browser.open("/console/books")
    XCTAssertTrue(before.words.contains("not proved on this ledger yet"), before.words)
    _ = try await browser.submit(before, "/console/books/verify")
    await waitForProof(world)
    world.time.advance(seconds: 120)
    let page = try await browser.open("/console/books")
    XCTAssertTrue(page.words.contains("the books add up") && page.words.contains("2 minutes"), page.words)
    XCTAssertTrue(page.words.contains("key:") && page.words.contains("150"), page.words)
    XCTAssertFalse(page.text.contains("data-live"))
    let overview = try await browser.open("/console")
    XCTAssertTrue(overview.words.contains("proved 2 minutes ago"), overview.words)
    // Another server of the project, or this one after a restart.
    let restarted = VerifyRuns(world.ledger, clock: world.time.clock)
    XCTAssertEqual(try restarted.newest()?.isOK, true)
  }

  func testARunningProofIsShownAndNoOtherStarts() async throws {
    let world = try world()
    let browser = try await world.browser()
    let first = try await browser.open("/console/books")
    let (begun, begins) = AsyncStream.makeStream(of: Void.self)
    let goesOn = DispatchSemaphore(value: 0)
    let sole = world.project.verifying.work
    let work = Task {
      try await sole.run("A proof of the books") {
        begins.yield()
        goesOn.wait()
      }
    }
    for await _ in begun { break }
    let running = try await browser.open("/console/books")
    XCTAssertTrue(running.text.contains("data-live=\"2\""), running.text)
    XCTAssertFalse(running.forms.contains { $0.action == "/console/books/verify" })
    let refused = try await browser.submit(first, "/console/books/verify")
    XCTAssertEqual(refused.status, 423)
    goesOn.signal()
    try await work.value
  }

  func testAJournalIsSealedAndATransactionProved() async throws {
    let world = try world()
    let booking = try world.ledger.grant([Make.amount("GEM", 7)], customer: Make.customer("alice"))
    let id = try XCTUnwrap(booking.transactionID).description
    let browser = try await world.browser()
    let page = try await browser.open("/console/books")
    let seal = try await browser.submit(page, "/console/books/seal")
    XCTAssertTrue(seal.header("Content-Disposition")?.contains("attachment") ?? false, seal.text)
    let later = try world.ledger.grant([Make.amount("GEM", 8)], customer: Make.customer("alice"))
    let form = try await browser.open("/console/books/prove")
    let proof = try await browser.submit(form, nil, ["transaction": id, "seal": seal.text])
    XCTAssertEqual(proof.header("Content-Type"), "application/json", proof.words)
    XCTAssertTrue(proof.text.contains("\"inclusion_proof\"") && proof.text.contains(id))
    let changed = seal.text.replacing(/customers [0-9]+/, with: "customers 99")
    XCTAssertNotEqual(changed, seal.text)
    let unsealed = try XCTUnwrap(later.transactionID).description
    for (transaction, text, status) in [
      (unsealed, seal.text, 400), ("x", seal.text, 404), (id, changed, 400), (id, "<b>", 400),
    ] {
      let refused = try await browser.submit(form, nil, ["transaction": transaction, "seal": text])
      XCTAssertEqual(refused.status, status, refused.words)
    }
  }

  func testTheWholeJournalIsDownloaded() async throws {
    let world = try ConsoleWorld()
    // More than the bytes that wait for a slow reader.
    let text = String(repeating: "x", count: 500)
    for index in 0..<3000 {
      try await world.ledger.book(
        .grant(
          [Make.amount("GEM", 1)], customer: Make.customer("c\(index)"),
          details: CommandDetails(reason: try Reason(text))))
    }
    let browser = try await world.browser()
    let page = try await browser.open("/console/books")
    let answer = try await browser.submit(page, "/console/books/export")
    guard case .stream(let stream) = answer.response.content else { return XCTFail("no stream") }
    let second = try await browser.submit(page, "/console/books/export")
    XCTAssertEqual(second.status, 423)
    let (bytes, isWhole) = Self.read(stream)
    XCTAssertTrue(isWhole)
    XCTAssertGreaterThan(bytes.count, 1_500_000)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    XCTAssertEqual(lines.count { $0.contains("\"type\":\"transaction\"") }, 3000)
    XCTAssertTrue(lines.last?.contains("cursor") ?? false)
  }

  func testABackupIsProvedAndOpens() async throws {
    let folder = try TemporaryDirectory()
    let ledger = try Ledger.createSQLite(at: folder.path("ledger.sqlite"))
    let world = try ConsoleWorld(ledger: ledger)
    try await ledger.book(.grant([Make.amount("GEM", 7)], customer: Make.customer("alice")))
    let browser = try await world.browser()
    let answer = try await browser.submit(try await browser.open("/console/books"), "/console/books/backup")
    guard case .stream(let stream) = answer.response.content else { return XCTFail("no stream: \(answer.text)") }
    let (bytes, isWhole) = Self.read(stream)
    XCTAssertTrue(isWhole)
    let path = folder.path("copy.sqlite")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let copy = try Ledger.openSQLite(at: path)
    defer { copy.close() }
    XCTAssertEqual(try copy.balance(of: CurrencyCode("GEM"), customer: Make.customer("alice")).balance, 7)
    XCTAssertTrue(try copy.verify().isOK)
  }

  func testABackupNeedsAllPermissionsAndAFile() async throws {
    let folder = try TemporaryDirectory()
    let filed = try ConsoleWorld(ledger: try Ledger.createSQLite(at: folder.path("ledger.sqlite")))
    let reader = try await filed.browser(
      "ledger:books:read_write", "customer_information:customers:read", "customer_information:purchases:read")
    let page = try await reader.open("/console/books")
    XCTAssertFalse(page.forms.contains { $0.action == "/console/books/backup" })
    let token = try XCTUnwrap(page.forms.flatMap(\.fields).first { $0.name == "form_token" }?.value)
    let origin = ["Origin": "http://localhost:8383"]
    let refused = try await reader.send("POST", "/console/books/backup", origin, "form_token=\(token)")
    XCTAssertEqual(refused.status, 403)
    let inMemory = try await ConsoleWorld().browser().open("/console/books")
    XCTAssertFalse(inMemory.forms.contains { $0.action == "/console/books/backup" })
  }

  func testAnExportThatTheServerEndsIsNotTakenForAWhole() throws {
    let stream = HTTPStream(isFile: true)
    XCTAssertTrue(stream.write(Array("a line\n".utf8)))
    stream.stop()
    XCTAssertFalse(stream.write(Array("another\n".utf8)))
    XCTAssertFalse(Self.read(stream).isWhole)
    let closed = HTTPStream(isFile: true)
    closed.close()
    XCTAssertFalse(closed.write(Array("a line\n".utf8)))
    let events = HTTPStream()
    events.stop()
    XCTAssertTrue(Self.read(events).isWhole)
  }

  /// Reads a stream to its end, as the server does.
  private static func read(_ stream: HTTPStream) -> (bytes: [UInt8], isWhole: Bool) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    let more = DispatchSemaphore(value: 0)
    while true {
      let part = buffer.withUnsafeMutableBytes { stream.read(into: $0) { { more.signal() } } }
      switch part {
      case .bytes(let count): bytes += buffer[..<count]
      case .end: return (bytes, true)
      case .failed: return (bytes, false)
      case .later: more.wait()
      }
    }
  }

  func testBooksNeedTheirScopes() async throws {
    let world = try world()
    let reader = try await world.browser("ledger:books:read")
    let page = try await reader.open("/console/books")
    XCTAssertEqual(page.status, 200)
    XCTAssertFalse(page.forms.contains { $0.action == "/console/books/export" })
    let token = try XCTUnwrap(page.forms.flatMap(\.fields).first { $0.name == "form_token" }?.value)
    let export = try await reader.send(
      "POST", "/console/books/export", ["Origin": "http://localhost:8383"], "form_token=\(token)")
    XCTAssertEqual(export.status, 403)
    // A proof has the transaction, with its customer's id, reason and key.
    XCTAssertFalse(page.links.contains("/console/books/prove"))
    for method in ["GET", "POST"] {
      let proof = try await reader.send(
        method, "/console/books/prove", ["Origin": "http://localhost:8383"], "form_token=\(token)")
      XCTAssertEqual(proof.status, 403, method)
    }
    let stranger = try await world.browser("customer_information:purchases:read_write")
    for path in ["/console/books", "/console/books/prove"] {
      let refused = try await stranger.open(path)
      XCTAssertEqual(refused.status, 403, path)
    }
  }
}
#endif
