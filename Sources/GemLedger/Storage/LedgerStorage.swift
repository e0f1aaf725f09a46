/// Persistence behind a ledger.
///
/// It loads rows and writes change sets; it knows no rule.
package protocol LedgerStorage: AnyObject, Sendable {
  /// Whether rows are stored with their customers.
  ///
  /// Entries are then numbered by their transactions, and a lot's attributes are stored with each past and present
  /// owner.
  var isKeyedByCustomer: Bool { get }

  /// How many lanes gather groups of commands of their own.
  var laneCount: Int { get }

  /// Whether a group that locks all lanes costs little more than a group of one lane.
  ///
  /// Where callers are few, they then gather in such groups: one group in the place of one a lane.
  var locksLanesTogether: Bool { get }

  /// Whether a commit waits for another machine, so that no task's thread should be held up by it.
  var isRemote: Bool { get }

  /// Whether a reader may see one half of a commit that touched several customers before the other.
  var showsHalves: Bool { get }

  /// Returns the lanes that each command may write to, in ascending order; nearly always one.
  ///
  /// The answer may be out of date when the command's turn comes; ``StorageSession/prefetch(_:)`` finds that out.
  func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]]
  /// The same for one command where the answer needs no question to another machine; nil where it does.
  func knownLanes(of command: LedgerCommand) -> [Int]?

  /// Runs the body on a snapshot that no writer changes; never waits for writers.
  func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R

  /// Runs the body alone among writers of the lanes and commits its writes, or nothing where it throws.
  ///
  /// The first of the lanes numbers the writes.
  ///
  /// The body may run several times, where the storage has to try again; only its last run counts.
  func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R

  /// Begins to listen for commits of other processes, and calls the body soon after them.
  ///
  /// It calls the body once at the beginning, and perhaps more often than they commit. Nil where commits cannot be
  /// heard.
  func listen(_ heard: @escaping @Sendable () -> Void) -> (any CommitListener)?

  /// Closes the storage. Later calls answer `storage_unavailable`.
  func close()
}

