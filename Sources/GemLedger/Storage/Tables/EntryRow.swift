/// A transaction's effect on one account, with the account's state after it.
package struct EntryRow: Hashable, Sendable {
  package var number: EntryNumber
  package var transaction: TransactionNumber
  package var account: AccountNumber
  package var kind: EntryKind
  package var amount: Int64
  package var balance: Int64
  package var debt: Int64
  package var version: Int64
  /// The account's entry before this one; 0 for its first.
  package var previous: EntryNumber
  /// The lot that the whole entry fell on; 0 if the allocations have separate rows.
  package var lot: LotNumber

  package init(
    number: EntryNumber, transaction: TransactionNumber, account: AccountNumber, kind: EntryKind, amount: Int64,
    balance: Int64, debt: Int64, version: Int64, previous: EntryNumber, lot: LotNumber
  ) {
    self.number = number
    self.transaction = transaction
    self.account = account
    self.kind = kind
    self.amount = amount
    self.balance = balance
    self.debt = debt
    self.version = version
    self.previous = previous
    self.lot = lot
  }
}

extension EntryRow: ExportedRow {
  package static let table: StaticString = "entries"
  package static let checks = ["amount <> 0", "balance >= 0", "debt >= 0"]
  package static var blank: Self {
    Self(
      number: 0, transaction: 0, account: AccountNumber(rawValue: 0), kind: .mixed, amount: 0, balance: 0, debt: 0,
      version: 0, previous: 0, lot: 0)
  }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.entry("number", &number, .derived)
    columns.transaction("transaction_number", &transaction, .derived)
    columns.account(&account, .exported)
    columns.kind("kind", &kind, else: .mixed, .exported(unless: .transaction))
    columns.amount("amount", &amount, .exported)
    columns.amount("balance", &balance, .exported)
    columns.amount("debt", &debt, .exported(unless: .zero, atLeast: 0))
    columns.number("version", &version, .derived)
    columns.entry("previous", &previous, .derived)
    columns.number("lot", &lot, .exported(unless: .zero))
  }
}

// MARK: Indexes

extension EntryRow {
  package static var indexes: [RowIndex<Self>] { [byNumber, ofTransaction] }

  /// Must also find a row without an owner.
  package static let byNumber = RowIndex<Self>(
    "entryByNumber", key: ["number"], isOwned: true, inMemory: .one { $0.entry($1.first) })
  /// In the order of their numbers; the key's second number is that of the first entry, or 0 if it is unknown.
  package static let ofTransaction = RowIndex<Self>(
    "entriesOfTransaction", key: ["transaction_number"], order: ["number"], isOwned: true,
    inMemory: .many { $0.entries(of: $1.first) })
}

// MARK: Digest

extension RowDigest {
  /// - Parameter position: The entry's position within its transaction, from 0.
  @inline(__always)
  package static func of(_ row: EntryRow, position: Int64) -> UInt64 {
    var digest = RowDigest(.entry)
    digest.add(position)
    digest.add(row.account.rawValue)
    digest.add(row.kind.rawValue)
    digest.add(row.amount)
    digest.add(row.balance)
    digest.add(row.debt)
    digest.add(row.version)
    digest.add(row.lot)
    return digest.value
  }
}
