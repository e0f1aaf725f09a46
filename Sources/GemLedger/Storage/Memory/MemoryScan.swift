/// One walk over everything in memory, for verification.
///
/// Rows that the tables keep in another order, or in none, are sorted once.
///
/// It belongs to one reading of the tables, which do not change meanwhile.
final class MemoryScan: StorageScan {
  let tables: MemoryTables

  private lazy var checkpointsInOrder = tables.checkpoints.values.sorted(by: Self.precedes)
  private lazy var itemEntriesInOrder = tables.itemEntries.values.flatMap(\.self).sorted(by: Self.precedes)
  private lazy var ownedItemsInOrder = tables.ownedItems
    .map { OwnedItemRow(customer: $0.key.customer, item: $0.key.item, quantity: $0.value) }.sorted(by: Self.precedes)
  private lazy var refundPartsInOrder = tables.purchases.refundParts.values.flatMap(\.self).sorted(by: Self.precedes)
  private lazy var refundStatesInOrder = tables.purchases.refundsOfPurchases.values.compactMap { positions in
    positions.last.map { tables.purchases.refunds[$0].state }
  }.sorted { $0.purchase < $1.purchase }
  private lazy var customerIDsInOrder: [AddedIDRow] = {
    let ids = tables.customers.map { AddedIDRow(customer: $0.number, id: $0.id) }
    return (ids + tables.cold.addedIDs.map { AddedIDRow(customer: $0.value, id: $0.key) }).sorted { $0.id < $1.id }
  }()

  private(set) lazy var notesInOrder = tables.notes.values.sorted { $0.transaction < $1.transaction }
  private(set) lazy var tokensInOrder = tables.orders.tokens
    .map { AccountTokenRow(token: $0.key, customer: $0.value) }.sorted(by: Self.precedes)
  private(set) lazy var evidenceInOrder = tables.purchases.evidence.values.flatMap(\.self).sorted(by: Self.precedes)
  private lazy var holdsInOrder = tables.cold.events.holds.values.sorted { $0.number < $1.number }
  private lazy var countsInOrder = tables.cold.events.counts.values.flatMap(\.values).sorted(by: Self.precedes)

  init(_ tables: MemoryTables) { self.tables = tables }

  // MARK: In order already

  func transactions(after: TransactionNumber, limit: Int) -> [TransactionRow] {
    Self.positions(after: after, limit: limit, count: tables.transactions.count).map { tables.transactions[$0] }
  }

  func entries(after: EntryNumber, limit: Int) -> [EntryRow] {
    Self.positions(after: after, limit: limit, count: tables.entries.count).map { tables.entries[$0] }
  }

  func allocations(after: AllocationRow?, limit: Int) -> [AllocationRow] {
    let start = after.map { tables.allocations.firstIndex(notBefore: ($0.entry, $0.position + 1)) } ?? 0
    return Array(tables.allocations[start...].prefix(limit))
  }

  func accounts(after: AccountNumber, limit: Int) -> [AccountRow] {
    var all: [AccountRow] = []
    for customer in stride(from: after.customer, through: Int64(tables.customers.count), by: 1) {
      for account in tables.accounts(of: customer) where account.number > after {
        all.append(account)
      }
      if all.count >= limit { break }
    }
    return Array(all.prefix(limit))
  }

  func lots(after: LotNumber, limit: Int) -> [LotRow] {
    var found: [LotRow] = []
    var number = after + 1
    while number <= tables.lots.count, found.count < limit {
      if let lot = tables.lots[number] { found.append(lot) }
      number += 1
    }
    return found
  }

  func purchases(after: Int64, limit: Int) -> [PurchaseRow] {
    Self.page(of: tables.purchases.rows, limit: limit) { $0.number > after }.map(tables.purchases.withRefund)
  }

  func keys(after: KeyScanPosition?, limit: Int) -> [(KeyRow, KeyScanPosition)] {
    var rows: [(KeyRow, KeyScanPosition)] = []
    var position = Int(after?.position ?? 0)
    while position < tables.keys.count, rows.count < limit {
      let row = tables.keys[position]
      position += 1
      if !row.isErased { rows.append((row, KeyScanPosition(position: Int64(position), row: nil))) }
    }
    return rows
  }

