internal import GemLedger

/// The rows of a state of the tables, found by the descriptions of rows and indexes alone.
class KeyValueSnapshot: StorageSnapshot {
  final var tables: KeyValueTables
  private let projectRow: ProjectRow

  init(_ tables: KeyValueTables, _ project: ProjectRow) {
    self.tables = tables
    projectRow = project
  }

  // MARK: Rows

  final func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) -> [Row] {
    keys.withoutOwners.flatMap { key in
      found(index, key, after: nil, isDescending: index.name.shape.isDescending, limit: .max)
    }
  }

  final func page<Row>(_ index: RowIndex<Row>, _ key: IndexKey, after place: IndexPlace?, limit: Int) -> [Row] {
    found(index, key, after: place, isDescending: index.name.shape.isDescending, limit: limit)
  }

  private func found<Row>(
    _ index: RowIndex<Row>, _ key: IndexKey, after place: IndexPlace?, isDescending: Bool, limit: Int
  ) -> [Row] {
    let shape = index.name.shape
    var (prefix, number) = (KeyBytes(), 0)
    for column in shape.key {
      if case .text = column {
        prefix.add(key.text)
      } else {
        prefix.add(key[number: number])
        number += 1
      }
    }
    var behind = prefix
    if let place {
      behind.add(place.first)
      if shape.order.count > 1 { behind.add(place.second) }
    }
    let keys = tables["\(index.name)"].values(
      prefix: prefix.bytes, after: place == nil ? nil : behind.bytes, isDescending: isDescending, limit: limit)
    return keys.compactMap { tables["\(Row.table)"].value($0) }.map(decoded)
  }

  final func decoded<Row: StoredRow>(_ bytes: [UInt8]) -> Row {
    let row: Row = RowReader.row(bytes)
    guard var purchase = row as? PurchaseRow else { return row }
    // The newest refund of a purchase says how much of it is left.
    purchase.refund = self.row(ofKey: RefundStateRow.self) { $0.add(purchase.number) }
    return purchase as? Row ?? row
  }

  final func row<Row: StoredRow>(ofKey type: Row.Type, _ key: (inout KeyBytes) -> Void) -> Row? {
    var bytes = KeyBytes()
    key(&bytes)
    return tables["\(Row.table)"].value(bytes.bytes).map { RowReader.row($0) }
  }

  final func scan() -> any StorageScan { KeyValueScan(self) }

  final func customer(_ id: CustomerID, hash: Int) throws(LedgerError) -> FoundCustomer? {
    guard let name = row(ofKey: AddedIDRow.self, { $0.add(id.text) }), let own = try customer(number: name.customer)
    else { return nil }
    guard own.mergedInto != 0, let survivor = try customer(number: own.mergedInto) else {
      return FoundCustomer(own, original: own.number)
    }
    return FoundCustomer(survivor, original: own.number)
  }

  final func account(_ number: AccountNumber) -> AccountRow? {
    row(ofKey: AccountRow.self) { $0.add(number.rawValue) }
  }

  final func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) -> KeyRow? {
    var bytes = KeyBytes()
    bytes.add(customer)
    bytes.add(key.text)
    return tables["keys"].value(bytes.bytes).map(Self.key)
  }

  static func key(_ bytes: [UInt8]) -> KeyRow {
    var values = ValueReader(bytes)
    let customer = values.integer()
    let key = IdempotencyKey(unchecked: values.text())
    let fingerprint = Fingerprint(asked: values.integer(), qualifiers: values.integer())
    let (transaction, refusal) = (values.integer(), values.text())
    let outcome = KeptRefusal(stored: refusal).map(KeyRow.Outcome.refused) ?? .booked(transaction)
    return KeyRow(customer: customer, key: key, fingerprint: fingerprint, outcome: outcome)
  }

  // MARK: The project

  final func project() -> ProjectRow { projectRow }
  final func catalogVersion() -> Int64 { last(CatalogVersionRow.self)?.version ?? 0 }

  // MARK: Numbers and sums

  final func last<Row: StoredRow>(_ type: Row.Type) -> Row? {
    tables["\(Row.table)"].values.last.map { RowReader.row($0) }
  }

  final func sequences() -> Sequences {
    var sequences = Sequences()
    let newest = last(TransactionRow.self)
    sequences.transaction = newest?.number ?? 0
    sequences.createdAt = newest?.createdAt ?? sequences.createdAt
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

  final func recordSums() -> RecordSums? { RecordSums(values: numbers("sums", count: RecordSums().values.count)) }

  final func numbers(_ name: String, count: Int = 1) -> [Int64] {
    var values = ValueReader(tables["numbers"].value(Array(name.utf8)) ?? [])
    return (0..<count).map { _ in values.integer() }
  }
}

/// A walk over the tables, in the order of their keys.
final class KeyValueScan: StorageScan {
  private let snapshot: KeyValueSnapshot

  init(_ snapshot: KeyValueSnapshot) { self.snapshot = snapshot }

  func page<Row: StoredRow>(after: Row?, limit: Int) -> [Row] {
    snapshot.tables["\(Row.table)"].values(
      prefix: [], after: after.map { ColumnValues(of: $0).key.bytes }, isDescending: false, limit: limit
    ).map(snapshot.decoded)
  }

  func keys(after: KeyScanPosition?, limit: Int) -> [(KeyRow, KeyScanPosition)] {
    var last: KeyBytes?
    if let row = after?.row {
      var place = KeyBytes()
      place.add(row.customer)
      place.add(row.key.text)
      last = place
    }
    return snapshot.tables["keys"].values(prefix: [], after: last?.bytes, isDescending: false, limit: limit).map {
      let row = KeyValueSnapshot.key($0)
      return (row, KeyScanPosition(position: 0, row: row))
    }
  }

  func beginIntegrityCheck() -> () throws(LedgerError) -> [String] { { [] } }
}
