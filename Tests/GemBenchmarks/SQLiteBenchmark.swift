package import GemLedger
internal import GemLedgerSQLite

/// The bare loop as a benchmark.
final class BareLoopBenchmark: Benchmark {
  let name: String
  let operationCount: Int
  let batchSize: Int
  private let path: String
  private var workload: Workload
  private var loop: BareLoop?
  private var operations: [BareLoop.Operation] = []

  init(_ name: String, workload: Workload, operationCount: Int, groupSize: Int, path: String) {
    self.name = name
    self.workload = workload
    self.operationCount = operationCount
    batchSize = groupSize
    self.path = path
  }

  func setUp() { loop = BareLoop(path: path, createdAt: 1_790_000_000_000) }

  func prepare(_ count: Int) throws { operations = try workload.next(count).map(BareLoop.Operation.init) }
  func run() -> UInt64 { loop?.book(operations[...]) ?? 0 }
  func tearDown() { loop?.close() }
}

extension BareLoop.Operation {
  /// Makes the operation that matches the command.
  package init(_ command: LedgerCommand) throws {
    let key = command.key.flatMap { HexForm.parseUUID($0.text) }
    self.init(
      customer: command.customer.text,
      number: (Int64(command.customer.text.drop { $0 != "-" }.dropFirst()) ?? 0) + 1,
      key: (key?.high.bigEndian ?? 0, key?.low.bigEndian ?? 0), asked: Fingerprint(of: command).asked)
  }
}
