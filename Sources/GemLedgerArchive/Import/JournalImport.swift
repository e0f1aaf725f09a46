public import GemLedger
package import GemLedgerAudit

/// Creates a ledger from an export, or updates a ledger with the next export.
///
/// It first reads and checks the whole text, and writes only if there is no problem. Then each page is a separate
/// commit that also records the progress, so an interrupted import can resume. The storage cannot be opened as a ledger
/// until all rows are present and proved.
package struct JournalImport {
  /// The stage of the import, for progress displays.
  package enum Stage: Sendable {
    /// Progress in bytes.
    case checking
    /// Progress in lines.
    case importing
    case verifying
  }

  /// A total of 0 means that the total is unknown.
  package typealias Progress = (Stage, _ done: Int64, _ of: Int64) -> Void

  /// The header of an export.
  package struct Head: Sendable {
    package let project: ProjectRow
    /// Whether it starts at the beginning of the journal, and so creates a new ledger.
    package let isWhole: Bool

    package init(project: ProjectRow, isWhole: Bool) {
      self.project = project
      self.isWhole = isWhole
    }
  }

  /// The default number of lines per commit: an account that several lines change is written once.
  ///
  /// Two pages are in memory, of which one is parsed while the other one is written.
  package static let pageSize = 16_384

  let text: any ImportText
  private let clock: LedgerClock
  private let pageSize: Int

  /// - Parameter pageSize: The number of lines per commit; an interrupted import resumes with the same number.
  package init(_ text: some ImportText, clock: LedgerClock = .system, pageSize: Int = Self.pageSize) {
    self.text = text
    self.clock = clock
    self.pageSize = pageSize
  }

  /// Reads the first line.
  ///
  /// - Throws: `invalid_import` if it is not the header of an export, or the errors of reading.
  package func head() throws(LedgerError) -> Head {
    var problems = ImportProblems()
    var reader = try LineReader(text)
    let line = try reader.next()
    do throws(LineFault) {
      guard let bytes = line else { throw LineFault("The export is empty.") }
      var tape = JSONTape()
      if case .header(let header) = try ImportRecord(bytes, ImportContext(), &tape) {
        return Head(project: header.project, isWhole: header.after == nil)
      }
      throw LineFault("The first line is not the header of an export.")
    } catch {
      problems.add(1, error.message)
      throw problems.error("The export")
    }
  }

  /// A complete export without damaged lines.
  package struct Checked: Sendable {
    let findings: ImportCheck.Findings

    package var transactions: Int64 { findings.journal.counts.transactions }
    package var entries: Int64 { findings.journal.counts.entries }
  }

  /// Reads and checks everything without writing.
  ///
  /// - Parameter ledger: The ledger that an increment continues; nil for an export of a whole journal.
  /// - Throws: `invalid_import` with every problem up to a bound, or the errors of reading.
  package func check(
    continuing ledger: (any LedgerStorage)? = nil, _ progress: Progress = { _, _, _ in }
  ) throws(LedgerError) -> Checked {
    var context = ImportContext()
    if let ledger { context = try ledger.read { (snapshot) throws(LedgerError) in try Self.context(snapshot) } }
    return Checked(findings: try ImportCheck.run(text, context: context) { progress(.checking, $0, 0) })
  }

  /// Checks everything, and imports it.
  @discardableResult
  package func run(
    into target: any LedgerStorage, _ progress: Progress = { _, _, _ in }
  ) throws(LedgerError) -> Verification {
    try run(try check(continuing: target, progress), into: target, progress)
  }

  /// Imports everything into a storage that is marked as an unfinished copy, and proves the books.
  ///
  /// - Returns: The books of the new ledger.
  /// - Throws: `invalid_import` if the export is damaged, does not continue the storage's ledger, or has wrong books;
  ///   `already_exists` if the import was started from another export; or the errors of the storage.
  @discardableResult
  package func run(
    _ checked: Checked, into target: any LedgerStorage, _ progress: Progress = { _, _, _ in }
  ) throws(LedgerError) -> Verification {
    let found = checked.findings
    let begun = try begin(found, target)
    try write(found, from: begun, into: target, progress)
    let verification = try Ledger(storage: target, clock: clock).verify { progress(.verifying, $0, $1) }
    guard verification.isOK else { throw Self.refusal(verification) }
    try Self.commit(target) { $0.copy = CopyChanges(progress: nil) }
    return verification
  }

  static func context(_ snapshot: any StorageSnapshot) throws(LedgerError) -> ImportContext {
    var context = ImportContext()
    context.learn(try snapshot.catalogRows(.currency))
    context.ids = TransactionIDMaker(salt: try snapshot.project().salt)
    return context
  }

  // MARK: The beginning

  /// Records in the storage which export is being imported.
  ///
  /// - Returns: The progress of an earlier import of the same export.
  private func begin(
    _ found: ImportCheck.Findings, _ target: any LedgerStorage
  ) throws(LedgerError) -> CopyProgress {
    if target is MemoryStorage, !found.header.isDense || !found.hasAllCustomers {
      throw LedgerError(
        .invalidImport,
        "The numbers of the exported ledger have gaps, as PostgreSQL assigns them; a ledger in memory cannot have "
          + "gaps. Import it into a file or into PostgreSQL.")
    }
    let known = try target.read { (snapshot) throws(LedgerError) -> CopyProgress? in
      let known = try snapshot.scan().copyProgress()
      if known?.source != found.identity { try Self.check(found, fits: snapshot, known) }
      return known
    }
    if let known, known.source == found.identity { return known }
    try validate(found, into: target)
    let start = CopyProgress(source: found.identity)
    try Self.commit(target) { $0.copy = CopyChanges(progress: start) }
    return start
  }

  private static func check(
    _ found: ImportCheck.Findings, fits snapshot: any StorageSnapshot, _ progress: CopyProgress?
  ) throws(LedgerError) {
    guard progress == nil || progress?.source == 0 else {
      throw LedgerError(
        .alreadyExists,
        "The storage holds another interrupted import or copy. Resume that one, or remove it.")
    }
    guard try snapshot.project() == found.header.project else {
      throw LedgerError(
        .invalidImport, "The export is from another ledger: its project differs from that of this storage.")
    }
    let counts = try snapshot.journalCounts()
    let transactions = if let counts { counts.transactions } else { try snapshot.sequences().transaction }
    guard let after = found.after else {
      guard try snapshot.isEmpty() else {
        throw LedgerError(
          .alreadyExists, "The ledger is not empty; import a whole journal into a new, empty storage.")
      }
      return
    }
    guard transactions == after.transactions, try snapshot.catalogVersion() == after.catalogVersion else {
      throw LedgerError(
        .invalidImport,
        "The export continues after \(after.transactions) transactions and version \(after.catalogVersion) of the "
          + "catalog; the ledger has \(transactions) and version \(try snapshot.catalogVersion()). Import the exports "
          + "in order, each once, and book nothing in between.",
        details: [.integer("expected", after.transactions), .integer("found", transactions)])
    }
  }

  // MARK: Pages

  private func write(
    _ found: ImportCheck.Findings, from begun: CopyProgress, into target: any LedgerStorage, _ progress: Progress
  ) throws(LedgerError) {
    // A step other than 0 means that all pages are written.
    guard begun.step == 0 else { return }
    if begun.pages == 0 { try eraseNames(found.erasures, in: target) }
    var pages = try ImportPages(text, pageSize: pageSize, context: found.context, skipping: begun.pages)
    let replay = try target.read { (snapshot) throws(LedgerError) in
      try JournalReplay(
        snapshot, isKeyed: target.traits.isKeyedByCustomer, isDense: found.header.isDense,
        isIncrement: found.header.after != nil)
    }
    while let page = try pages.next() {
      try target.read { (snapshot) throws(LedgerError) in try Self.fill(replay, with: page, snapshot) }
      replay.changes.copy?.progress = CopyProgress(pages: pages.number, source: found.identity)
      do throws(LedgerError) {
        try Self.commit(replay, target)
      } catch {
        throw try refusal(error, of: page, found, target)
      }
      progress(.importing, page.firstLine + Int64(page.records.count) - 1, found.end.lines)
    }
    guard !found.header.isDense else { return }
    let sequences = try target.read { (snapshot) throws(LedgerError) in try snapshot.sequences() }
    try Self.commit(target) {
      $0.copy = CopyChanges(progress: CopyProgress(step: 1, pages: pages.number, source: found.identity))
      $0.copy?.journal = Self.journal(found, sequences)
    }
  }

  /// Applies the export's erasures before any of its lines is written: any page may reuse the erased ids and keys.
  private func eraseNames(_ erasures: ImportedErasures, in target: any LedgerStorage) throws(LedgerError) {
    guard !erasures.isEmpty else { return }
    let (rows, customers) = try target.read { (snapshot) throws(LedgerError) in try erasures.rows(in: snapshot) }
    guard !rows.isEmpty else { return }
    let progress = try target.read { (snapshot) throws(LedgerError) in
      try snapshot.scan().copyProgress()
    }
    try Self.commit(target) {
      $0.copy = CopyChanges(progress: progress)
      $0.ownCold.erasures = rows
      $0.ownCold.changedCustomers = customers
    }
  }

  /// Returns the record of number gaps that the storage needs, for the export and for earlier rows.
  private static func journal(_ found: ImportCheck.Findings, _ sequences: Sequences) -> CopiedJournal {
    var journal = found.journal
    journal.counts.transactions += found.after?.transactions ?? 0
    journal.counts.entries += found.after?.entries ?? 0
    journal.lastTransaction = max(journal.lastTransaction, sequences.transaction)
    journal.lastEntry = max(journal.lastEntry, sequences.entry)
    journal.createdAt = max(journal.createdAt, sequences.createdAt)
    return journal
  }

  static func fill(
    _ replay: JournalReplay, with page: ImportPage, _ snapshot: any StorageSnapshot
  ) throws(LedgerError) {
    replay.beginPage(snapshot)
    try replay.prefetch(page.records)
    for (index, record) in page.records.enumerated() {
      do throws(LineFaultOrError) {
        try replay.add(record)
      } catch {
        switch error {
        case .ledger(let error): throw error
        case .line(let fault): throw Self.unfit(fault, line: page.firstLine + Int64(index))
        }
      }
    }
    replay.endPage()
  }

  static func commit(_ replay: JournalReplay, _ target: any LedgerStorage) throws(LedgerError) {
    let moved = replay.lots.changedInOrder().compactMap { lot in lot.movedFrom.map { (lot.row.number, $0) } }
    try target.commit(lanes: Array(0..<target.traits.laneCount)) { (session) throws(LedgerError) in
      // A storage that groups rows by customer needs the former owners.
      for (lot, customer) in moved { _ = try session.lot(lot, of: customer) }
      for purchase in replay.movedEntitlements { _ = try session.entitlementHolder(purchase: purchase) }
      for hold in replay.holds.values {
        guard let owner = hold.storedOwner, owner != hold.row.customer else { continue }
        _ = try session.hold(hold.row.number, ofAny: [owner])
      }
      try session.write(replay.changes)
    }
  }

  private static func commit(
    _ target: any LedgerStorage, _ fill: (inout ChangeSet) -> Void
  ) throws(LedgerError) {
    try target.commit(lanes: Array(0..<target.traits.laneCount)) { (session) throws(LedgerError) in
      var changes = ChangeSet()
      fill(&changes)
      try session.write(changes)
    }
  }
}

