internal import Foundation
internal import GemLedger
internal import GemLedgerArchive
internal import GemLedgerAudit
internal import GemLedgerSQLite

#if Receipts
internal import GemLedgerSeal
#endif

extension SubjectBench {
  /// Measures each step: its time, by entries, and the process's peak memory up to its end.
  func journal() throws {
    let files = try JournalFiles(settings)
    defer { files.remove() }
    let entries = settings.entryCount ?? 1_000_000
    let customers = settings.customerCount ?? 100_000
    let time = ManualTime()
    var filler = JournalFiller(try Workload(customerCount: customers), time: time)
    let filled = try Ledger.createSQLite(at: files.ledger, clock: time.clock)
    try filler.open(filled)
    try filler.fill(filled, entries: entries, print: print)
    filled.close()
    print("  \(entries) entries of \(customers) customers, \(try files.size(files.ledger) >> 20) MiB of file")

    var times = StepTimes(print: print)
    // In alternation, since they are compared.
    for _ in 0..<settings.rounds {
      times.add("verify", entries, try verify(files))
      #if Receipts
      times.add("seal", entries, try seal(files))
      #endif
    }
    var cursor: ExportCursor?
    for _ in 0..<settings.rounds {
      let (duration, summary) = try export(files, after: nil)
      times.add("export, \(try files.size(files.text) >> 20) MiB", entries, duration)
      cursor = summary.cursor
    }
    for _ in 0..<settings.rounds { try importing(files, entries, &times) }
    // The later entries: a thousandth.
    let ledger = try Ledger.openSQLite(at: files.ledger, clock: time.clock)
    try filler.fill(ledger, entries: max(1, entries / 1000))
    ledger.close()
    for _ in 0..<settings.rounds {
      times.add("export of \(max(1, entries / 1000)) more", max(1, entries / 1000), try export(files, after: cursor).0)
    }
    times.show(add)
  }

  #if Receipts
  private func seal(_ files: JournalFiles) throws -> Duration {
    let start = ContinuousClock.now
    let ledger = try Ledger.openSQLite(at: files.ledger)
    defer { ledger.close() }
    _ = try ledger.seal()
    return ContinuousClock.now - start
  }
  #endif

  private func verify(_ files: JournalFiles) throws -> Duration {
    let start = ContinuousClock.now
    let ledger = try Ledger.openSQLite(at: files.ledger)
    defer { ledger.close() }
    guard try ledger.verify().isOK else { throw LedgerError.defect("The books do not add up") }
    return ContinuousClock.now - start
  }

  private func export(_ files: JournalFiles, after cursor: ExportCursor?) throws -> (Duration, ExportSummary) {
    let path = cursor == nil ? files.text : files.increment
    let start = ContinuousClock.now
    let ledger = try Ledger.openSQLite(at: files.ledger)
    defer { ledger.close() }
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
    else { throw JournalFiles.unwritable }
    // As in gemctl: one part is written while the next is made.
    var writing: BackgroundTask<Void>?
    let summary = try ledger.export(after: cursor) { bytes throws(LedgerError) in
      try writing?.wait()
      writing = BackgroundTask { () throws(LedgerError) in
        do { try file.write(contentsOf: bytes) } catch { throw JournalFiles.unwritable }
      }
    }
    try writing?.wait()
    try file.close()
    return (ContinuousClock.now - start, summary)
  }

  private func importing(_ files: JournalFiles, _ entries: Int, _ times: inout StepTimes) throws {
    let path = files.newLedger()
    let text = JournalImport(FileText(path: files.text))
    let target = try SQLiteStorage.openCopy(path: path, project: try text.head().project, source: 0)
    defer { target.close() }
    var stages: [(JournalImport.Stage, ContinuousClock.Instant)] = []
    let start = ContinuousClock.now
    try text.run(into: target) { stage, _, _ in
      if stages.last?.0 != stage { stages.append((stage, .now)) }
    }
    let end = ContinuousClock.now
    times.add("import", entries, end - start)
    for (index, stage) in stages.enumerated() {
      let next = index + 1 < stages.count ? stages[index + 1].1 : end
      times.add("  of it \(stage.0)", entries, next - (index == 0 ? start : stage.1))
    }
  }
}

/// The durations of each step, in the order of its first run.
private struct StepTimes {
  private var steps: [(name: String, entries: Int, seconds: [Double], megabytes: Int)] = []
  private let print: (String) -> Void

  init(print: @escaping (String) -> Void) { self.print = print }

  mutating func add(_ name: String, _ entries: Int, _ duration: Duration) {
    let seconds = Figure.seconds(duration)
    // With a long journal each step takes minutes.
    print("  done: \(name), \(Figure.ratio(seconds)) s")
    guard let index = steps.firstIndex(where: { $0.name == name }) else {
      return steps.append((name, entries, [seconds], Figure.peakMegabytes()))
    }
    steps[index].seconds.append(seconds)
    steps[index].megabytes = Figure.peakMegabytes()
  }

  /// - Parameter add: Takes each step with its nanoseconds an entry.
  func show(_ add: (String, [Double]) -> Void) {
    for step in steps {
      let seconds = Spread(step.seconds)
      print(
        "    \(step.name): \(Figure.ratio(seconds)) s, \(Figure.rate(seconds.median * 1e9 / Double(step.entries))); "
          + "peak memory until then \(step.megabytes) MiB")
      add(step.name, step.seconds.map { $0 * 1e9 / Double(step.entries) })
    }
  }
}

/// A directory with a ledger, its export, and ledgers that are made of it.
private final class JournalFiles {
  static let unwritable = LedgerError(.inputOutput, "The export cannot be written.")

  private let directory: URL
  private var count = 0

  var ledger: String { path("ledger.sqlite") }
  var text: String { path("journal.jsonl") }
  var increment: String { path("increment.jsonl") }

  init(_ settings: Bench.Settings) throws {
    directory = URL(fileURLWithPath: settings.directory).appendingPathComponent("gembench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  /// Returns the path of the next ledger, and removes the previous ledger.
  func newLedger() -> String {
    for ending in ["", "-wal", "-shm"] {
      // Files that cannot be removed are removed with the directory.
      try? FileManager.default.removeItem(atPath: path("import-\(count).sqlite") + ending)
    }
    count += 1
    return path("import-\(count).sqlite")
  }

  func size(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }

  func remove() {
    // Files that cannot be removed stay in the temporary directory.
    try? FileManager.default.removeItem(at: directory)
  }

  private func path(_ name: String) -> String { directory.appendingPathComponent(name).path }
}

/// A file that is read from its beginning, a megabyte at a time.
private struct FileText: ImportText {
  let path: String

  func open() throws(LedgerError) -> () throws(LedgerError) -> [UInt8] {
    guard let file = FileHandle(forReadingAtPath: path) else { throw Self.unreadable }
    return { () throws(LedgerError) in
      do { return Array(try file.read(upToCount: 1 << 20) ?? Data()) } catch { throw Self.unreadable }
    }
  }

  private static let unreadable = LedgerError(.inputOutput, "The export cannot be read.")
}
