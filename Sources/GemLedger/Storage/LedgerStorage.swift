/// The persistence of a ledger.
///
/// It loads rows and writes change sets; it knows no rules.
package protocol LedgerStorage: AnyObject, Sendable {
  /// The storage's properties that the ledger must know.
  var traits: StorageTraits { get }

  /// Returns the lanes that each command may write to, in ascending order; nearly always one lane.
  ///
  /// The answer may be out of date when the command is decided; ``StorageSession/prefetch(_:)`` detects that.
  func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]]
  /// Returns the lanes of one command; nil if that needs a query to another machine.
  func knownLanes(of command: LedgerCommand) -> [Int]?

  /// Runs the body on a snapshot that no writer changes.
  ///
  /// It never waits for a running group. Everything in the snapshot is on disk before the body gets the first row, so
  /// it may wait for a sync of earlier commits. The body may run several times if the storage has to retry, until it
  /// begins a scan. So a body that passes on rows before it ends has to begin one first.
  func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R

  /// Begins to run the body on a snapshot of its own, on another thread, while a scan of the caller goes on.
  ///
  /// The snapshot may have later commits than the scan. The body ends with `storage_damaged` if the check that the scan
  /// began finds damaged pages. Nil without a second reader.
  func readBeside<R: Sendable>(
    _ scan: any StorageScan, _ body: @escaping @Sendable (any StorageSnapshot) throws(LedgerError) -> R
  ) -> BackgroundTask<R>?

  /// Runs the body alone among writers of the lanes and commits its writes, or nothing if it throws.
  ///
  /// The first of the lanes numbers the writes. The body may run several times if the storage has to retry. Only its
  /// last run counts.
  func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R

  /// Begins to listen for commits of other processes, and calls the body soon after each.
  ///
  /// It calls the body once at the beginning, and perhaps more often than they commit. Nil if the storage cannot
  /// listen.
  func listen(_ heard: @escaping @Sendable () -> Void) -> (any CommitListener)?

  /// Closes the storage. Later calls throw `storage_unavailable`.
  func close()
}

extension LedgerStorage {
  package var traits: StorageTraits { StorageTraits() }
  package func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]] {
    [[Int]](repeating: [0], count: commands.count)
  }
  package func knownLanes(of command: LedgerCommand) -> [Int]? { [0] }
  package func readBeside<R: Sendable>(
    _ scan: any StorageScan, _ body: @escaping @Sendable (any StorageSnapshot) throws(LedgerError) -> R
  ) -> BackgroundTask<R>? { nil }
  package func listen(_ heard: @escaping @Sendable () -> Void) -> (any CommitListener)? { nil }
}

/// The sequences that few commands draw from.
package enum ColdSequence: CaseIterable, Sendable {
  case customer
  case lot
  case purchase
  case environment
  case order
}

/// A lot's position in the burning order of its account's free or paid lots.
package struct LotPosition: Hashable, Comparable, Sendable {
  package var expiresAt: Int64
  package var lot: LotNumber

  package init(expiresAt: Int64, lot: LotNumber) {
    self.expiresAt = expiresAt
    self.lot = lot
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.expiresAt, left.lot) < (right.expiresAt, right.lot)
  }
}

/// A snapshot that can be written to.
package protocol StorageSession: StorageSnapshot {
  /// Prefetches the rows that a group of commands needs; a local storage does nothing.
  ///
  /// - Returns: The ascending positions of commands that now belong to other lanes; they are not decided here.
  func prefetch(_ commands: [LedgerCommand]) throws(LedgerError) -> [Int]
  /// Loads the rows that decisions lacked, for all commands in one round trip.
  ///
  /// After ``prefetch(_:)`` a storage on another machine may answer a read of rows that it has not loaded with
  /// ``LedgerError/rowsMissing``; it notes the rows. The group is decided again from its start once they are loaded.
  ///
  /// - Returns: Whether it loaded any rows.
  func loadMissing() throws(LedgerError) -> Bool
  /// Brings the rows of the next few commands into the processor's cache; only the storage in memory does this.
  func prefetchIntoCache(_ commands: Slice<UnsafeBufferPointer<LedgerCommand>>)
  /// Writes all rows of the change set.
  func write(_ changes: borrowing ChangeSet) throws(LedgerError)
}

extension StorageSession {
  package func prefetch(_ commands: [LedgerCommand]) throws(LedgerError) -> [Int] { [] }
  package func loadMissing() throws(LedgerError) -> Bool { false }
  package func prefetchIntoCache(_ commands: Slice<UnsafeBufferPointer<LedgerCommand>>) {}
}