/// Some parsed lines of an export.
struct ImportPage: Sendable {
  let firstLine: Int64
  var records: [ImportRecord] = []
}

extension ImportPage {
  /// Parses lines that passed the check earlier.
  init(_ block: LineBlock, _ context: ImportContext) throws(LedgerError) {
    firstLine = block.firstLine
    records.reserveCapacity(block.count)
    var tape = JSONTape()
    for index in 0..<block.count {
      do throws(LineFault) {
        records.append(try ImportRecord(block[index], context, &tape))
      } catch {
        // Another process has modified the text since the check.
        var problems = ImportProblems()
        problems.add(firstLine + Int64(index), error.message)
        throw problems.error("The export changed during the import: it")
      }
    }
  }
}

/// Splits an export into pages; the same export gives the same pages.
///
/// The next page is parsed while the caller writes one.
struct ImportPages {
  private var lines: LinesAhead<ImportPage>
  /// The number of pages read or skipped.
  private(set) var number: Int64

  /// - Parameters:
  ///   - context: The state after the catalog's line.
  ///   - skipped: The number of pages to skip.
  init(
    _ text: some ImportText, pageSize: Int, context: ImportContext, skipping skipped: Int64 = 0
  ) throws(LedgerError) {
    var reader = try LineReader(text)
    for _ in 0..<skipped * Int64(pageSize) where try reader.next() == nil { break }
    number = skipped
    lines = LinesAhead(
      reader, aheadCount: 1, isFull: { $0.count >= pageSize },
      work: { (block) throws(LedgerError) in try ImportPage(block, context) })
  }

  mutating func next() throws(LedgerError) -> ImportPage? {
    guard let page = try lines.next() else { return nil }
    number += 1
    return page
  }
}

extension Ledger {
  /// Creates a new ledger in memory from an export.
  ///
  /// - Parameters:
  ///   - text: An export of a whole journal; see ``export(after:progress:to:)``.
  ///   - clock: The ledger's clock.
  /// - Throws: ``LedgerError`` with `invalid_import`, every problem listed up to a bound, or `books_wrong`.
  public static func inMemory(importing text: [UInt8], clock: LedgerClock = .system) throws(LedgerError) -> Ledger {
    let source = JournalImport(ImportBytes(text), clock: clock)
    let storage = MemoryStorage(project: try source.head().project)
    try source.run(into: storage)
    return Ledger(storage: storage, clock: clock)
  }
}
