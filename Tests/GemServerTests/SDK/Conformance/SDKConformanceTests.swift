#if Server
import Foundation
import GemLedger
import GemLedgerSQLite
import GemTestSupport
import PostgresTestSupport
import StoreReceipts
import XCTest

#if PostgreSQL
import GemLedgerPostgres
#endif

@testable import GemServer

/// RevenueCat's SDKs, played by their sources' rules, against the server: whatever goes wrong at whatever call, what is
/// paid is credited once, ends on the device after that, and nothing is stuck.
///
/// `.ci/sdk-matrix` prints the table of all runs.
final class SDKConformanceTests: XCTestCase {
  private struct Cell: Hashable {
    let platform: String
    let story: String
    let fault: String
  }

  private struct Tally {
    var runs = 0
    var (paid, credited, ended) = (0, 0, 0)
    var problems: [String] = []
  }

  private typealias Open = @Sendable () throws -> any LedgerStorage

  private static let platforms = ["iOS", "android"]
  private var tallies: [Cell: Tally] = [:]

  // MARK: In memory

  func testEveryFaultAtEveryCall() async throws {
    let stand = try Stand()
    defer { stand.close() }
    try await failEverywhere(stand, quick: 12) { nil }
  }

  func testTheServerDiesAtEveryCommit() async throws {
    let stand = try Stand()
    defer { stand.close() }
    try await killEverywhere(stand) { nil }
  }

  /// People and devices in any order, with several faults in one run.
  func testRandomStoriesWithRandomFaults() async throws {
    let stand = try Stand()
    defer { stand.close() }
    for generator in InvariantContract.generator(400, quick: 24) {
      for platform in Self.platforms {
        var generator = generator
        let world = try stand.world()
        defer { world.close() }
        let faults: [SDKFault] = [.offline, .answerLost, .page, .status(500), .status(503)]
        for index in 0..<60 where generator.percent(15) { world.faults[index] = generator.one(of: faults) }
        if generator.percent(50) { world.die(at: generator.below(12), isAfter: generator.percent(50)) }
        let story = ConformanceStory.random(&generator)
        let problems = try await play(story, platform, world)
        XCTAssertEqual(problems, [], "seed \(generator.seed), \(platform), \(story.name)")
      }
    }
  }

  // MARK: On files and databases

  func testOnSQLite() async throws {
    let stand = try Stand()
    defer { stand.close() }
    let directory = try TemporaryDirectory()
    var count = 0
    func open() throws -> Open {
      count += 1
      let path = directory.path("\(count).sqlite")
      try Ledger.createSQLite(at: path, salt: 1).close()
      return { try Ledger.openSQLite(at: path).storage }
    }
    try await failEverywhere(stand, stories: [.codelab, .otherUser], quick: 2, open: open)
    try await killEverywhere(stand, stories: [.codelab, .otherUser], quick: 2, open: open)
  }

  func testOnPostgres() async throws {
    #if PostgreSQL
    let stand = try Stand()
    defer { stand.close() }
    let server = try PostgresServer.shared()
    var urls: [String] = []
    defer { for url in urls { try? server.dropDatabase(url) } }
    func open() throws -> Open {
      let url = try server.createDatabase()
      urls.append(url)
      try Ledger.createPostgres(at: url, salt: 1).close()
      return { try Ledger.openPostgres(at: url).storage }
    }
    try await failEverywhere(stand, stories: [.codelab], quick: 2, open: open)
    try await killEverywhere(stand, stories: [.codelab], quick: 1, open: open)
    #else
    throw XCTSkip("This build has no PostgreSQL.")
    #endif
  }

  // MARK: Controls

  /// A server that refused a receipt for good would be found out.
  func testARefusalOfAPurchaseIsFoundOut() async throws {
    let stand = try Stand()
    defer { stand.close() }
    for platform in Self.platforms {
      let plain = try await run(.codelab, platform, stand, fault: nil, at: 0)
      let post = try XCTUnwrap(plain.calls.firstIndex(of: "POST receipts"))
      let world = try stand.world()
      world.faults = [post: .status(404)]
      let problems = try await play(.codelab, platform, world)
      XCTAssertFalse(problems.isEmpty, platform)
    }
  }

  // MARK: Runs

  private final class Stand {
    private let google: FakeGoogle
    private let receipts: LocalReceipts
    private var worldCount = 0

    init() throws { (google, receipts) = (try FakeGoogle(), try LocalReceipts(session: "s1")) }

    func world(_ open: Open? = nil) throws -> ConformanceWorld {
      worldCount += 1
      return try ConformanceWorld(worldCount, google: google, receipts: receipts, open: open)
    }

    func close() { google.stop() }
  }

  /// A gateway's statuses of 400 to 499 end a purchase on the device, and this server answers none.
  private static func faults(of call: String) -> [SDKFault] {
    let faults: [SDKFault] = [.offline, .answerLost, .page, .status(500), .status(503), .status(521)]
    return call == "POST receipts" ? faults : faults + [400, 401, 403, 404, 409, 422, 429].map(SDKFault.status)
  }

