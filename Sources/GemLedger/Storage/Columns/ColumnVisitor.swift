/// Visits the columns of a row in their order.
///
/// A storage's reader sets the values, its writer takes them, and a schema lists the names. So each column is defined
/// only once: in ``StoredRow/visit(_:)`` of its row.
package protocol ColumnVisitor {
  mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64)
  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?)
  mutating func text(_ name: StaticString, _ value: inout String)
  mutating func text(_ name: StaticString, optional value: inout String?)
  /// The columns `customer` and `currency`, or the one column `account`.
  mutating func account(_ value: inout AccountNumber)
  /// An instant in milliseconds, or the storage's value for never, which is `.max` in rows.
  mutating func expiry(_ name: StaticString, _ value: inout Int64)
  /// The columns `counter_kind` and `subject`: null together, or the storage's values for none.
  mutating func counter(_ value: inout CountKey?)
}

extension ColumnVisitor {
  package mutating func account(_ value: inout AccountNumber) {
    var (customer, currency) = (value.customer, value.currency)
    integer("customer", .number, &customer)
    integer("currency", .currency, &currency)
    value = AccountNumber(customer: customer, currency: currency)
  }

  package mutating func expiry(_ name: StaticString, _ value: inout Int64) { integer(name, .instantOrNever, &value) }

  package mutating func counter(_ value: inout CountKey?) {
    var (kind, subject) = (value?.kind.rawValue, value?.subject)
    integer("counter_kind", .kind, optional: &kind)
    text("subject", optional: &subject)
    value = kind.flatMap(CountKey.Kind.init).map { CountKey($0, subject ?? "") }
  }
}

/// A row that storages keep in a dedicated table, with one description for all storages.
package protocol StoredRow: Sendable {
  static var table: StaticString { get }
  /// The number of leading columns that form the row's key, in the order of scans; an account counts as one column.
  static var keyColumnCount: Int { get }
  /// The columns that an update leaves unchanged: they are immutable, or only an erasure writes them.
  static var fixedColumns: Set<String> { get }
  /// The conditions on the columns of every row, in SQL that all dialects share.
  ///
  /// A condition that begins with a column's name belongs to that column.
  static var checks: [String] { get }
  /// All indexes over the rows, for a storage that maintains each of them itself.
  static var indexes: [RowIndex<Self>] { get }
  /// An empty row that a reader fills.
  static var blank: Self { get }
  /// Visits all columns, in the order of the table.
  mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns)
}

extension StoredRow {
  package static var keyColumnCount: Int { 1 }
  package static var fixedColumns: Set<String> { [] }
  package static var checks: [String] { [] }
  package static var indexes: [RowIndex<Self>] { [] }

  /// Returns the same rows under another name of their type, for generic readers.
  package static func rows<Other: StoredRow>(_ rows: [Other]) throws(LedgerError) -> [Self] {
    guard let rows = rows as Any as? [Self] else { throw .defect("Rows of another table") }
    return rows
  }
}

/// The range of numbers that a ledger writes into a column.
///
/// A storage treats any other number as damage (``RowBounds``).
package enum ColumnBound: Sendable {
  /// A number of a customer, a lot, a purchase or an order, a version, or a count.
  case number
  case currency
  case transaction
  case entry
  /// An amount of either sign.
  case amount
  /// An instant, or a value with a meaning that another column defines.
  case value
  /// An instant, or `.max` for never.
  case instantOrNever
  /// The total ever granted to a lot; it saturates at the largest number.
  case granted
  /// One of a few small numbers, such as kinds and stores; readers check for the known ones.
  case kind
  /// Any 64 bits, such as hashes.
  case any

  @inlinable
  package func holds(_ value: Int64) -> Bool {
    switch self {
    case .number: RowBounds.isNumber(value, upTo: RowBounds.number)
    case .currency: RowBounds.isNumber(value, upTo: RowBounds.currency)
    case .transaction: RowBounds.isNumber(value, upTo: RowBounds.transaction)
    case .entry: RowBounds.isNumber(value, upTo: RowBounds.entry)
    case .amount: RowBounds.isWithin(value, RowBounds.amount)
    case .value: RowBounds.isWithin(value, RowBounds.instant)
    case .instantOrNever: value == .max || RowBounds.isWithin(value, RowBounds.instant)
    case .granted: value >= 0
    case .kind, .any: true
    }
  }
}

