import GemLedger
import GemLedgerArchive
import GemLedgerAudit

#if canImport(Darwin)
import Darwin
#else
import Glibc
import LedgerCharts
#endif

/// `import`: a ledger of an export, or balances that were kept elsewhere.
struct ImportCommand {
  /// The largest file of balances; it is read whole.
  private static let byteCountMax = 1 << 30

  let invocation: Invocation

  private var path: String { invocation.parsed.positionals[0] }

  func run() throws {
    let format = invocation.parsed.value("--format") ?? "journal"
    guard format != "journal" else { return try importJournal() }
    try importBalances(format)
  }

  // MARK: Balances

  private func importBalances(_ format: String) throws {
    let currencies = try names()
    let source = invocation.lotSource
    let isDryRun = invocation.parsed.isDryRun
    let bytes = try FileAccess.read(path, atMost: Self.byteCountMax)
    let balances = try invocation.withProgress("Reading") { (report) throws(LedgerError) -> BalanceImport in
      switch format {
      case "csv": try .csv(bytes, source: source, progress: report)
      case "revenuecat": try .revenueCat(bytes, source: source, progress: report)
      default: try .nakama(bytes, currencies: currencies, progress: report)
      }
    }
    var bars = ImportBars(lineCount: balances.lines.count, terminal: invocation.terminal)
    defer { bars.finish() }
    let outcome = try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.book(balances, isDryRun: isDryRun) { done, _ in bars.show(done) }
    }
    bars.finish()
    try invocation.print(Self.json(outcome), { Self.text(outcome, isDryRun: isDryRun, style: $0) })
  }

  private func names() throws -> [String: CurrencyCode] {
    var names: [String: CurrencyCode] = [:]
    for text in invocation.parsed.values("--map") {
      guard let equals = text.lastIndex(of: "="), equals > text.startIndex else {
        throw invocation.usageError(
          "--map takes NAME=CODE, such as gems=GEM; got \(text.quotedForPeople)")
      }
      names[String(text[..<equals])] = try CurrencyCode(String(text[text.index(after: equals)...]))
    }
    return names
  }

  private static func json(_ outcome: BalanceImport.Outcome) -> JSONValue {
    [
      "booked": .integer(outcome.booked), "replayed": .integer(outcome.replayed),
      "without_change": .integer(outcome.withoutChange),
      "amounts": .object(outcome.amounts.sorted { $0.key < $1.key }) { ($0.key.description, .integer($0.value)) },
    ]
  }

  private static func text(_ outcome: BalanceImport.Outcome, isDryRun: Bool, style: Style) -> String {
    let verb = isDryRun ? "Would book" : style.green("Booked")
    var text = "\(verb) \(AmountText.grouped(outcome.booked)) \(outcome.booked == 1 ? "line" : "lines")"
    if outcome.replayed > 0 { text += "; \(AmountText.grouped(outcome.replayed)) were booked before" }
    if outcome.withoutChange > 0 { text += "; \(AmountText.grouped(outcome.withoutChange)) change nothing" }
    text += ".\n"
    for (code, amount) in outcome.amounts.sorted(by: { $0.key < $1.key }) {
      text += "  \(AmountText.signed(amount)) \(code)\n"
    }
    return text
  }
}

// MARK: A journal

extension ImportCommand {
  private func importJournal() throws {
    let spool = path == "-" ? try Spool() : nil
    let file = FileText(path: spool?.path ?? path)
    let text = JournalImport(file)
    let head = try text.head()
    var bar = StagedBar(invocation.terminal)
    defer { bar.finish() }
    func show(_ stage: JournalImport.Stage, _ done: Int64, _ total: Int64) {
      switch stage {
      case .checking: bar.show("Checking", done, of: file.size)
      case .importing: bar.show("Importing", done, of: total)
      case .verifying: bar.show("Verifying", done, of: total)
      }
    }
    // A whole export is checked before its ledger is made, an increment against the ledger that it continues.
    var target = head.isWhole ? nil : try open(head)
    defer { target?.close() }
    let checked = try target.map { (target) throws(LedgerError) in try text.check(continuing: target, show) }
    let sound = try checked ?? text.check(show)
    if invocation.parsed.isDryRun {
      bar.finish()
      return try tell(sound, nil)
    }
    let ledger = try target ?? open(head)
    target = ledger
    do throws(LedgerError) {
      let books = try text.run(sound, into: ledger, show)
      bar.finish()
      try tell(sound, books)
    } catch {
      // The rest of a refused import is no ledger, and would block a later import of a good export.
      if head.isWhole, error.code == .invalidImport {
        ledger.close()
        target = nil
        try discard()
      }
      throw error
    }
  }

