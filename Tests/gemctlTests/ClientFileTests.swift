import Foundation
import GemLedger
import GemTestSupport
import StoreClient
import Synchronization
import XCTest

@testable import gemctl

/// The files of a home's client: damaged, held by others, taken away.
final class ClientFileTests: XCTestCase {
  // MARK: home.json

  private func state() throws -> Home.State {
    var state = Home.State.new(store: .google, storefront: .unitedStates)
    state.customer = try CustomerID("alice")
    return state
  }

  func testEveryDamagedBitOfTheHomesFileIsFound() throws {
    let state = try state()
    let bytes = Array(state.text.utf8)
    XCTAssertEqual(Home.State.read(bytes), .state(state))
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        if case .state(let read) = Home.State.read(damaged) { XCTFail("byte \(index), bit \(bit): \(read)") }
      }
      if case .state(let read) = Home.State.read(Array(bytes[..<index])) { XCTFail("cut at \(index): \(read)") }
      var zeros = bytes
      for zero in index..<min(index + 16, zeros.count) { zeros[zero] = 0 }
      if case .state(let read) = Home.State.read(zeros) { XCTFail("zeros at \(index): \(read)") }
    }
    print("damages of home.json: \(bytes.count * 10), all found")
  }

  /// A person who edits the file removes its checksum, and may leave out the store.
  func testAHomesFileWithoutAChecksumIsRead() throws {
    let edited = #"{"customer_id": "alice", "store_session": "s", "storefront": "USA"}"#
    let expected = Home.State(
      customer: try CustomerID("alice"), storeSession: "s", store: .apple, storefront: .unitedStates)
    XCTAssertEqual(Home.State.read(Array(edited.utf8)), .state(expected))
    XCTAssertEqual(Home.State.read(Array(edited.replacing("}", with: #", "checksun": "1"}"#).utf8)), .changed)
  }

  /// A member that this version does not know is no damage, with and without a checksum.
  func testANewerHomesFileIsNamedAsNewer() throws {
    guard case .object(var members)? = try? JSONValue.parse(Array(state().text.utf8)) else { return XCTFail("no JSON") }
    members["checksum"] = nil
    members["theme"] = "dark"
    XCTAssertEqual(Home.State.read(Array(Home.State.sealed(members).utf8)), .newer(["theme"]))
    XCTAssertEqual(Home.State.read(Array(JSONValue.object(members).text().utf8)), .newer(["theme"]))
    let home = try TestHome()
    XCTAssertEqual(try home.run("gemctl init").status, 0)
    try home.write(Home.State.sealed(members), to: ".gemctl/home.json")
    try Row.check(
      [
        Row(
          "gemctl whoami", 74,
          error: "error: \".gemctl/home.json\" was written by a newer gemctl: this one does not know its \"theme\". "
            + "Use the newer gemctl.\n")
      ], in: home)
  }

  func testADamagedHomesFileIsNamedWithWhatToDo() throws {
    let changed = """
      error: ".gemctl/home.json" does not have the content that was written. Restore it from a backup; if you \
      changed it yourself, remove its "checksum" line.

      """
    try Row.check(
      [
        Row("gemctl init > /dev/null; sed -i.kept 's/RCAnonymousID:./RCAnonymousID:g/' .gemctl/home.json"),
        Row("gemctl balance", 74, error: changed),
        Row("gemctl buy gems_300", 74, error: changed),
        Row("gemctl whoami", 74, error: changed),
        Row("truncate -s 20 .gemctl/home.json"),
        Row(
          "gemctl balance", 74,
          error: "error: \".gemctl/home.json\" cannot be understood; restore it from a backup.\n"),
        Row("mv .gemctl/home.json.kept .gemctl/home.json; gemctl balance GEM > /dev/null"),
        // A change by hand takes the line out, with the comma in front of it.
        Row(
          "sed -i.kept -e '/checksum/d' -e 's/\\(\"storefront\": \"USA\"\\),/\\1/' .gemctl/home.json; "
            + "gemctl balance GEM > /dev/null"
        ),
      ], in: TestHome())
  }

  // MARK: The queue and the store's file

  /// Under any change of a client's file, no verb crashes, and losses are named.
  func testDamagedClientFilesAreNamed() throws {
    let home = try TestHome()
    let bought = try home.run(
      "gemctl init > /dev/null; for i in 1 2 3; do gemctl buy gems_300 > /dev/null; done; "
        + "gemctl buy gems_300 --offline > /dev/null; cp -r .gemctl kept; gemctl queue --json; gemctl store list --json"
    )
    XCTAssertEqual(bought.error, "")
    var generator = SeededRandom()
    var counts: [String: Int] = [:]
    for round in 0..<Tier.current.length(10, thorough: 40) {
      let name = round % 2 == 0 ? "client.log" : "store.log"
      _ = try home.run("rm -rf .gemctl; cp -r kept .gemctl")
      let what = try damage(home.path(".gemctl/\(name)"), &generator)
      let answer = try home.run("gemctl queue --json && gemctl store list --json")
      let isNamed = answer.error.contains(name)
      let outcome = answer.status == 0 ? (isNamed ? "warned" : "silent") : "refused"
      counts["\(name) \(outcome)", default: 0] += 1
      XCTAssertTrue([0, 74].contains(answer.status), "\(what), seed \(generator.seed): \(answer)")
      XCTAssertTrue(isNamed, "\(what), seed \(generator.seed): \(answer)")
    }
    print("damaged client files: \(counts)")
  }

  /// One bit, or a piece of zeros, anywhere.
  private func damage(_ path: String, _ generator: inout SeededRandom) throws -> String {
    let url = URL(fileURLWithPath: path)
    var bytes = Array(try Data(contentsOf: url))
    let start = generator.below(bytes.count)
    let count = generator.percent(50) ? 1 : 1 + generator.below(512)
    if count == 1 {
      bytes[start] ^= 1 << UInt8(generator.below(8))
    } else {
      for index in start..<min(start + count, bytes.count) { bytes[index] = 0 }
    }
    try Data(bytes).write(to: url)
    return "\(count) bytes at \(start) of \(url.lastPathComponent)"
  }

  // MARK: Another process

  /// Whatever another command did while this one waited for the home is what this one goes on from.
  func testACommandThatWaitedReadsTheHomeAfterwards() throws {
    let (home, later) = (try TestHome(), try TestHome())
    XCTAssertEqual(try home.run("gemctl init > /dev/null").status, 0)
    let path = home.path(".gemctl")
    try FileManager.default.copyItem(atPath: path, toPath: later.path(".gemctl"))
    let other = "gemctl clock advance 31d > /dev/null && gemctl store settings storefront JPN > /dev/null"
    XCTAssertEqual(try later.run(other).status, 0)
    let holder = Mutex<FileEventLog?>(try FileEventLog(path: "\(path)/client.log"))
    let waited = Mutex(Duration.zero)
    let laterPath = later.path(".gemctl")
    let parsed = try Parser.parse(["buy", "gems_300"])
    var invocation = Invocation(
      parsed: parsed, settings: try GlobalSettings(parsed) { $0 == "GEMCTL_HOME" ? path : nil }, terminal: Terminal())
    let othersTurn: @Sendable (Duration) -> Void = { span in
      waited.withLock { $0 += span }
      for file in ["clock", "store.log", "home.json"] {
        let target = "\(path)/\(file)"
        try? FileManager.default.removeItem(atPath: target)
        try? FileManager.default.copyItem(atPath: "\(laterPath)/\(file)", toPath: target)
      }
      try? FileManager.default.removeItem(atPath: "\(path)/unfinished")
      holder.withLock { $0 = nil }
    }
    invocation.timeout = LockTimeout(limit: .seconds(10), now: { waited.withLock { $0 } }, pause: othersTurn)
    let command = invocation
    let (isMarked, pending) = try command.withClient { session throws(LedgerError) in
      _ = try await session.client.purchase(ProductCode("gems_300"))
      _ = try await session.client.identify("bob")
      return (FileManager.default.fileExists(atPath: "\(path)/unfinished"), session.client.queueItems)
    }
    XCTAssertGreaterThan(waited.withLock { $0 }, .zero)
    XCTAssertEqual(pending, [])
    XCTAssertTrue(isMarked, "a kill now would leave a payment that no reading verb recovers")
    let state = try Home(path: path).state()
    XCTAssertEqual(state.customer.text, "bob")
    XCTAssertEqual(state.storefront.description, "JPN")
  }

  /// A stopped command (Ctrl-Z) keeps the home's lock; the next one waits for a limited time only.
  func testAStoppedCommandIsNotWaitedForWithoutEnd() throws {
    try XCTSkipUnless(try Shell.run("command -v flock").status == 0, "there is no flock(1)")
    let home = try TestHome()
    XCTAssertEqual(try home.run("gemctl init > /dev/null; gemctl buy gems_300 > /dev/null").status, 0)
    let path = home.path(".gemctl")
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let script = """
      kill -STOP $PPID
      # It stops when it runs next; where the system does not say so, no test looks.
      while [ -e /proc/$PPID/stat ] && ! grep -q ') T ' /proc/$PPID/stat; do sleep 0.01; done
      echo locked
      """
    holder.arguments = ["flock", "\(path)/client.log", "sh", "-c", script]
    let output = Pipe()
    holder.standardOutput = output
    try holder.run()
    defer {
      kill(holder.processIdentifier, SIGKILL)
      holder.waitUntilExit()
    }
    XCTAssertEqual(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self), "locked\n")
    let waited = Mutex(Duration.zero)
    let parsed = try Parser.parse(["queue"])
    var invocation = Invocation(
      parsed: parsed, settings: try GlobalSettings(parsed) { $0 == "GEMCTL_HOME" ? path : nil }, terminal: Terminal())
    invocation.timeout = LockTimeout(
      limit: .seconds(10), now: { waited.withLock { $0 } }, pause: { span in waited.withLock { $0 += span } })
    let command = invocation
    let refusal = assertRefused(.storageUnavailable) { try command.withClient { $0.backlogCount } }
    XCTAssertEqual(refusal?.code.exitStatus, 69)
    XCTAssertEqual(refusal?.text("file"), "\(path)/client.log")
    XCTAssertGreaterThanOrEqual(waited.withLock { $0 }, .seconds(10))
    #if os(Linux)
    let process = holder.processIdentifier
    XCTAssertEqual(
      refusal?.message,
      "\"\(path)/client.log\" is in use by process \(process) (flock) for more than 10 s, and it is stopped. "
        + "Resume it (kill -CONT \(process)) or end it, then try again.")
    #endif
  }
}
