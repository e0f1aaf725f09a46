internal import GemLedger

/// The rows of a state of the tables, found by the descriptions of rows and indexes alone.
class KeyValueSnapshot: StorageSnapshot, StorageScan {
  final var tables: KeyValueTables

  init(_ tables: KeyValueTables) { self.tables = tables }

  // MARK: Rows

  final func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) -> [Row] {
    keys.withoutOwners.flatMap { page(index, $0, after: nil, limit: .max) }
  }

  final func page<Row>(_ index: RowIndex<Row>, _ key: IndexKey, after place: IndexPlace?, limit: Int) -> [Row] {
    var (prefix, number): ([StoredValue], Int) = ([], 0)
    for column in index.key {
      if case .text = column {
        prefix.append(.text(key.text))
      } else {
        prefix.append(.integer(key[number: number]))
        number += 1
      }
    }
    let behind = place.map { prefix + [.integer($0.first), .integer($0.second)].prefix(index.order.count) }
    let keys = tables[index.name].values(
      prefix: prefix.coded, after: behind?.coded, isDescending: index.isDescending, limit: limit)
    return keys.compactMap { tables["\(Row.table)"].value($0) }.map(row)
  }

  final func page<Row: StoredRow>(after: Row?, limit: Int) -> [Row] {
    let key = after.map { RowColumns(of: $0).key }
    return tables["\(Row.table)"].values(prefix: [], after: key, isDescending: false, limit: limit).map(row)
  }

  /// The row with the highest key.
  final func last<Row: StoredRow>(_ type: Row.Type) -> Row? { tables["\(Row.table)"].values.last.map(row) }

  private func row<Row: StoredRow>(_ bytes: [UInt8]) -> Row { RowColumns(bytes: bytes).row() }

  final func scan() -> any StorageScan { self }

  // MARK: Numbers and sums

  final func sequences() -> Sequences {
    var sequences = Sequences()
    if let newest = last(TransactionRow.self) {
      sequences.transaction = newest.number
      // In a journal copied from several lanes, the transaction with the highest number need not be the latest.
      sequences.createdAt = max(newest.createdAt, last(CopiedJournal.self)?.createdAt ?? newest.createdAt)
    }
    sequences.entry = last(EntryRow.self)?.number ?? 0
    return sequences
  }

  final func last(_ sequence: ColdSequence) -> Int64 {
    switch sequence {
    case .customer: last(CustomerRow.self)?.number ?? 0
    case .lot: numbers("lot").first ?? 0
    case .purchase: last(PurchaseRow.self)?.number ?? 0
    case .environment: last(EnvironmentRow.self)?.number ?? 0
    case .order: last(OrderRow.self)?.number ?? 0
    }
  }

  final func journalCounts() -> JournalCounts? {
    guard let copied = last(CopiedJournal.self) else { return nil }
    let last = sequences()
    var counts = copied.counts
    counts.transactions += max(0, last.transaction - copied.lastTransaction)
    counts.entries += max(0, last.entry - copied.lastEntry)
    return counts
  }

  final func recordSums() -> RecordSums? {
    let sums = numbers("sums")
    return sums.isEmpty ? RecordSums() : RecordSums(values: sums)
  }

  private func numbers(_ name: String) -> [Int64] {
    ValueReader(tables["numbers"].value(Array(name.utf8)) ?? []).compactMap(\.number)
  }
}