// MARK: Columns by their meaning

extension ColumnVisitor {
  mutating func number(_ name: StaticString, _ value: inout Int64) { integer(name, .number, &value) }
  mutating func number(_ name: StaticString, optional value: inout Int64?) { integer(name, .number, optional: &value) }
  mutating func currency(_ name: StaticString, _ value: inout Int64) { integer(name, .currency, &value) }
  mutating func transaction(_ name: StaticString, _ value: inout TransactionNumber) {
    integer(name, .transaction, &value)
  }
  mutating func entry(_ name: StaticString, _ value: inout EntryNumber) { integer(name, .entry, &value) }
  mutating func amount(_ name: StaticString, _ value: inout Int64) { integer(name, .amount, &value) }
  mutating func value(_ name: StaticString, _ value: inout Int64) { integer(name, .value, &value) }

  mutating func instant(_ name: StaticString, _ value: inout Timestamp) {
    var milliseconds = value.milliseconds
    integer(name, .value, &milliseconds)
    value = Timestamp(milliseconds: milliseconds)
  }

  mutating func instant(_ name: StaticString, optional value: inout Timestamp?) {
    var milliseconds = value?.milliseconds
    integer(name, .value, optional: &milliseconds)
    value = milliseconds.map(Timestamp.init(milliseconds:))
  }

  /// A store's date, which may be any instant: arithmetic on it must be checked.
  mutating func date(_ name: StaticString, _ value: inout Timestamp) {
    var milliseconds = value.milliseconds
    integer(name, .any, &milliseconds)
    value = Timestamp(milliseconds: milliseconds)
  }

  mutating func date(_ name: StaticString, optional value: inout Timestamp?) {
    var milliseconds = value?.milliseconds
    integer(name, .any, optional: &milliseconds)
    value = milliseconds.map(Timestamp.init(milliseconds:))
  }

  /// The state of a purchase after its newest refund, over four columns that are null together.
  mutating func refundState(of purchase: Int64, _ value: inout RefundStateRow?) {
    var (part, whole) = (value?.share.part, value?.share.whole)
    integer("share", .any, optional: &part)
    integer("share_of", .any, optional: &whole)
    var evidenceAt = value?.evidenceAt
    date("evidence_at", optional: &evidenceAt)
    var transaction = value?.transaction
    integer("refund", .transaction, optional: &transaction)
    value = transaction.map { transaction in
      RefundStateRow(
        purchase: purchase, share: .stored(part ?? 0, of: whole ?? 0),
        evidenceAt: evidenceAt ?? Timestamp(milliseconds: 0), transaction: transaction)
    }
  }

  /// - Parameter other: The replacement for an unknown kind.
  mutating func kind<Kind: RawRepresentable<Int64>>(_ name: StaticString, _ value: inout Kind, else other: Kind) {
    var number = value.rawValue
    integer(name, .kind, &number)
    value = Kind(rawValue: number) ?? other
  }

  mutating func store(_ name: StaticString, _ value: inout Store) {
    var number = value.number
    integer(name, .kind, &number)
    value = Store.numbered(number) ?? .test
  }

  mutating func identifier<Kind: IdentifierKind>(_ name: StaticString, _ value: inout Identifier<Kind>) {
    var text = value.text
    self.text(name, &text)
    value = Identifier(unchecked: text)
  }

  mutating func identifier<Kind: IdentifierKind>(_ name: StaticString, optional value: inout Identifier<Kind>?) {
    var text = value?.text
    self.text(name, optional: &text)
    value = text.map(Identifier.init(unchecked:))
  }

