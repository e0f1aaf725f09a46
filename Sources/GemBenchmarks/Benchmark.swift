/// One thing that is timed: a round of it does a stated number of operations.
public protocol Benchmark: AnyObject {
  /// What the table calls it.
  var name: String { get }
  /// How many operations a round does.
  var operationCount: Int { get }
  /// Makes ready what every round needs; not timed.
  func setUp() throws
  /// Makes ready what one round needs; not timed.
  func prepareRound(_ round: Int) throws
  /// One round.
  ///
  /// - Returns: A checksum, so that the work cannot be left out.
  func run() throws -> UInt64
  /// Removes what was made.
  func tearDown()
}

extension Benchmark {
  /// Nothing.
  public func setUp() throws {}
  /// Nothing.
  public func prepareRound(_ round: Int) throws {}
  /// Nothing.
  public func tearDown() {}
}

/// What the rounds of several benchmarks took, measured in turn: A B A B …, so that the machine's moods hit all alike.
public struct Measurement {
  /// Nanoseconds an operation, by benchmark and round.
  public private(set) var nanoseconds: [[Double]] = []
  /// The benchmarks' names.
  public let names: [String]
  /// All checksums together.
  public private(set) var checksum: UInt64 = 0

  /// Runs one warm-up and the rounds of all benchmarks in turn.
  public init(_ benchmarks: [any Benchmark], rounds: Int, warmUps: Int = 1) throws {
    names = benchmarks.map(\.name)
    nanoseconds = benchmarks.map { _ in [] }
    defer { for benchmark in benchmarks { benchmark.tearDown() } }
    for benchmark in benchmarks { try benchmark.setUp() }
    let clock = ContinuousClock()
    for round in 0..<rounds + warmUps {
      for (index, benchmark) in benchmarks.enumerated() {
        try benchmark.prepareRound(round)
        let start = clock.now
        checksum &+= try benchmark.run()
        let (seconds, attoseconds) = (clock.now - start).components
        guard round >= warmUps else { continue }
        let total = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
        nanoseconds[index].append(total / Double(benchmark.operationCount))
      }
    }
  }

  /// The median time of an operation.
  public func median(_ index: Int) -> Double { Self.median(nanoseconds[index]) }

  /// The median over the rounds of how many operations the one did while the other did one.
  public func rateRatio(of index: Int, to other: Int) -> Double {
    Self.median(zip(nanoseconds[index], nanoseconds[other]).map { $1 / $0 })
  }

  /// The median over the rounds of how much longer an operation of the one takes than one of the other.
  public func costRatio(of index: Int, to other: Int) -> Double {
    Self.median(zip(nanoseconds[index], nanoseconds[other]).map { $0 / $1 })
  }

  /// The middle value, or the mean of the two in the middle.
  public static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
