internal import GemLedger
internal import GemLedgerSQLite

/// Runs one subject after the other with the same settings.
struct SubjectBench {
  let subject: Bench.Subject
  let settings: Bench.Settings
  let results: Results
  let print: (String) -> Void

  func memory() throws {
    let operations = settings.operationCount ?? 200_000
    for customers in settings.customerCount.map({ [$0] }) ?? [100_000, 1_000_000] {
      let measurement = try Measurement(
        [
          DictionaryBenchmark(customerCount: customers, operationCount: operations, batchSize: 256),
          BulkBenchmark(
            "ledger in memory, bulk 256", workload: try Workload(customerCount: customers), operationCount: operations,
            groupSize: 256, ledger: { try Self.openedInMemory(customers) }),
        ], rounds: settings.rounds)
      print("  \(customers) customers")
      show(measurement)
      print("    cost ratio to the dictionary: \(Figure.ratio(measurement.costRatio(of: 1, to: 0)))")
    }
  }

  func sqlite() throws {
    let customers = settings.customerCount ?? 100_000
    let operations = settings.operationCount ?? 50_000
    let single = max(1, operations / 25)
    let files = try LedgerFiles(directory: settings.directory, customerCount: customers)
    defer { files.remove() }
    func bare(_ name: String, _ count: Int, group: Int) throws -> BareLoopBenchmark {
      BareLoopBenchmark(
        name, workload: try Workload(customerCount: customers), operationCount: count, groupSize: group,
        path: try files.copy())
    }
    let (bulkFile, callersFile, singleFile) = (try files.copy(), try files.copy(), try files.copy())
    let counter = CommitCounter()
    // The compared loop commits groups of the callers' average group size.
    let gathered = try commandsPerCommit(files, customers: customers, operations: operations)
    let benchmarks: [any Benchmark] = [
      try bare("bare loop, 256 a commit", operations, group: 256),
      BulkBenchmark(
        "ledger, bulk 256", workload: try Workload(customerCount: customers), operationCount: operations,
        groupSize: 256,
        ledger: { try Ledger.openSQLite(at: bulkFile) }),
      CallersBenchmark(
        "ledger, 256 callers", workload: try Workload(customerCount: customers), operationCount: operations,
        callerCount: 256, ledger: { Ledger(storage: CountingStorage(try SQLiteStorage(path: callersFile), counter)) }),
      try bare("bare loop, 1 a commit", single, group: 1),
      SingleCallerBenchmark(
        "ledger, 1 caller", workload: try Workload(customerCount: customers), operationCount: single,
        ledger: { try Ledger.openSQLite(at: singleFile) }),
      try bare("bare loop, \(gathered) a commit", operations, group: gathered),
      NaiveLoopBenchmark(
        "naive loop, 256 a commit", customerCount: customers, operationCount: operations, groupSize: 256,
        path: files.newPath()),
    ]
    let measurement = try Measurement(benchmarks, rounds: settings.rounds)
    print("  \(customers) customers")
    show(measurement)
    print("    bulk 256 to the bare loop:    \(Figure.ratio(measurement.rateRatio(of: 1, to: 0)))")
    print(
      "    256 callers to the bare loop in groups of their size: \(Figure.ratio(measurement.rateRatio(of: 2, to: 5)))"
    )
    print("    256 callers to the bare loop in groups of 256: \(Figure.ratio(measurement.rateRatio(of: 2, to: 0)))")
    print("    1 caller to the bare loop:    \(Figure.ratio(measurement.rateRatio(of: 4, to: 3)))")
    print("    bulk 256 to the naive loop:    \(Figure.ratio(measurement.rateRatio(of: 1, to: 6)))")
    print("    256 callers to the naive loop: \(Figure.ratio(measurement.rateRatio(of: 2, to: 6)))")
    print("    commands a commit, 256 callers: \(Figure.ratio(counter.commandsPerCommit))")
  }

