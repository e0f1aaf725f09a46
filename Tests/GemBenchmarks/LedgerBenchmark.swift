internal import GemLedger

/// Adjustments submitted in bulk, with a given number in each call.
final class BulkBenchmark: Benchmark {
  let name: String
  let operationCount: Int
  let batchSize: Int
  private let makeLedger: () throws -> Ledger
  private var workload: Workload
  private var ledger: Ledger?
  private var commands: [LedgerCommand] = []

  init(
    _ name: String, workload: Workload, operationCount: Int, groupSize: Int, ledger: @escaping () throws -> Ledger
  ) {
    self.name = name
    self.workload = workload
    self.operationCount = operationCount
    batchSize = groupSize
    makeLedger = ledger
  }

  func setUp() throws { ledger = try makeLedger() }

  func prepare(_ count: Int) throws { commands = try workload.next(count) }

  func run() throws -> UInt64 {
    var checksum: UInt64 = 0
    for result in ledger?.submit(commands) ?? [] { checksum &+= UInt64(try result.get().entries[0].balance) }
    return checksum
  }

  func tearDown() { ledger?.close() }
}

/// Adjustments by callers that each make a command, wait for its answer, and make the next one.
final class CallersBenchmark: Benchmark {
  let name: String
  let operationCount: Int
  private let callerCount: Int
  private let makeLedger: () throws -> Ledger
  private let workload: Workload
  private var ledger: Ledger?
  private var round: UInt64 = 0
  private var count = 0

  init(
    _ name: String, workload: Workload, operationCount: Int, callerCount: Int, ledger: @escaping () throws -> Ledger
  ) {
    self.name = name
    self.workload = workload
    self.operationCount = operationCount
    self.callerCount = callerCount
    makeLedger = ledger
  }

  func setUp() throws { ledger = try makeLedger() }

  func prepare(_ count: Int) {
    round += 1
    self.count = count
  }

  func run() throws -> UInt64 {
    guard let ledger else { return 0 }
    let (count, callerCount) = (count, callerCount)
    let workloads = workload.split(among: callerCount, round: round)
    return try Blocking.wait {
      try await withThrowingTaskGroup(of: UInt64.self) { group in
        for (caller, workload) in workloads.enumerated() {
          let own = count * (caller + 1) / callerCount - count * caller / callerCount
          group.addTask { try await Self.call(ledger, workload, count: own) }
        }
        return try await group.reduce(0, &+)
      }
    }
  }

  private static func call(_ ledger: Ledger, _ workload: Workload, count: Int) async throws -> UInt64 {
    var workload = workload
    var checksum: UInt64 = 0
    for _ in 0..<count { checksum &+= UInt64(try await ledger.book(try workload.next()).entries[0].balance) }
    return checksum
  }

  func tearDown() { ledger?.close() }
}

/// One caller on a dedicated thread, with one commit for each operation.
final class SingleCallerBenchmark: Benchmark {
  let name: String
  let operationCount: Int
  private let makeLedger: () throws -> Ledger
  private var workload: Workload
  private var ledger: Ledger?
  private var commands: [LedgerCommand] = []

  init(_ name: String, workload: Workload, operationCount: Int, ledger: @escaping () throws -> Ledger) {
    self.name = name
    self.workload = workload
    self.operationCount = operationCount
    makeLedger = ledger
  }

  func setUp() throws { ledger = try makeLedger() }
  func prepare(_ count: Int) throws { commands = try workload.next(count) }

  func run() throws -> UInt64 {
    guard let ledger else { return 0 }
    var checksum: UInt64 = 0
    for command in commands { checksum &+= UInt64(try ledger.book(command).entries[0].balance) }
    return checksum
  }

  func tearDown() { ledger?.close() }
}
