#if PostgreSQL
internal import Foundation
internal import GemLedger
internal import GemLedgerPostgres

/// The work of one of a benchmark's processes.
struct ProcessWork {
  enum Kind: String {
    /// Callers of one command at a time, in a process that has loaded its customers.
    case single
    /// Callers of one command at a time, in a process that was just opened.
    case singleUnknown
    /// Groups of 256.
    case bulk
  }

  let url: String
  let customers: Int
  let callers: Int
  let seconds: Double
  let kind: Kind

  static let name = "processes-process"

  var arguments: [String] {
    [Self.name, url, "\(customers)", "\(callers)", "\(seconds)", kind.rawValue]
  }
}

extension ProcessWork {
  init(_ arguments: [String]) throws {
    guard arguments.count == 5, let customers = Int(arguments[1]), let callers = Int(arguments[2]),
      let seconds = Double(arguments[3]), let kind = Kind(rawValue: arguments[4])
    else { throw LedgerError(.invalidRequest, "\(Self.name) URL CUSTOMERS CALLERS SECONDS KIND") }
    self.init(url: arguments[0], customers: customers, callers: callers, seconds: seconds, kind: kind)
  }

  /// Opens the ledger, prints a line, waits for one, books for the given seconds, and prints its figures.
  func run() throws {
    let ledger = try Ledger.openPostgres(at: url)
    defer { ledger.close() }
    let workload = try Workload(customerCount: customers, seed: .random(in: 0 ... .max))
    if kind != .singleUnknown { try meetCustomers(ledger, workload) }
    print("ready")
    fflush(nil)
    _ = readLine()
    let storage = ledger.storage as? PostgresStorage
    let (groups, roundTrips) = (storage?.groupCount ?? 0, storage?.roundTrips ?? 0)
    let (start, processor) = (ContinuousClock.now, clock())
    let count =
      kind == .bulk
      ? try PostgresBench.bulk(ledger, workload, submitters: callers, seconds: seconds)
      : try PostgresBench.singles(ledger, workload, callers: callers, seconds: seconds)
    let elapsed = (ContinuousClock.now - start).seconds
    let figures = ProcessFigures(
      commands: Double(count), seconds: elapsed, groups: Double((storage?.groupCount ?? 0) - groups),
      roundTrips: Double((storage?.roundTrips ?? 0) - roundTrips),
      processor: Double(clock() - processor) / Double(CLOCKS_PER_SEC))
    print(figures.text)
  }

  /// Looks up all ids, so that the process knows their lanes.
  private func meetCustomers(_ ledger: Ledger, _ workload: Workload) throws {
    for start in stride(from: 0, to: customers, by: 2048) {
      let ids = workload.customers[start..<min(start + 2048, customers)]
      let spends = try ids.map { id in try LedgerCommand.spend([Adjustment(CurrencyCode("GEM"), 1)], customer: id) }
      _ = try ledger.storage.lanes(of: spends)
    }
  }
}

/// The figures of one process, or the sums of several.
struct ProcessFigures {
  var commands = 0.0
  var seconds = 0.0
  var groups = 0.0
  var roundTrips = 0.0
  /// Seconds of processor time.
  var processor = 0.0
  var server = ServerFigures()

  var rate: Double { commands / seconds }
  var commandsPerGroup: Double { commands / max(1, groups) }
  var roundTripsPerGroup: Double { roundTrips / max(1, groups) }
  var clientMicroseconds: Double { processor * 1e6 / max(1, commands) }
  var serverMicroseconds: Double { server.processor * 1e6 / max(1, commands) }
  var syncsPerCommand: Double { server.syncs / max(1, commands) }
}

extension ProcessFigures {
  var text: String { [commands, seconds, groups, roundTrips, processor].map { "\($0)" }.joined(separator: " ") }

  init(text: String) throws {
    let values = text.split(separator: " ").compactMap { Double($0) }
    guard values.count == 5 else { throw LedgerError(.unexpected, "A benchmark process printed no figures: \(text)") }
    (commands, seconds, groups, roundTrips, processor) = (values[0], values[1], values[2], values[3], values[4])
  }

  /// Adds the figures of a process that ran at the same time.
  mutating func add(_ other: Self) {
    commands += other.commands
    seconds = max(seconds, other.seconds)
    groups += other.groups
    roundTrips += other.roundTrips
    processor += other.processor
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
#endif
