internal import GemLedger

/// Reads an export from first to last line and reports all problems before anything is written.
struct ImportCheck {
  /// The contents of a complete export.
  struct Findings: Sendable {
    var header: ExportHeader
    var after: ExportPosition?
    var end: ExportEnd
    /// Identifies the export; an interrupted import resumes only with the same export.
    var identity: Int64
    /// If numbers have gaps, the record of them that the storage needs.
    var journal: CopiedJournal
    var erasures: ImportedErasures
    /// The state after the catalog's line, for reading the lines again.
    var context: ImportContext
    /// Whether customers have all numbers from 1.
    var hasAllCustomers: Bool
  }

  private var problems = ImportProblems()
  private var context = ImportContext()
  private var header: ExportHeader?
  private var after: ExportPosition?
  private var end: ExportEnd?
  private var rank = -1
  private var checksum: UInt64 = 0
  private var lastHash: UInt64 = 0
  private var firstHash: UInt64 = 0
  private var journal = CopiedJournal(
    lastTransaction: 0, lastEntry: 0, counts: JournalCounts(transactions: 0, entries: 0, isSparse: false),
    createdAt: Timestamp(milliseconds: 0))
  private var line: Int64 = 0
  private var erasures = ImportedErasures()
  private var bounds = ImportBounds(isDense: false, after: nil)

  /// - Parameters:
  ///   - context: The state before the first line: for an increment, the catalog of the ledger that it continues.
  ///   - progress: Called with the number of bytes read.
  /// - Throws: `invalid_import` with every problem up to a bound, or the errors of reading.
  static func run(
    _ text: some ImportText, context: ImportContext, _ progress: (Int64) -> Void
  ) throws(LedgerError) -> Findings {
    var check = Self()
    check.context = context
    var reader = try LineReader(text)
    var tape = JSONTape()
    while !check.hasWholeContext, let line = try reader.next() { check.read(ParsedLine(line, check.context, &tape)) }
    let context = check.context
    var blocks = LinesAhead(
      reader, aheadCount: blocksAheadCount, isFull: { $0.byteCount >= blockByteCount },
      work: { block in
        var tape = JSONTape()
        return (0..<block.count).map { ParsedLine(block[$0], context, &tape) }
      })
    while let block = try blocks.next() {
      for line in block { check.read(line) }
      progress(blocks.byteCount)
    }
    return try check.findings()
  }

  /// The number of bytes from which a block is full: lines of any length take bounded memory.
  private static let blockByteCount = 256 << 10
  /// The number of blocks that other threads parse while this one checks another.
  private static let blocksAheadCount = 3

  /// Whether no later line can change the context: the header and the catalog are before all other lines.
  private var hasWholeContext: Bool { rank > ImportRecord.catalogRank }

  private mutating func read(_ parsed: ParsedLine) {
    line += 1
    do throws(LineFault) { try check(parsed) } catch { problems.add(line, error.message) }
  }

  private mutating func check(_ parsed: ParsedLine) throws(LineFault) {
    guard end == nil else { throw LineFault("The export continues after its last line.") }
    let sum = checksum
    checksum &+= parsed.hash
    lastHash = parsed.hash
    let record = try parsed.record.get()
    guard record.rank >= rank else { throw LineFault("A line of this type must precede the previous line.") }
    guard header != nil || record.rank == 0 else { throw LineFault("The first line is not the header of an export.") }
    rank = record.rank
    try bounds.check(record)
    switch record {
    case .header(let header): try begin(header, parsed.hash)
    case .catalog(_, let rows): try learn(rows)
    case .transaction(let transaction): try count(transaction)
    case .end(let end): try finish(end, checksum: sum)
    default: break
    }
  }

  private mutating func begin(_ header: ExportHeader, _ hash: UInt64) throws(LineFault) {
    guard self.header == nil else { throw LineFault("There is a second header; import one export at a time.") }
    self.header = header
    firstHash = hash
    context.ids = TransactionIDMaker(salt: header.project.salt)
    bounds = ImportBounds(isDense: header.isDense, after: nil)
    guard let cursor = header.after else { return }
    do throws(LedgerError) {
      after = try cursor.position(salt: header.project.salt)
    } catch {
      throw LineFault("\"after\" is not a cursor of this project's exports.")
    }
    if header.isDense { journal.lastTransaction = after?.feed.floor ?? 0 }
    bounds = ImportBounds(isDense: header.isDense, after: after)
  }

  private mutating func learn(_ rows: [CatalogRow]) throws(LineFault) {
    try ImportBounds.check(rows)
    context.learn(rows)
  }

  private mutating func count(_ transaction: ImportedTransaction) throws(LineFault) {
    let (number, last) = (transaction.row.number, journal.lastTransaction)
    journal.counts.transactions += 1
    journal.counts.entries += Int64(transaction.entries.count)
    journal.createdAt = max(journal.createdAt, transaction.row.createdAt)
    if !transaction.entries.isEmpty {
      journal.lastEntry = Numbering.entries(of: number).lowerBound + Int64(transaction.entries.count) - 1
    }
    journal.lastTransaction = max(last, number)
    // A whole export has no names of erased customers.
    if after != nil { erasures.note(transaction) }
    if header?.isDense == true, number != last + 1 {
      throw LineFault(
        number > last + 1
          ? "Transactions \(last + 1) to \(number - 1) are missing before transaction \(number)."
          : "Transaction \(number) follows transaction \(last).")
    }
    guard number > last else { throw LineFault("Transaction \(number) follows transaction \(last).") }
  }

  private mutating func finish(_ end: ExportEnd, checksum: UInt64) throws(LineFault) {
    self.end = end
    guard problems.isEmpty else { return }
    let counts = journal.counts
    guard end.transactions == counts.transactions, end.entries == counts.entries, end.lines == line else {
      throw LineFault(
        "The export's last line counts \(end.transactions) transactions with \(end.entries) entries in \(end.lines) "
          + "lines; there are \(counts.transactions) with \(counts.entries) in \(line).")
    }
    guard end.checksum == checksum else {
      throw LineFault("The lines were changed after the export: their checksum differs.")
    }
    do throws(LedgerError) {
      let position = try end.cursor.position(salt: header?.project.salt ?? 0)
      guard position.transactions == counts.transactions + (after?.transactions ?? 0) else {
        throw LedgerError(.invalidRequest, "")
      }
    } catch {
      throw LineFault("\"cursor\" is not the cursor of this export.")
    }
  }

  private mutating func findings() throws(LedgerError) -> Findings {
    if end == nil {
      problems.add(line + 1, "The export is truncated: its last line is missing. Export again.")
    }
    guard problems.isEmpty, let header, let end else { throw problems.error("The export") }
    // Never a transaction number, which identifies a copy.
    let identity = Int64(bitPattern: (firstHash &* 31 &+ lastHash) >> 2 | 1 << 62)
    return Findings(
      header: header, after: after, end: end, identity: identity, journal: journal, erasures: erasures,
      context: context, hasAllCustomers: bounds.hasAllCustomers)
  }
}

/// A line with its hash, and its record or its fault.
private struct ParsedLine: Sendable {
  let hash: UInt64
  let record: Result<ImportRecord, LineFault>

  init(_ line: ArraySlice<UInt8>, _ context: ImportContext, _ tape: inout JSONTape) {
    hash = ExportWriter.hash(of: line)
    do throws(LineFault) {
      record = .success(try ImportRecord(line, context, &tape))
    } catch {
      record = .failure(error)
    }
  }
}
