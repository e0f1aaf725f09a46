/// The measurable subjects, their settings, and the entry point that runs them.
public enum Bench {
  /// The settings of a benchmark run.
  public struct Settings: Sendable {
    /// The number of counted rounds, after one that is not counted.
    public var rounds = 5
    /// The number of customers; nil for the default of each subject.
    public var customerCount: Int?
    /// The number of operations in a round; nil for the default of each subject.
    public var operationCount: Int?
    /// The duration of each contender on PostgreSQL in a round; nil for as many seconds as there are operations.
    public var roundSeconds: Double?
    /// The number of journal entries; nil for the default of each subject.
    public var entryCount: Int?
    /// The directory for files, which are removed afterwards.
    public var directory: String
    /// The URL of a PostgreSQL server that can take the load.
    public var storage: String?
    /// The path of gembench, for benchmarks that start further processes of it.
    public var program = CommandLine.arguments[0]

    /// Makes the default settings, with files in the directory.
    public init(directory: String) { self.directory = directory }
  }

  /// The subjects that can be measured.
  public enum Subject: String, CaseIterable, Sendable {
    /// Storage in memory against increments in a dictionary.
    case memory
    /// Storage on SQLite against bare loops over its C API.
    case sqlite
    /// The cost of each part of the ledger's rows on SQLite.
    case anatomy
    /// 256 callers alone, for counting syncs from outside.
    case callers
    /// The cost of an adjustment on a large ledger against a small one.
    case growth
    /// Opening, after a clean end and after a kill.
    case open
    /// Bytes of file an adjustment.
    case size
    /// A spend from an account with many open lots.
    case lots
    /// Every kind of command against the plain adjustment.
    case commands
    /// Purchases through client, queue, backend and ledger.
    case purchases
    /// Signed receipts against libcrypto alone.
    case receipts
    /// A credit on a file with many held receipts against a file with none.
    case held
    /// A launch with many unfinished transactions.
    case backlog
    /// Proof, export and import of a whole journal.
    case journal
    /// Pages of the histories of customers with few and with many entries.
    case pages
    /// Storage on PostgreSQL against the server's work alone.
    case postgres
    /// The same callers on PostgreSQL in one process and in several.
    case processes
    /// The server against the bare HTTP library and the ledger alone.
    case http

    /// The measured quantity, for the help.
    public var summary: String {
      switch self {
      case .memory: "storage in memory against Dictionary<String, Int64> += 1"
      case .sqlite: "storage on SQLite against bare loops over its C API"
      case .anatomy: "bare loops over SQLite's C API, from a naive ledger's rows to this one's, part by part"
      case .callers: "256 callers on SQLite, alone: count its syncs with strace -f -c -e trace=fdatasync,fsync"
      case .growth: "an adjustment at many customers and entries against one at few; --customers N, --entries N"
      case .open: "opening a ledger, after a clean end and after a kill"
      case .size: "bytes of file an adjustment takes"
      case .lots: "a spend from an account with many open lots"
      case .commands: "every command against the plain adjustment, groups of 256; --storage URL for PostgreSQL"
      case .purchases: "purchases from payment to finish; count the syncs with strace -f -c -e trace=fdatasync,fsync"
      case .receipts: "signed receipts, verified and made, against the same signatures by libcrypto alone"
      case .held: "a credit on SQLite with 1,000,000 held receipts against one with none; --entries N"
      case .postgres: "storage on PostgreSQL against pgbench and a function inside the server; needs --storage URL"
      case .processes: "32 callers on PostgreSQL in one process and in four; needs --storage URL"
      case .http: "the server on loopback against libmicrohttpd alone and the ledger alone; load on the same machine"
      case .journal: "verify, export and import of a whole journal on SQLite, and the memory they take; --entries N"
      case .pages: "a page of explain and statement at 1,000,000 entries of one customer to one at 1,000; --entries N"
      case .backlog: "a launch with 10,000 unfinished transactions, in order, and the memory it takes"
      }
    }
  }

  /// Runs the work of a further process that a benchmark starts.
  ///
  /// - Returns: False if the arguments request no such work.
  public static func runProcess(_ arguments: [String]) throws -> Bool {
    #if PostgreSQL
    switch arguments.first {
    case "postgres-process": try PostgresBench.runProcess(Array(arguments.dropFirst()))
    case ProcessWork.name: try ProcessWork(Array(arguments.dropFirst())).run()
    default: return false
    }
    return true
    #else
    return false
    #endif
  }

  /// Measures the subject, prints each line at once, and adds the rounds to the results.
  public static func run(
    _ subject: Subject, _ settings: Settings, into results: Results = Results(), print: @escaping (String) -> Void
  ) throws {
    print("")
    print("\(subject.rawValue): \(subject.summary)")
    let bench = SubjectBench(subject: subject, settings: settings, results: results, print: print)
    switch subject {
    case .memory: try bench.memory()
    case .sqlite: try bench.sqlite()
    case .anatomy: try bench.anatomy()
    case .callers: try bench.callers()
    case .growth: try bench.growth()
    case .open: try bench.open()
    case .size: try bench.size()
    case .lots: try bench.lots()
    case .commands: try bench.commands()
    case .purchases: try bench.purchases()
    case .receipts: try bench.receipts()
    case .held: try bench.held()
    case .backlog: try bench.backlog()
    case .journal: try bench.journal()
    case .pages: try bench.pages()
    case .postgres: try bench.postgres()
    case .processes: try bench.processes()
    case .http: try bench.http()
    }
  }
}