  private func tell(_ checked: JournalImport.Checked, _ books: Verification?) throws(LedgerError) {
    var json: JSONObject = [
      "transactions": .integer(checked.transactions), "entries": .integer(checked.entries),
    ]
    if let books {
      json["ok"] = .bool(books.isOK)
      json["total_transactions"] = .integer(books.transactions)
    }
    try invocation.print(.object(json)) { style in
      let count = "\(AmountText.grouped(checked.transactions)) transactions"
      guard books != nil else { return "The export is correct: \(count); nothing was written.\n" }
      return "\(style.green("Imported")) \(count), and the books add up.\n"
    }
  }

  /// Returns the target storage: a new storage, or for an increment the ledger that it continues.
  private func open(_ head: JournalImport.Head) throws(LedgerError) -> any LedgerStorage {
    let (storage, home) = (try StorageChoice(invocation.settings.storage), invocation.home)
    switch storage {
    case .memory: throw .invalid("A ledger in memory ends with the command; name a new file or schema with --storage.")
    case .home:
      let file = StorageChoice.file(home.ledgerPath)
      if !head.isWhole { return try file.openImport() }
      // A home that an interrupted import made has nothing but its ledger to go on with.
      if FileAccess.exists(home.ledgerPath), !home.isUnfinished { return try file.openCopy(of: head.project) }
      return try makeHome(home) { () throws(LedgerError) in try file.openCopy(of: head.project) }
    case .file, .postgres:
      return head.isWhole ? try storage.openCopy(of: head.project) : try storage.openImport()
    }
  }

  /// Makes a home with nothing in it yet but the import's beginning.
  private func makeHome(
    _ home: Home, _ open: () throws(LedgerError) -> any LedgerStorage
  ) throws(LedgerError) -> any LedgerStorage {
    let draft = try HomeDraft.begin(home, .new(storefront: .unitedStates))
    do throws(LedgerError) {
      let storage: any LedgerStorage
      do throws(LedgerError) { storage = try open() } catch {
        guard error.code == .alreadyExists else { throw error }
        try draft.removeUnusedLedger()
        storage = try open()
      }
      do throws(LedgerError) { try draft.finish() } catch {
        storage.close()
        throw error
      }
      return storage
    } catch {
      if !draft.isTakenOver { draft.madeLedger = home.ledgerPath }
      draft.giveUp()
      throw error
    }
  }

  /// Removes the rest of a refused whole import: a copy that never was a ledger.
  private func discard() throws(LedgerError) {
    let storage = try StorageChoice(invocation.settings.storage)
    if storage == .home { invocation.home.remove() } else { try storage.removeCopy() }
  }
}

/// The bars of an import of balances: each line is checked, and then booked.
struct ImportBars {
  private let lineCount: Int64
  private var bar: StagedBar

  init(
    lineCount: Int, terminal: Terminal, elapsed: (() -> Duration)? = nil, write: ((String) -> Void)? = nil
  ) {
    self.lineCount = Int64(lineCount)
    bar = StagedBar(terminal, elapsed: elapsed, write: write)
  }

  /// - Parameter done: The number of checked and booked lines together.
  mutating func show(_ done: Int64) {
    let isChecking = done <= lineCount
    bar.show(isChecking ? "Checking" : "Importing", isChecking ? done : done - lineCount, of: lineCount)
  }

  mutating func finish() { bar.finish() }
}

/// Standard input as a file, since it is read twice; removed with its last reference.
private final class Spool {
  let path: String
  private let directory: String

  init() throws(LedgerError) {
    directory = try FileAccess.makeTemporaryDirectory("gemctl-import")
    path = "\(directory)/import.jsonl"
    try Self.fill(path)
  }

  deinit {
    FileAccess.remove([path])
    FileAccess.removeDirectory(directory)
  }

  private static func fill(_ path: String) throws(LedgerError) {
    guard try FileAccess.create(path) else { throw .defect("A new directory was not empty") }
    let (input, output) = (try OpenFile("/dev/stdin", O_RDONLY), try OpenFile(path, O_WRONLY))
    while true {
      let bytes = try input.next()
      if bytes.isEmpty { return }
      _ = try output.write(bytes)
    }
  }
}
