internal import GemLedger
internal import GemLedgerSQLite

extension SubjectBench {
  func open() throws {
    let customers = settings.customerCount ?? 1_000_000
    let files = try LedgerFiles(directory: settings.directory, customerCount: customers)
    defer { files.remove() }
    let entries = try files.fill(to: customers * 10, keys: .timeOrdered, print: print)
    let workload = try Workload(customerCount: customers)
    let clean = try (0..<settings.rounds).map { _ in try timeToOpen(files.base, customer: workload.customers[0]) }
    // A copy of the files of an open ledger equals the files after a kill.
    let killed = try files.copyOfOpen(workload: workload, operationCount: settings.operationCount ?? 40_000)
    let dirty = try (0..<settings.rounds).map { _ in
      try timeToOpen(try files.duplicate(killed), customer: workload.customers[0])
    }
    print("  \(entries) entries, opening and one balance read")
    add("after a clean end", clean)
    add("after a kill", dirty)
    print("    after a clean end: \(Spread(clean).text(Figure.nanoseconds))")
    print(
      "    after a kill: \(Spread(dirty).text(Figure.nanoseconds)), "
        + "\(try files.size(killed + "-wal") >> 20) MiB of log"
    )
  }

  private func timeToOpen(_ path: String, customer: CustomerID) throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    let ledger = try Ledger.openSQLite(at: path)
    _ = try ledger.balances(of: customer)
    let (seconds, attoseconds) = (clock.now - start).components
    ledger.close()
    return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
  }

  func size() throws {
    let customers = settings.customerCount ?? 10_000
    let operations = settings.operationCount ?? 500_000
    for isLong in [false, true] {
      let files = try LedgerFiles(directory: settings.directory, customerCount: customers)
      defer { files.remove() }
      let before = try files.size(files.base)
      let ledger = try Ledger.openSQLite(at: files.base)
      var workload = try Workload(customerCount: customers)
      let actor = isLong ? try ActorName("game-server") : nil
      var done = 0
      while done < operations {
        let count = min(256, operations - done)
        let batch = try (0..<count).map { index in
          try workload.next(reference: isLong ? Reference("order-\(1_000_000 + done + index)") : nil, actor: actor)
        }
        for result in ledger.submit(batch) { _ = try result.get() }
        done += count
      }
      ledger.close()
      let bytes = Double(try files.size(files.base) - before) / Double(operations)
      print("    \(isLong ? "with a reference and an actor" : "plain"): \(Figure.ratio(bytes)) bytes an adjustment")
    }
  }

  func lots() throws {
    let lots = settings.customerCount ?? 100_000
    let operations = settings.operationCount ?? 2000
    let files = try LedgerFiles(directory: settings.directory, customerCount: 1)
    defer { files.remove() }
    let (few, many) = (try files.copy(), try files.copy())
    for (path, count) in [(few, 10), (many, lots)] {
      let ledger = try Ledger.openSQLite(at: path)
      try fillLots(ledger, count: count)
      ledger.close()
    }
    let measurement = try Measurement(
      [(few, 10), (many, lots)].map { path, count in
        SingleCallerBenchmark(
          "\(count) open lots", workload: try Workload(customerCount: 1), operationCount: operations / 10,
          ledger: { try Ledger.openSQLite(at: path) })
      }, rounds: settings.rounds)
    show(measurement)
    print("    cost ratio, many to few: \(Figure.ratio(measurement.costRatio(of: 1, to: 0)))")
  }

  private func fillLots(_ ledger: Ledger, count: Int) throws {
    let customer = try Workload(customerCount: 1).customers[0]
    let begin = LedgerClock.system.now().milliseconds + 86_400_000
    var next = 0
    while next < count {
      let end = min(count, next + Limits.commandsPerGroup)
      let grants = try (next..<end).map { number in
        LedgerCommand.grant(
          [Adjustment(try CurrencyCode("GEM"), 1000)], customer: customer, source: .promotional,
          expiresAt: Timestamp(milliseconds: begin + Int64(number) * 60_000))
      }
      for result in ledger.submit(grants) { _ = try result.get() }
      next = end
    }
  }
}
