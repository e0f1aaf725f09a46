/// The persistence of a ledger.
///
/// It loads rows and writes change sets; it knows no rule.
package protocol LedgerStorage: AnyObject, Sendable {
  /// What the ledger must know of it.
  var traits: StorageTraits { get }

  /// Returns the lanes that each command may write to, in ascending order; nearly always one.
  ///
  /// The answer may be out of date when the command's turn comes; ``StorageSession/prefetch(_:)`` finds that out.
  func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]]
  /// The same for one command if the answer needs no question to another machine; nil if it does.
  func knownLanes(of command: LedgerCommand) -> [Int]?

  /// Runs the body on a snapshot that no writer changes; never waits for writers.
  func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R

  /// Runs the body alone among writers of the lanes and commits its writes, or nothing if it throws.
  ///
  /// The first of the lanes numbers the writes.
  ///
  /// The body may run several times, if the storage has to try again; only its last run counts.
  func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R

  /// Begins to listen for commits of other processes, and calls the body soon after them.
  ///
  /// It calls the body once at the beginning, and perhaps more often than they commit. Nil if commits cannot be
  /// heard.
  func listen(_ heard: @escaping @Sendable () -> Void) -> (any CommitListener)?

  /// Closes the storage. Later calls answer `storage_unavailable`.
  func close()
}

extension LedgerStorage {
  package var traits: StorageTraits { StorageTraits() }
  package func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]] {
    [[Int]](repeating: [0], count: commands.count)
  }
  package func knownLanes(of command: LedgerCommand) -> [Int]? { [0] }
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

/// Where in its order of burning a lot is among the free or among the paid lots of its account.
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
  /// Prefetches the rows that a group of commands needs; a storage that reads locally has nothing to do.
  ///
  /// - Returns: The positions of commands that belong to other lanes by now, ascending; they are not decided here.
  func prefetch(_ commands: [LedgerCommand]) throws(LedgerError) -> [Int]
  /// Loads the rows that deciding lacked, those of all commands in one round trip.
  ///
  /// After ``prefetch(_:)`` a storage on another machine may answer a read of rows that it has not loaded with
  /// ``LedgerError/rowsMissing``; it notes the rows. The group is decided again from its start once they are loaded.
  ///
  /// - Returns: Whether it loaded any.
  func loadMissing() throws(LedgerError) -> Bool
  /// Brings the rows that the next few commands need closer to the processor; only memory has something to do.
  func prefetchIntoCache(_ commands: Slice<UnsafeBufferPointer<LedgerCommand>>)
  /// Writes all rows of the change set.
  func write(_ changes: borrowing ChangeSet) throws(LedgerError)
}

extension StorageSession {
  package func prefetch(_ commands: [LedgerCommand]) throws(LedgerError) -> [Int] { [] }
  package func loadMissing() throws(LedgerError) -> Bool { false }
  package func prefetchIntoCache(_ commands: Slice<UnsafeBufferPointer<LedgerCommand>>) {}
}
