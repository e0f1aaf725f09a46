internal import GemLedger

/// Adjustments submitted in bulk, a stated number to a call.
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

/// Adjustments by callers that each wait for their own answer before they ask again.
final class CallersBenchmark: Benchmark {
  let name: String
  let operationCount: Int
  private let callerCount: Int
  private let makeLedger: () throws -> Ledger
  private var workload: Workload
  private var ledger: Ledger?
  private var commands: [[LedgerCommand]] = []

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

  func prepare(_ count: Int) throws {
    commands = []
    for caller in 0..<callerCount {
      commands.append(try workload.next(count * (caller + 1) / callerCount - count * caller / callerCount))
    }
  }

  func run() throws -> UInt64 {
    guard let ledger else { return 0 }
    let commands = commands
    return try Blocking.wait {
      try await withThrowingTaskGroup(of: UInt64.self) { group in
        for own in commands {
          group.addTask {
            var checksum: UInt64 = 0
            for command in own { checksum &+= UInt64(try await ledger.book(command).entries[0].balance) }
            return checksum
          }
        }
        return try await group.reduce(0, &+)
      }
    }
  }

  func tearDown() { ledger?.close() }
}

/// One caller on its own thread, one commit an operation.
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
