#if Server
/// Requests over loopback, from a number of connections at once.
final class LoadBenchmark: Benchmark {
  let name: String
  let operationCount: Int
  private let connectionCount: Int
  private let ports: [UInt16]
  private let request: () throws -> [UInt8]
  private var load: HTTPLoad?
  private var requests: [[UInt8]] = []
  /// The answers of all rounds.
  private(set) var rounds: [HTTPLoad.Answers] = []

  init(
    _ name: String, ports: [UInt16], connectionCount: Int, operationCount: Int, request: @escaping () throws -> [UInt8]
  ) {
    self.name = name
    self.ports = ports
    self.connectionCount = connectionCount
    self.operationCount = operationCount
    self.request = request
  }

  func setUp() throws { load = try HTTPLoad(ports: ports, connectionCount: connectionCount) }

  func prepare(_ count: Int) throws { requests = try (0..<count).map { _ in try request() } }

  func run() throws -> UInt64 {
    guard let load else { return 0 }
    let answers = try load.run(requests)
    guard answers.failureCount == 0 else { throw HTTPLoad.Failure("\(answers.failureCount) answers were refusals") }
    rounds.append(answers)
    return UInt64(answers.nanoseconds.count)
  }

  func tearDown() { load = nil }

  /// The median over the rounds, the first one aside.
  func percentile(_ share: Double) -> Double {
    Spread(rounds.dropFirst().map { $0.percentile(share) }).median
  }

  /// How many times the mean the slowest hundredth took, at the median of the rounds.
  var tail: Double {
    Spread(
      rounds.dropFirst().map { answers in
        let sum = answers.nanoseconds.reduce(0, +)
        return answers.percentile(0.99) * Double(answers.nanoseconds.count) / Double(max(1, sum))
      }
    ).median
  }
}
#endif
