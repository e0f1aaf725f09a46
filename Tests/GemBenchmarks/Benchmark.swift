/// One thing that is timed: a round of it does a stated number of operations, in one batch or several.
public protocol Benchmark: AnyObject {
  /// The name in the table.
  var name: String { get }
  /// How many operations a round does.
  var operationCount: Int { get }
  /// How many of them are made ready at a time.
  var batchSize: Int { get }
  /// Prepares the data of all rounds; not timed.
  func setUp() throws
  /// Makes ready that many operations; not timed.
  func prepare(_ count: Int) throws
  /// Does the operations that were made ready.
  ///
  /// - Returns: A checksum, so that the work cannot be left out.
  func run() throws -> UInt64
  /// Removes the prepared data.
  func tearDown()
}

extension Benchmark {
  /// Nothing.
  public func setUp() throws {}
  /// All of them.
  public var batchSize: Int { operationCount }
  /// Nothing.
  public func tearDown() {}
}

/// The durations of the rounds of several benchmarks, measured in turn: A, B, A, B.
///
/// Variations of the machine's speed thus affect all of them alike.
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
        var total = Duration.zero
        var count = 0
        while count < benchmark.operationCount {
          let batch = min(benchmark.batchSize, benchmark.operationCount - count)
          try benchmark.prepare(batch)
          let start = clock.now
          checksum &+= try benchmark.run()
          total += clock.now - start
          count += batch
        }
        guard round >= warmUps else { continue }
        let (seconds, attoseconds) = total.components
        nanoseconds[index].append((Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count))
      }
    }
  }

  /// The time of an operation.
  public func time(_ index: Int) -> Spread { Spread(nanoseconds[index]) }

  /// How many operations the one did while the other did one, over the rounds.
  public func rateRatio(of index: Int, to other: Int) -> Spread {
    Spread(zip(nanoseconds[index], nanoseconds[other]).map { $1 / $0 })
  }

  /// How much longer an operation of the one took than one of the other, over the rounds.
  public func costRatio(of index: Int, to other: Int) -> Spread {
    Spread(zip(nanoseconds[index], nanoseconds[other]).map { $0 / $1 })
  }
}
