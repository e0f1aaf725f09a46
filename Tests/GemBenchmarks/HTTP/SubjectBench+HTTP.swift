internal import GemLedger

#if Server
internal import GemLedgerSQLite
internal import SystemHTTP

extension SubjectBench {
  static let threads = 2
  static let connectionCount = 64

  func http() throws {
    let customers = settings.customerCount ?? 10_000
    let files = try LedgerFiles(directory: settings.directory, customerCount: customers)
    defer { files.remove() }
    try httpReads(files, customers: customers)
    try httpSpends(files, customers: customers)
    try httpUndelivered(files, customers: customers)
    try httpConnections(files)
  }

  private func httpReads(_ files: LedgerFiles, customers: Int) throws {
    let operations = settings.operationCount ?? 100_000
    let path = try files.copy()
    let served = try ServedLedger(Ledger.openSQLite(at: path), threads: Self.threads)
    var workload = try Workload(customerCount: customers, keys: .none)
    let sample = try HTTPLoad(ports: [served.port], connectionCount: 1).body(
      of: served.balances(of: workload.customers[0]))
    let bare = try BareHTTP(threads: Self.threads, body: sample)
    let floor = BareBalances(path: path, threads: Self.threads)
    let reading = try BareHTTP(threads: Self.threads, body: sample, balances: floor)
    let request = served.balances(of: workload.customers[0])
    let load = LoadBenchmark(
      "balances over HTTP", ports: [served.port], connectionCount: Self.connectionCount, operationCount: operations
    ) { served.balances(of: try workload.next().customer) }
    let measurement = try Measurement(
      [
        LoadBenchmark(
          "bare library, a fixed body of \(sample.count) bytes", ports: bare.ports,
          connectionCount: Self.connectionCount, operationCount: operations
        ) { request },
        load,
        LoadBenchmark(
          "the bare library with the bare read of SQLite", ports: reading.ports,
          connectionCount: Self.connectionCount, operationCount: operations
        ) { served.balances(of: try workload.next().customer) },
      ], rounds: settings.rounds)
    for library in [bare, reading] { library.stop() }
    floor.close()
    try served.stop()
    print("  reads, \(Self.connectionCount) connections, \(Self.threads) threads, \(customers) customers")
    show(measurement)
    print("    to the bare library: \(Figure.ratio(measurement.rateRatio(of: 1, to: 0)))")
    print("    to the same with the bare read: \(Figure.ratio(measurement.rateRatio(of: 1, to: 2)))")
    print("    the bare read to the bare library: \(Figure.ratio(measurement.rateRatio(of: 2, to: 0)))")
    printTimes(load)
  }

  private func httpSpends(_ files: LedgerFiles, customers: Int) throws {
    let operations = settings.operationCount ?? 20_000
    let counter = CommitCounter()
    let path = try files.copy()
    let (durable, callersFile) = (
      try ServedLedger(
        Ledger(storage: CountingStorage(try SQLiteStorage(path: path), counter)), threads: Self.threads),
      try files.copy()
    )
    let memory = Ledger.inMemory()
    try Workload(customerCount: customers).open(memory)
    let volatile = try ServedLedger(memory, threads: Self.threads)
    func load(_ name: String, _ served: ServedLedger, seed: UInt64) throws -> LoadBenchmark {
      try spendLoad(name, served, try Workload(customerCount: customers, seed: seed), operations)
    }
    let spends = try load("spends over HTTP, SQLite", durable, seed: 7)
    let measurement = try Measurement(
      [
        try load("spends over HTTP, in memory", volatile, seed: 8),
        CallersBenchmark(
          "ledger alone, \(Self.connectionCount) callers", workload: try Workload(customerCount: customers, seed: 9),
          operationCount: operations, callerCount: Self.connectionCount,
          ledger: { try Ledger.openSQLite(at: callersFile) }),
        spends,
      ], rounds: settings.rounds)
    try durable.stop()
    try volatile.stop()
    print("  durable spends, \(Self.connectionCount) connections, \(Self.threads) threads")
    show(measurement)
    print("    to the same without a file: \(Figure.ratio(measurement.rateRatio(of: 2, to: 0)))")
    print("    to the ledger alone:        \(Figure.ratio(measurement.rateRatio(of: 2, to: 1)))")
    print("    spends a commit:            \(Figure.ratio(counter.commandsPerCommit))")
    printTimes(spends)
  }

  func spendLoad(
    _ name: String, _ served: ServedLedger, _ workload: Workload, _ operationCount: Int
  ) throws -> LoadBenchmark {
    var workload = workload
    return LoadBenchmark(
      name, ports: [served.port], connectionCount: Self.connectionCount, operationCount: operationCount
    ) { served.spend(try workload.next()) }
  }

  private func httpConnections(_ files: LedgerFiles) throws {
    OpenFiles.raiseLimit()
    let served = try ServedLedger(Ledger.openSQLite(at: try files.copy()), threads: Self.threads)
    let before = Figure.residentKilobytes()
    let load = try HTTPLoad(ports: [served.port], connectionCount: 1000)
    let request = Array("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
    _ = try load.run(Array(repeating: request, count: 1000))
    let after = Figure.residentKilobytes()
    print("  1,000 open connections: \(after / 1024) MiB resident, \((after - before) / 1000) KiB a connection")
    try withExtendedLifetime(load) { try served.stop() }
  }

  func printTimes(_ load: LoadBenchmark) {
    let (middle, slow) = (load.percentile(0.5), load.percentile(0.99))
    print(
      "    median \(Figure.nanoseconds(middle)), 99th percentile \(Figure.nanoseconds(slow)), "
        + "\(Figure.ratio(load.tail)) times the mean")
  }
}
#else
extension SubjectBench {
  func http() throws {
    print("    this build has no server: swift run -c release --traits Server gembench http")
  }
}
#endif