  /// Measures what each part of the ledger's rows costs, from the naive loop's rows on.
  func anatomy() throws {
    let customers = settings.customerCount ?? 100_000
    let operations = settings.operationCount ?? 51_200
    let files = try LedgerFiles(directory: settings.directory, customerCount: 1)
    defer { files.remove() }
    let loops = RowLayout.steps.map {
      AnatomyLoop($0, customerCount: customers, operationCount: operations, path: files.newPath())
    }
    let measurement = try Measurement(loops, rounds: settings.rounds)
    print("  \(customers) customers, \(AnatomyLoop.groupSize) adjustments a commit, durable; each adds to the others")
    show(measurement)
    for (index, loop) in loops.enumerated() {
      let pages = loop.pagesPerGroup
      let bytes = pages * Double(AnatomyLoop.bytesPerFrame) / Double(AnatomyLoop.groupSize)
      // Other load on the machine only makes a round slower, so the fastest rounds differ by the step.
      let more = index == 0 ? 0 : measurement.time(index).least - measurement.time(index - 1).least
      let share = measurement.time(0).least / measurement.time(index).least
      let median = measurement.rateRatio(of: index, to: 0).median
      print(
        "    \(loop.name): \(more < 0 ? "-" : "+")\(Figure.nanoseconds(abs(more))), \(Figure.ratio(share)) of the "
          + "naive rate by the fastest rounds, \(Figure.ratio(median)) by the median; \(Figure.ratio(pages)) pages a "
          + "group, \(Figure.whole(bytes)) bytes of log an adjustment")
    }
  }

  private func commandsPerCommit(_ files: LedgerFiles, customers: Int, operations: Int) throws -> Int {
    let counter = CommitCounter()
    let path = try files.copy()
    _ = try Measurement(
      [
        CallersBenchmark(
          "trial", workload: try Workload(customerCount: customers, seed: 9), operationCount: operations,
          callerCount: 256, ledger: { Ledger(storage: CountingStorage(try SQLiteStorage(path: path), counter)) })
      ], rounds: 1)
    return max(1, Int(counter.commandsPerCommit.rounded()))
  }

  func callers() throws {
    let customers = settings.customerCount ?? 10_000
    let operations = settings.operationCount ?? 100_000
    let files = try LedgerFiles(directory: settings.directory, customerCount: customers)
    defer { files.remove() }
    let path = try files.copy()
    print("  begin counting: \(operations * (settings.rounds + 1)) adjustments follow")
    let measurement = try Measurement(
      [
        CallersBenchmark(
          "ledger, 256 callers", workload: try Workload(customerCount: customers), operationCount: operations,
          callerCount: 256, ledger: { try Ledger.openSQLite(at: path) })
      ], rounds: settings.rounds)
    show(measurement)
  }

  func growth() throws {
    let operations = settings.operationCount ?? 50_000
    let large = settings.customerCount ?? 1_000_000
    let small = max(1, large / 100)
    for keys in [Workload.Keys.timeOrdered, .random] {
      let (first, second) = (
        try LedgerFiles(directory: settings.directory, customerCount: small),
        try LedgerFiles(directory: settings.directory, customerCount: large)
      )
      defer {
        first.remove()
        second.remove()
      }
      let entries = try second.fill(to: settings.entryCount ?? large * 10, keys: keys, print: print)
      let files = (try first.copy(), second.base)
      let measurement = try Measurement(
        [
          BulkBenchmark(
            "\(small) customers", workload: try Workload(customerCount: small, keys: keys, seed: 7),
            operationCount: operations, groupSize: 256, ledger: { try Ledger.openSQLite(at: files.0) }),
          BulkBenchmark(
            "\(large) customers, \(entries) entries", workload: try Workload(customerCount: large, keys: keys, seed: 7),
            operationCount: operations, groupSize: 256, ledger: { try Ledger.openSQLite(at: files.1) }),
        ], rounds: settings.rounds)
      print("  \(keys == .timeOrdered ? "time-ordered" : "random") keys")
      show(measurement)
      print("    cost ratio, large to small: \(Figure.ratio(measurement.costRatio(of: 1, to: 0)))")
      print("    peak memory of this process: \(Figure.peakMegabytes()) MiB")
    }
  }

  func postgres() throws {
    #if PostgreSQL
    try PostgresBench(self).run()
    #else
    throw LedgerError(.invalidRequest, "Build gembench with --traits PostgreSQL.")
    #endif
  }

  func processes() throws {
    #if PostgreSQL
    try ProcessesBench(self).run()
    #else
    throw LedgerError(.invalidRequest, "Build gembench with --traits PostgreSQL.")
    #endif
  }

  func show(_ measurement: Measurement) {
    for (index, name) in measurement.names.enumerated() {
      let time = measurement.time(index)
      print("    \(name): \(time.text(Figure.nanoseconds)) an operation, \(Figure.rate(time.median))")
      add(name, measurement.nanoseconds[index])
    }
  }

  /// Adds a contender's nanoseconds an operation, by round, to the results.
  func add(_ name: String, _ nanoseconds: [Double]) { results.add(subject.rawValue, name, nanoseconds) }

  private static func openedInMemory(_ customerCount: Int) throws -> Ledger {
    let ledger = Ledger.inMemory()
    try Workload(customerCount: customerCount).open(ledger)
    return ledger
  }
}
