#if Server
internal import GemLedger
package import SystemHTTP
internal import Synchronization

/// Counts requests and their durations, and writes them in Prometheus' format.
package final class Metrics: Sendable {
  private struct Series: Hashable {
    let operation: String
    let status: Int
  }

  private struct Sum {
    var count = 0
    var nanoseconds: Int64 = 0
    /// The number of requests between each bound and the previous bound.
    var buckets = [Int](repeating: 0, count: Metrics.bounds.count)

    mutating func add(_ nanoseconds: Int64) {
      count += 1
      self.nanoseconds += nanoseconds
      if let place = Metrics.bounds.firstIndex(where: { nanoseconds <= $0.nanoseconds }) { buckets[place] += 1 }
    }
  }

  /// The upper bounds of the histogram, in seconds, as text and in nanoseconds.
  private static let bounds: [(text: String, nanoseconds: Int64)] = [
    ("0.0005", 500_000), ("0.001", 1_000_000), ("0.0025", 2_500_000), ("0.005", 5_000_000), ("0.01", 10_000_000),
    ("0.025", 25_000_000), ("0.05", 50_000_000), ("0.1", 100_000_000), ("0.25", 250_000_000), ("1", 1_000_000_000),
    ("5", 5_000_000_000),
  ]

  private let sums = Mutex<[Series: Sum]>([:])
  private let counters = Mutex<[(name: String, help: String, counter: Counter)]>([])
  /// A metric with values that are read on each export, in one series per set of labels.
  private struct Gauge: Sendable {
    let name: String
    let help: String
    let values: @Sendable () -> [(labels: String, value: Int64)]
  }

  private let gauges = Mutex<[Gauge]>([])

  package init() {}

  /// Counts a finished request; a lost connection counts as status 0.
  package func count(_ summary: HTTPSummary) {
    let series = Series(operation: summary.label, status: summary.status ?? 0)
    sums.withLock { $0[series, default: Sum()].add(summary.nanoseconds) }
  }

  /// The number of events since the start.
  package final class Counter: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .relaxed) }

    package func increment() { value.add(1, ordering: .relaxed) }
  }

  /// Adds a counter, which starts at 0.
  package func addCounter(_ name: String, _ help: String) -> Counter {
    let counter = Counter()
    counters.withLock { $0.append((name, help, counter)) }
    return counter
  }

  /// Adds a metric with a value that is read on each export.
  ///
  /// - Parameter project: The project of the metric; nil for the server.
  package func addGauge(
    _ name: String, _ help: String, of project: String? = nil, _ value: @escaping @Sendable () -> Int64
  ) {
    let labels = project.map { "project=\"\($0)\"" } ?? ""
    addGauges(name, help) { [(labels, value())] }
  }

  /// Adds a metric with several series.
  package func addGauges(
    _ name: String, _ help: String, _ values: @escaping @Sendable () -> [(labels: String, value: Int64)]
  ) {
    gauges.withLock { $0.append(Gauge(name: name, help: help, values: values)) }
  }

  /// All metrics in Prometheus' text format, version 0.0.4.
  package var text: String {
    let sums = sums.withLock { $0 }.sorted {
      ($0.key.operation, $0.key.status) < ($1.key.operation, $1.key.status)
    }
    var lines = [
      "# HELP gemledger_requests_total Requests by operation and status.",
      "# TYPE gemledger_requests_total counter",
    ]
    for (series, sum) in sums { lines.append("gemledger_requests_total{\(Self.labels(series))} \(sum.count)") }
    lines += [
      "# HELP gemledger_request_seconds Time from a request's first line to its answer.",
      "# TYPE gemledger_request_seconds histogram",
    ]
    for (series, sum) in sums { lines += Self.histogram(series, sum) }
    for (name, help, counter) in counters.withLock({ $0 }) {
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) counter", "\(name) \(counter.count)"]
    }
    var named: Set<String> = []
    for gauge in gauges.withLock({ $0.sorted { $0.name < $1.name } }) {
      if named.insert(gauge.name).inserted {
        lines += ["# HELP \(gauge.name) \(gauge.help)", "# TYPE \(gauge.name) gauge"]
      }
      for (labels, value) in gauge.values() {
        lines.append("\(gauge.name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func histogram(_ series: Series, _ sum: Sum) -> [String] {
    let labels = labels(series)
    var (lines, count): ([String], Int) = ([], 0)
    for (bound, more) in zip(bounds, sum.buckets) {
      count += more
      lines.append("gemledger_request_seconds_bucket{\(labels),le=\"\(bound.text)\"} \(count)")
    }
    lines.append("gemledger_request_seconds_bucket{\(labels),le=\"+Inf\"} \(sum.count)")
    lines.append("gemledger_request_seconds_sum{\(labels)} \(seconds(sum.nanoseconds))")
    lines.append("gemledger_request_seconds_count{\(labels)} \(sum.count)")
    return lines
  }

  private static func labels(_ series: Series) -> String {
    "operation=\"\(series.operation.isEmpty ? "none" : series.operation)\",status=\"\(series.status)\""
  }

  private static func seconds(_ nanoseconds: Int64) -> String {
    let fraction = String(nanoseconds % 1_000_000_000)
    return "\(nanoseconds / 1_000_000_000)." + String(repeating: "0", count: 9 - fraction.count) + fraction
  }
}
#endif
