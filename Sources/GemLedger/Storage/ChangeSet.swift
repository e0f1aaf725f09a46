/// Everything that a group of commands changes: rows to append, and projection rows to overwrite.
package struct ChangeSet: ~Copyable {
  package var customers: [CustomerRow] = []
  package var environments: [EnvironmentRow] = []
  package var transactions: [TransactionRow] = []
  /// The group's transactions that touch no balance, for the history index.
  package var transactionsWithoutEntries: [TransactionRow] = []
  package var entries: [EntryRow] = []
  package var allocations: [AllocationRow] = []
  package var checkpoints: [CheckpointRow] = []
  package var keys: [KeyRow] = []
  package var keyHashes: [Int] = []
  package var notes: [NoteRow] = []
  package var purchases: [PurchaseRow] = []
  package var orders = OrderChanges()
  package var itemEntries: [ItemEntryRow] = []
  package var newAccounts: [AccountRow] = []
  package var changedAccounts: [AccountRow] = []
  package var newLots: [LotRow] = []
  package var changedLots: [LotRow] = []
  /// The highest lot number drawn; nil if the group drew none.
  package var lastLot: LotNumber?
  /// The whole catalog; nil if it did not change.
  package var catalog: [CatalogRow]?
  package var catalogAppliedAt = Timestamp(milliseconds: 0)
  package var cold: ColdChanges?
  /// The additional changes of a copy of a whole ledger; nil for other commits.
  package var copy: CopyChanges?

  package init() {}

  /// Removes all rows and keeps their memory.
  mutating func removeAll() {
    customers.removeAll(keepingCapacity: true)
    environments.removeAll(keepingCapacity: true)
    transactions.removeAll(keepingCapacity: true)
    transactionsWithoutEntries.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
    allocations.removeAll(keepingCapacity: true)
    checkpoints.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    keyHashes.removeAll(keepingCapacity: true)
    notes.removeAll(keepingCapacity: true)
    purchases.removeAll(keepingCapacity: true)
    if !orders.isEmpty { orders = OrderChanges() }
    itemEntries.removeAll(keepingCapacity: true)
    newAccounts.removeAll(keepingCapacity: true)
    changedAccounts.removeAll(keepingCapacity: true)
    newLots.removeAll(keepingCapacity: true)
    changedLots.removeAll(keepingCapacity: true)
    lastLot = nil
    catalog = nil
    if cold != nil { cold = nil }
    if copy != nil { copy = nil }
  }
}