  /// An amount of money, over two columns that are null together.
  mutating func money(_ amount: StaticString, _ currency: StaticString, _ value: inout Money?) {
    var (minorUnits, code) = (value?.minorUnits, value?.currency)
    integer(amount, .amount, optional: &minorUnits)
    text(currency, optional: &code)
    if let minorUnits, let code { value = Money(minorUnits: minorUnits, currency: code) } else { value = nil }
  }

  /// A share, over two columns.
  mutating func share(_ part: StaticString, _ whole: StaticString, _ value: inout RefundShare) {
    var (partNumber, wholeNumber) = (value.part, value.whole)
    integer(part, .any, &partNumber)
    integer(whole, .any, &wholeNumber)
    value = .stored(partNumber, of: wholeNumber)
  }

  /// The refunded extent in a notice, over two columns.
  mutating func extent(_ kind: StaticString, _ amount: StaticString, _ value: inout StoreRefund.Extent) {
    var (kindNumber, number) = value.stored
    integer(kind, .kind, &kindNumber)
    integer(amount, .amount, &number)
    value = StoreRefund.Extent(kind: kindNumber, amount: number)
  }

  /// An optional refunded extent: the two columns are null together.
  mutating func extent(_ kind: StaticString, _ amount: StaticString, optional value: inout StoreRefund.Extent?) {
    var (kindNumber, number) = (value?.stored.kind, value?.stored.amount)
    integer(kind, .kind, optional: &kindNumber)
    integer(amount, .amount, optional: &number)
    value = kindNumber.map { StoreRefund.Extent(kind: $0, amount: number ?? 0) }
  }

  /// An amount of one lot, over three columns that are null together.
  mutating func lotAmount(
    _ currency: StaticString, _ lot: StaticString, _ amount: StaticString, _ value: inout LotAmount?
  ) {
    var (currencyNumber, lotNumber, lotAmount) = (value?.currency, value?.lot, value?.amount)
    integer(currency, .currency, optional: &currencyNumber)
    integer(lot, .number, optional: &lotNumber)
    integer(amount, .amount, optional: &lotAmount)
    value = currencyNumber.map { LotAmount(currency: $0, lot: lotNumber ?? 0, amount: lotAmount ?? 0) }
  }
}

/// The names of a row's columns.
package struct ColumnNames: ColumnVisitor {
  package private(set) var names: [String] = []
  package var list: String { names.joined(separator: ", ") }
  /// The names of the key columns.
  package var key: ArraySlice<String> { names.prefix(keyNameCount) }
  /// The names of the columns that an update writes.
  package var changing: [String] { names.dropFirst(keyNameCount).filter { !fixed.contains($0) } }

  private let splitsAccounts: Bool
  private var keyColumnsLeft: Int
  private var keyNameCount = 0
  private let fixed: Set<String>

  /// - Parameter splitsAccounts: Whether an account is two columns, `customer` and `currency`, and not one.
  package init<Row: StoredRow>(of type: Row.Type, splitsAccounts: Bool) {
    self.splitsAccounts = splitsAccounts
    keyColumnsLeft = type.keyColumnCount
    fixed = type.fixedColumns
    var row = Row.blank
    row.visit(&self)
  }

  private mutating func add(_ column: String...) {
    names += column
    if keyColumnsLeft > 0 { keyNameCount = names.count }
    keyColumnsLeft -= 1
  }

  package mutating func account(_ value: inout AccountNumber) {
    if splitsAccounts { add("customer", "currency") } else { add("account") }
  }

  package mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) {
    add(name.description)
  }
  package mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {
    add(name.description)
  }
  package mutating func text(_ name: StaticString, _ value: inout String) { add(name.description) }
  package mutating func text(_ name: StaticString, optional value: inout String?) { add(name.description) }
}

extension RefundShare {
  /// A damaged share becomes `none`, so that `verify` can report it.
  fileprivate static func stored(_ part: Int64, of whole: Int64) -> Self {
    whole > 0 && (0...whole).contains(part) ? Self(part, of: whole) : .none
  }
}
