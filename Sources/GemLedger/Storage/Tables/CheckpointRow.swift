/// A checkpoint of an account's history: every 64th entry has one, so that a distant version is found fast.
package struct CheckpointRow: Hashable, Sendable {
  package static let interval: Int64 = 64

  package var account: AccountNumber
  package var version: Int64
  package var entry: EntryNumber
  package var transaction: TransactionNumber
  package var createdAt: Timestamp

  package init(
    account: AccountNumber, version: Int64, entry: EntryNumber, transaction: TransactionNumber, createdAt: Timestamp
  ) {
    self.account = account
    self.version = version
    self.entry = entry
    self.transaction = transaction
    self.createdAt = createdAt
  }
}

extension CheckpointRow: StoredRow {
  package static let table: StaticString = "checkpoints"
  package static let keyColumnCount = 2
  package static var blank: Self {
    Self(
      account: AccountNumber(rawValue: 0), version: 0, entry: 0, transaction: 0, createdAt: Timestamp(milliseconds: 0))
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.account(&account, .derived)
    columns.number("version", &version, .derived)
    columns.entry("entry", &entry, .derived)
    columns.transaction("transaction_number", &transaction, .derived)
    columns.instant("created_at", &createdAt, .derived)
  }
}

// MARK: Indexes

extension CheckpointRow {
  package static var indexes: [RowIndex<Self>] { [byVersion] }

  package static let byVersion = RowIndex<Self>(
    "checkpointByVersion", key: [.account, "version"],
    inMemory: .one { tables, key in
      tables.checkpoints[.init(account: AccountNumber(rawValue: key.first), version: key.second)]
    })
}