  func lotAttributes(after: LotNumber, limit: Int) -> [LotAttributesRow] {
    Self.page(of: tables.cold.lotAttributes.rows, limit: limit) { $0.lot > after }
  }

  func merges(after: TransactionNumber, limit: Int) -> [MergeRow] {
    Self.page(of: tables.cold.merges, limit: limit) { $0.transaction > after }
  }

  func refunds(after: TransactionNumber, limit: Int) -> [RefundRow] {
    Self.page(of: tables.purchases.refunds, limit: limit) { $0.transaction > after }
  }

  func events(after: JournalEventRow?, limit: Int) -> [JournalEventRow] {
    Self.page(of: tables.cold.events.all, limit: limit) { row in after.map { Self.precedes($0, row) } ?? true }
  }

  // MARK: Put in order

  func holds(after: TransactionNumber, limit: Int) -> [HoldRow] {
    Self.page(of: holdsInOrder, limit: limit) { $0.number > after }
  }

  func counts(after: CountRow?, limit: Int) -> [CountRow] {
    Self.page(of: countsInOrder, limit: limit) { row in after.map { Self.precedes($0, row) } ?? true }
  }

  func checkpoints(after: CheckpointRow?, limit: Int) -> [CheckpointRow] {
    Self.page(of: checkpointsInOrder, limit: limit) { row in after.map { Self.precedes($0, row) } ?? true }
  }

  func itemEntries(after: ItemEntryRow?, limit: Int) -> [ItemEntryRow] {
    Self.page(of: itemEntriesInOrder, limit: limit) { row in after.map { Self.precedes($0, row) } ?? true }
  }

  func ownedItems(after: OwnedItemRow?, limit: Int) -> [OwnedItemRow] {
    Self.page(of: ownedItemsInOrder, limit: limit) { row in after.map { Self.precedes($0, row) } ?? true }
  }

  func refundParts(after: RefundPartRow?, limit: Int) -> [RefundPartRow] {
    Self.page(of: refundPartsInOrder, limit: limit) { row in after.map { Self.precedes($0, row) } ?? true }
  }

  func refundStates(after: Int64, limit: Int) -> [RefundStateRow] {
    Self.page(of: refundStatesInOrder, limit: limit) { $0.purchase > after }
  }

  func customerIDs(after: CustomerID?, limit: Int) -> [AddedIDRow] {
    Self.page(of: customerIDsInOrder, limit: limit) { row in after.map { $0 < row.id } ?? true }
  }

  func beginIntegrityCheck() -> () throws(LedgerError) -> [String] { { [] } }

  // MARK: Orders

  private static func precedes(_ one: CheckpointRow, _ other: CheckpointRow) -> Bool {
    (one.account.rawValue, one.version) < (other.account.rawValue, other.version)
  }

  private static func precedes(_ one: ItemEntryRow, _ other: ItemEntryRow) -> Bool {
    (one.transaction, one.item, one.customer) < (other.transaction, other.item, other.customer)
  }

  private static func precedes(_ one: OwnedItemRow, _ other: OwnedItemRow) -> Bool {
    (one.customer, one.item) < (other.customer, other.item)
  }

  private static func precedes(_ one: RefundPartRow, _ other: RefundPartRow) -> Bool {
    (one.transaction, one.position) < (other.transaction, other.position)
  }

  private static func precedes(_ one: JournalEventRow, _ other: JournalEventRow) -> Bool {
    (one.transaction, one.position) < (other.transaction, other.position)
  }

  private static func precedes(_ one: CountRow, _ other: CountRow) -> Bool {
    (one.customer, one.key) < (other.customer, other.key)
  }

  /// The indexes of rows that are numbered from 1, behind a number.
  static func positions(after number: Int64, limit: Int, count: Int) -> Range<Int> {
    let start = min(count, max(0, Int(number)))
    return start..<min(count, start + limit)
  }

  /// The rows from the first that lies behind the place where the page before ended.
  static func page<Row>(of rows: [Row], limit: Int, _ isBehind: (Row) -> Bool) -> [Row] {
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(rows[middle]) { high = middle } else { low = middle + 1 }
    }
    return Array(rows[low...].prefix(limit))
  }
}

extension MemoryTables {
  func scan() -> any StorageScan { MemoryScan(self) }
}