  private func failEverywhere(
    _ stand: Stand, stories: [ConformanceStory] = ConformanceStory.all, quick: Int, open: () throws -> Open?
  ) async throws {
    for story in stories {
      for platform in Self.platforms {
        let calls = try await run(story, platform, stand, fault: nil, at: 0, open: open()).calls
        let cases = calls.indices.flatMap { index in Self.faults(of: calls[index]).map { (index, $0) } }
        for (index, fault) in Tier.current.items(quick, of: cases) {
          try await run(story, platform, stand, fault: fault, at: index, open: open())
        }
      }
    }
    try report()
  }

  private func killEverywhere(
    _ stand: Stand, stories: [ConformanceStory] = ConformanceStory.all, quick: Int = 3, open: () throws -> Open?
  ) async throws {
    for story in stories {
      for platform in Self.platforms {
        let commits = try await run(story, platform, stand, fault: nil, at: 0, open: open()).commits
        XCTAssertGreaterThan(commits, 0)
        for step in Tier.current.items(quick, of: 0..<commits) {
          for isAfter in [false, true] {
            try await run(story, platform, stand, fault: .killed(step: step, isAfter: isAfter), at: 0, open: open())
          }
        }
      }
    }
    try report()
  }

  @discardableResult
  private func run(
    _ story: ConformanceStory, _ platform: String, _ stand: Stand, fault: SDKFault?, at index: Int, open: Open? = nil
  ) async throws -> (calls: [String], commits: Int) {
    let world = try stand.world(open)
    defer { world.close() }
    if case .killed(let step, let isAfter) = fault {
      world.die(at: step, isAfter: isAfter)
    } else if let fault {
      world.faults = [index: fault]
    }
    var made: (calls: [String], commits: Int) = ([], 0)
    let problems = try await play(story, platform, world) { made = (world.calls, world.commitCount) }
    let call = made.calls.indices.contains(index) ? made.calls[index] : ""
    let step = if case .killed = fault { "" } else { " at \(call)" }
    let cell = Cell(platform: platform, story: story.name, fault: fault.map { "\($0)\(step)" } ?? "none")
    var tally = tallies[cell, default: Tally()]
    tally.runs += 1
    tally.paid += world.paidIDs.count
    tally.credited += Int(try world.credited()) / 300
    tally.ended += world.paidIDs.count { ["finished", "consumed"].contains(world.ends[$0]) }
    tally.problems += problems
    tallies[cell] = tally
    XCTAssertEqual(problems, [], "\(cell), call \(index), \(fault.map(String.init(reflecting:)) ?? "")")
    return made
  }

  /// Plays the story, heals everything, and says what is wrong then.
  private func play(
    _ story: ConformanceStory, _ platform: String, _ world: ConformanceWorld, then: () -> Void = {}
  ) async throws -> [String] {
    let devices: [any SDKDevice]
    if platform == "iOS" {
      let account = AppleAccount(world)
      devices = [AppleDevice(world, account), AppleDevice(world, account)]
    } else {
      let account = PlayAccount(world)
      devices = [AndroidDevice(world, account), AndroidDevice(world, account)]
    }
    try await story.run(devices[0], devices[1])
    then()
    for _ in 0..<2 {
      try await world.heal()
      for device in devices {
        try await device.launch()
        // An app signs its user in at every launch.
        if let owner = story.owner { try await device.logIn(owner) }
      }
    }
    var problems = world.problems + devices.flatMap(\.unfinished).map { "\($0) is stuck" }
    let paid = Int64(world.paidIDs.count) * 300
    let credited = try world.credited()
    if credited != paid { problems.append("\(paid) gems were paid for and \(credited) credited") }
    if let owner = story.owner, try world.gems(of: owner) != paid { problems.append("\(owner) has not everything") }
    return problems
  }

  /// Writes the table where the environment says, for `.ci/sdk-matrix`.
  private func report() throws {
    guard let path = ProcessInfo.processInfo.environment["GEMLEDGER_SDK_MATRIX"] else { return }
    var text = ""
    for (cell, tally) in tallies.sorted(by: {
      ($0.key.platform, $0.key.story, $0.key.fault) < ($1.key.platform, $1.key.story, $1.key.fault)
    }) {
      text +=
        "| \(cell.platform) | \(cell.story) | \(cell.fault) | \(tally.runs) | \(tally.paid) | \(tally.credited) "
        + "| \(tally.ended) | \(tally.problems.isEmpty ? "" : tally.problems.joined(separator: "; ")) |\n"
    }
    let name = name.replacingOccurrences(of: "SDKConformanceTests.", with: "")
    try Data("## \(name)\n\(text)".utf8).write(to: URL(fileURLWithPath: "\(path)/\(name).md"))
  }
}
#endif