extension LedgerStorage {
  package var isKeyedByCustomer: Bool { false }
  package var laneCount: Int { 1 }
  package var locksLanesTogether: Bool { false }
  package var isRemote: Bool { false }
  package var showsHalves: Bool { false }
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

/// Where in its order of burning a lot stands among the free or among the paid lots of its account.
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

/// A consistent view of all rows.
package protocol StorageSnapshot: OrderReads, OwnedReads, JournalEventReads, BulkReads, HistoryReads, FeedReads {
  func project() throws(LedgerError) -> ProjectRow
  /// Counts up with every change of the catalog.
  func catalogVersion() throws(LedgerError) -> Int64
  func catalogRows(_ kind: CatalogRow.Kind) throws(LedgerError) -> [CatalogRow]
  func catalogRow(_ kind: CatalogRow.Kind, code: String) throws(LedgerError) -> CatalogRow?
  func environments() throws(LedgerError) -> [EnvironmentRow]

  func customer(_ id: CustomerID) throws(LedgerError) -> FoundCustomer?
  /// The same, with the id's ``ByteHash`` known.
  func customer(_ id: CustomerID, hash: Int) throws(LedgerError) -> FoundCustomer?
  func customer(number: CustomerNumber) throws(LedgerError) -> CustomerRow?
  func customers(after number: CustomerNumber, limit: Int) throws(LedgerError) -> [CustomerRow]
  /// The customers merged into this one.
  func mergedCustomers(into number: CustomerNumber) throws(LedgerError) -> [CustomerNumber]
  /// The merges into this customer and the unmerges that split it off, oldest first.
  func merges(into number: CustomerNumber) throws(LedgerError) -> [MergeRow]
  /// The ids that were added to the one that the customer of this number came with.
  func addedIDs(of number: CustomerNumber) throws(LedgerError) -> [CustomerID]
  func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow?
  func accounts(of customer: CustomerNumber) throws(LedgerError) -> [AccountRow]
  /// Lots that hold something, of one account, free or paid, in the order of burning.
  func openLots(
    _ account: AccountNumber, paid: Bool, after: LotPosition?, limit: Int
  ) throws(LedgerError) -> [LotRow]
  func lot(_ number: LotNumber) throws(LedgerError) -> LotRow?
  func lotAttributes(_ number: LotNumber) throws(LedgerError) -> LotAttributesRow?
  /// The account's lot of that source and environment that has a row of its own, no purchase and no expiry.
  func pooledLot(
    _ account: AccountNumber, source: LotSource, environment: Int64
  ) throws(LedgerError) -> LotRow?
  func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow?
  func purchase(_ identity: PurchaseIdentity) throws(LedgerError) -> PurchaseRow?
  /// Purchases credited to the customer of this number, newest first, from those below a purchase number.
  func purchases(
    of customer: CustomerNumber, below: Int64, limit: Int
  ) throws(LedgerError) -> [PurchaseRow]
  /// The evidence of a purchase for which no refund was booked.
  func refundEvidence(_ identity: PurchaseIdentity) throws(LedgerError) -> [RefundEvidenceRow]
  /// The transactions that changed how much of the purchase is clawed back, oldest first.
  func refunds(of purchase: Int64) throws(LedgerError) -> [RefundRow]
  func refundParts(of transaction: TransactionNumber) throws(LedgerError) -> [RefundPartRow]
  func owned(_ item: ItemID, customer: CustomerNumber) throws(LedgerError) -> Int64
  func ownedItems(of customer: CustomerNumber) throws(LedgerError) -> [OwnedItemRow]

  func sequences() throws(LedgerError) -> Sequences
  /// The instant of the newest transaction of all lanes, those included that the session has no hold of.
  func newestInstant() throws(LedgerError) -> Timestamp
  /// The sums of all rows' digests as the commits left them; nil where they are missing.
  func recordSums() throws(LedgerError) -> RecordSums?
  /// The highest number in use.
  func last(_ sequence: ColdSequence) throws(LedgerError) -> Int64
  /// Returns the number that is drawn after that one.
  func number(after last: Int64, in sequence: ColdSequence) throws(LedgerError) -> Int64
  func transaction(_ number: TransactionNumber) throws(LedgerError) -> TransactionRow?
  func entry(_ number: EntryNumber) throws(LedgerError) -> EntryRow?
  func entries(of transaction: TransactionNumber) throws(LedgerError) -> [EntryRow]
  /// The customer's transactions below a number that touched no balance, newest first.
  func transactionsWithoutEntries(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [TransactionNumber]
  func allocations(of entry: EntryNumber) throws(LedgerError) -> [AllocationRow]
  func note(_ transaction: TransactionNumber) throws(LedgerError) -> NoteRow?
  func items(of transaction: TransactionNumber) throws(LedgerError) -> [ItemEntryRow]
  func checkpoint(_ account: AccountNumber, version: Int64) throws(LedgerError) -> CheckpointRow?

  /// The rows as they lie, for `verify`: in the order of their numbers, a bounded number at a time.
  func scan() throws(LedgerError) -> any StorageScan
}

extension StorageSnapshot {
  package func customer(_ id: CustomerID, hash: Int) throws(LedgerError) -> FoundCustomer? { try customer(id) }
  package func number(after last: Int64, in sequence: ColdSequence) throws(LedgerError) -> Int64 { last + 1 }
  package func newestInstant() throws(LedgerError) -> Timestamp { try sequences().createdAt }
}

/// How many of an item a customer owns.
package struct OwnedItemRow: Hashable, Sendable {
  package var customer: CustomerNumber
  package var item: ItemID
  package var quantity: Int64

  package init(customer: CustomerNumber, item: ItemID, quantity: Int64) {
    self.customer = customer
    self.item = item
    self.quantity = quantity
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
