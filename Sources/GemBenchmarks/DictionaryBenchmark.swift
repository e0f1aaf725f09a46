/// The anchor of the storage in memory: increments in a dictionary from customer id to balance.
final class DictionaryBenchmark: Benchmark {
  let name = "Dictionary<String, Int64> += 1"
  let operationCount: Int
  private let customerCount: Int
  private var balances: [String: Int64] = [:]
  private var keys: [String] = []

  init(customerCount: Int, operationCount: Int) {
    self.customerCount = customerCount
    self.operationCount = operationCount
  }

  func setUp() {
    for number in 0..<customerCount { balances["customer-\(number)"] = 1_000_000 }
  }

  func prepareRound(_ round: Int) {
    var generator = SplitMix64(seed: UInt64(round) + 42)
    keys = (0..<operationCount).map { _ in "customer-\(generator.next() % UInt64(customerCount))" }
  }

  func run() -> UInt64 {
    for key in keys { balances[key, default: 0] += 1 }
    return UInt64(balances.count)
  }
}
