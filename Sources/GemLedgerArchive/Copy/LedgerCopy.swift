package import GemLedger
package import GemLedgerAudit

/// Copies a whole ledger into an empty storage, or resumes an interrupted copy of the same ledger.
///
/// The source is one snapshot; others may write to it during the copy. Each page is a separate commit that also records
/// the progress, so an interrupted copy can resume. The copy cannot be opened as a ledger until all rows are present,
/// compared and proved. Numbers and ids are kept, except the internal numbers of entries.
package struct LedgerCopy {
  private let source: any LedgerStorage
  private let target: any LedgerStorage
  private let clock: LedgerClock

  /// The stage of the copy, for progress displays.
  package enum Stage: Sendable {
    case copying
    case comparing
    case verifying
  }

  package typealias Progress = (Stage, _ done: Int64, _ of: Int64) -> Void
  /// Opens the storage to copy into, or a project's unfinished copy that started at the given transaction.
  package typealias OpenTarget = (ProjectRow, TransactionNumber) throws(LedgerError) -> any LedgerStorage

  /// Copies the missing rows, compares every row, proves the books of the copy, and makes it a ledger.
  ///
  /// - Parameters:
  ///   - source: The storage to copy from.
  ///   - clock: The clock for the time of the proof.
  ///   - progress: Called from time to time.
  ///   - openTarget: Opens the target, which is closed at the end.
  /// - Returns: The books of the copy.
  /// - Throws: `LedgerError` with `already_exists` if the copy was started from other rows, `books_wrong`, or the
  ///   errors of the storages.
  package static func run(
    from source: any LedgerStorage, clock: LedgerClock = .system, _ progress: Progress = { _, _, _ in },
    openTarget: OpenTarget
  ) throws(LedgerError) -> Verification {
    guard !(source is MemoryStorage) else {
      throw .invalid("A ledger in memory cannot be copied.")
    }
    var opened: (any LedgerStorage)?
    defer { opened?.close() }
    // The target is opened for exactly the snapshot that is copied, regardless of later bookings.
    let (copy, digest) = try source.read { (snapshot) throws(LedgerError) -> (LedgerCopy, CopyDigest) in
      let target = try openTarget(try snapshot.project(), try snapshot.sequences().transaction)
      opened = target
      let copy = LedgerCopy(source: source, target: target, clock: clock)
      return (copy, try copy.copy(snapshot, progress))
    }
    return try copy.finish(digest, progress)
  }

  private func finish(_ digest: CopyDigest, _ progress: Progress) throws(LedgerError) -> Verification {
    let copied = try target.read { (snapshot) throws(LedgerError) -> CopyDigest in
      try compare(snapshot, progress)
    }
    let differences = digest.differences(from: copied)
    guard differences.isEmpty else { throw Self.changed("its \(differences.joined(separator: ", ")) differ") }
    let verification = try verify(progress)
    guard verification.isOK else {
      throw LedgerError(
        .booksWrong,
        "The books of the source are wrong, and so are those of the copy. Verify the source. First problem: "
          + "\(verification.problems.first.map(\.description) ?? "none")",
        details: [.integer("problems", Int64(verification.problemCount))])
    }
    try write { $0.copy = CopyChanges(progress: nil) }
    return verification
  }

  // MARK: Copying

  private func copy(_ snapshot: any StorageSnapshot, _ progress: Progress) throws(LedgerError) -> CopyDigest {
    let from = try CopySource(
      snapshot, renumbersEntries: target.traits.isKeyedByCustomer && !source.traits.isKeyedByCustomer,
      listsFormerLots: target.traits.isKeyedByCustomer)
    let mark = try snapshot.sequences().transaction
    let begun = try self.progress()
    guard begun.source == mark else { throw Self.changed("it was written to since the copy was started") }
    let total = try Self.transactionCount(snapshot)
    var digest = CopyDigest()
    var journal = CopiedJournal(
      lastTransaction: 0, lastEntry: 0, counts: JournalCounts(transactions: 0, entries: 0),
      createdAt: Timestamp(milliseconds: 0))
    for step in CopyStep.allCases {
      var pages: Int64 = 0
      try from.read(step) { (changes) throws(LedgerError) in
        pages += 1
        digest.add(changes)
        journal.count(changes)
        progress(.copying, journal.counts.transactions, total)
        let isThere = step.rawValue < begun.step || (step.rawValue == begun.step && pages <= begun.pages)
        if isThere { return }
        let reached = CopyProgress(step: step.rawValue, pages: pages, source: mark)
        if changes.copy == nil { changes.copy = CopyChanges(progress: nil) }
        changes.copy?.progress = reached
        try write(changes)
      }
    }
    let end = Int64(CopyStep.allCases.count)
    if begun.step < end {
      let counts = journal.counts
      try write {
        $0.copy = CopyChanges(progress: CopyProgress(step: end, source: mark))
        let hasGaps = journal.lastTransaction != counts.transactions || journal.lastEntry != counts.entries
        if hasGaps { $0.copy?.journal = journal }
      }
    }
    return digest
  }

  private func write(_ changes: borrowing ChangeSet) throws(LedgerError) {
    try target.commit(lanes: Array(0..<target.traits.laneCount)) { (session) throws(LedgerError) in
      try session.write(changes)
    }
  }

  private func write(_ fill: (inout ChangeSet) -> Void) throws(LedgerError) {
    try target.commit(lanes: Array(0..<target.traits.laneCount)) { (session) throws(LedgerError) in
      var changes = ChangeSet()
      fill(&changes)
      try session.write(changes)
    }
  }

  private func progress() throws(LedgerError) -> CopyProgress {
    try target.read { (snapshot) throws(LedgerError) -> CopyProgress in
      guard let progress = try snapshot.scan().copyProgress() else {
        throw .defect("The target of a copy has no progress of a copy")
      }
      return progress
    }
  }

  // MARK: Proving

  private func compare(_ snapshot: any StorageSnapshot, _ progress: Progress) throws(LedgerError) -> CopyDigest {
    let copy = try CopySource(snapshot)
    let total = try Self.transactionCount(snapshot)
    var digest = CopyDigest()
    var done: Int64 = 0
    for step in CopyStep.allCases {
      try copy.read(step) { (changes) throws(LedgerError) in
        digest.add(changes)
        done += Int64(changes.transactions.count)
        progress(.comparing, done, total)
      }
    }
    return digest
  }

  private func verify(_ progress: Progress) throws(LedgerError) -> Verification {
    try Ledger(storage: target, clock: clock).verify { progress(.verifying, $0, $1) }
  }

  private static func transactionCount(_ snapshot: any StorageSnapshot) throws(LedgerError) -> Int64 {
    if let counts = try snapshot.journalCounts() { return counts.transactions }
    return try snapshot.sequences().transaction
  }

  private static func changed(_ how: String) -> LedgerError {
    LedgerError(
      .alreadyExists,
      "The source changed since the copy was started: \(how). Remove the unfinished copy, and copy again.")
  }
}

extension CopiedJournal {
  fileprivate mutating func count(_ changes: borrowing ChangeSet) {
    counts.transactions += Int64(changes.transactions.count)
    counts.entries += Int64(changes.entries.count)
    lastTransaction = max(lastTransaction, changes.transactions.last?.number ?? 0)
    lastEntry = max(lastEntry, changes.entries.last?.number ?? 0)
    for row in changes.transactions { createdAt = max(createdAt, row.createdAt) }
  }
}
