/// The baseline of the storage in memory: increments in a dictionary from customer id to balance.
final class DictionaryBenchmark: Benchmark {
  let name = "Dictionary<String, Int64> += 1"
  let operationCount: Int
  let batchSize: Int
  private let customerCount: Int
  private var balances: [String: Int64] = [:]
  private var keys: [String] = []
  private var generator = SplitMix64(seed: 42)

  init(customerCount: Int, operationCount: Int, batchSize: Int) {
    self.batchSize = batchSize
    self.customerCount = customerCount
    self.operationCount = operationCount
  }

  func setUp() {
    for number in 0..<customerCount { balances["customer-\(number)"] = 1_000_000 }
  }

  func prepare(_ count: Int) {
    keys = (0..<count).map { _ in "customer-\(generator.next() % UInt64(customerCount))" }
  }

  func run() -> UInt64 {
    for key in keys { balances[key, default: 0] += 1 }
    return UInt64(balances.count)
  }
}
