/// The rows of a ledger that lives in memory, and the indexes over them.
final class MemoryTables: StorageSession {
  let projectRow: ProjectRow
  var catalog = MemoryCatalog()
  var environmentRows: [EnvironmentRow] = []

  // All access to the tables holds the storage's lock, so they need no exclusivity checks. At a hundred nanoseconds a
  // command, the checks would be measurable.
  @exclusivity(unchecked) var customers: [CustomerRow] = []
  @exclusivity(unchecked) var customerIndex = HashIndex()
  /// Accounts by currency, then by customer.
  @exclusivity(unchecked) var accounts: [PagedTable<AccountRow>] = []
  @exclusivity(unchecked) var transactions = ChunkedTable<TransactionRow>()
  @exclusivity(unchecked) var entries = ChunkedTable<EntryRow>()
  @exclusivity(unchecked) var keys = ChunkedTable<KeyRow>()
  @exclusivity(unchecked) var keyIndex = HashIndex()
  /// The result of the prefetch, stored so that the compiler does not remove the reads.
  @exclusivity(unchecked) var touched = 0

  var lots = MemoryLots()

  var withoutEntries: [CustomerNumber: [TransactionNumber]] = [:]
  /// In the order of entries and positions, which is the order of booking.
  var allocations: [AllocationRow] = []
  var checkpoints: [CheckpointID: CheckpointRow] = [:]
  var notes: [TransactionNumber: NoteRow] = [:]
  var itemEntries: [TransactionNumber: [ItemEntryRow]] = [:]
  var ownedItems: [OwnedID: Int64] = [:]
  var purchases = MemoryPurchases()

  var orders = MemoryOrders()
  var cold = ColdTables()
  var sums = RecordSums()

  struct CheckpointID: Hashable {
    let account: AccountNumber
    let version: Int64
  }

  struct OwnedID: Hashable {
    let customer: CustomerNumber
    let item: ItemID
  }

  init(project: ProjectRow) { projectRow = project }
}

// MARK: Reading

extension MemoryTables {
  func project() -> ProjectRow { projectRow }
  func catalogVersion() -> Int64 { catalog.version }

  func customer(_ id: CustomerID) -> FoundCustomer? { customer(id, hash: ByteHash.of(id.text)) }

  func customer(_ id: CustomerID, hash: Int) -> FoundCustomer? {
    guard let row = customerIndex.find(hash, fits: { customers[$0].id == id }) else {
      return cold.addedIDs.isEmpty ? nil : cold.addedIDs[id].map(customers.found)
    }
    return customers.found(Int64(row) + 1)
  }

  func customer(number: CustomerNumber) -> CustomerRow? {
    (1...max(1, customers.count)).contains(Int(number)) && customers.count > 0 ? customers[Int(number) - 1] : nil
  }

  func account(_ number: AccountNumber) -> AccountRow? {
    let currency = Int(number.currency)
    return currency < accounts.count ? accounts[currency][number.customer] : nil
  }

  func accounts(of customer: CustomerNumber) -> [AccountRow] { accounts.compactMap { $0[customer] } }

  func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) -> KeyRow? {
    let row = keyIndex.find(hash) { keys[$0].customer == customer && keys[$0].key == key }
    return row.map { keys[$0] }
  }

  func sequences() -> Sequences {
    var sequences = Sequences()
    sequences.transaction = Int64(transactions.count)
    sequences.entry = Int64(entries.count)
    if transactions.count > 0 { sequences.createdAt = transactions[transactions.count - 1].createdAt }
    return sequences
  }

  func recordSums() -> RecordSums? { sums }

  func last(_ sequence: ColdSequence) -> Int64 {
    switch sequence {
    case .customer: Int64(customers.count)
    case .lot: lots.count
    // A refused command may have drawn a number in vain.
    case .purchase: purchases.rows.last?.number ?? 0
    case .environment: environmentRows.last?.number ?? 0
    case .order: orders.rows.last?.number ?? 0
    }
  }

  func transaction(_ number: TransactionNumber) -> TransactionRow? {
    number >= 1 && number <= transactions.count ? transactions[Int(number) - 1] : nil
  }

  func entry(_ number: EntryNumber) -> EntryRow? {
    number >= 1 && number <= entries.count ? entries[Int(number) - 1] : nil
  }

  func entries(of transaction: TransactionNumber) -> [EntryRow] {
    guard var number = self.transaction(transaction)?.firstEntry else { return [] }
    var found: [EntryRow] = []
    while let entry = entry(number), entry.transaction == transaction {
      found.append(entry)
      number += 1
    }
    return found
  }

  func allocations(of entry: EntryNumber) -> [AllocationRow] {
    Array(allocations[allocations.partitioningIndex { $0.entry >= entry }...].prefix { $0.entry == entry })
  }
}
