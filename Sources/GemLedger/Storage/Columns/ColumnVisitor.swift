/// Visits the columns of a row in their order.
///
/// A storage's reader sets the values, its writer takes them, and a schema lists the names. So each column is defined
/// only once: in ``StoredRow/visit(_:)`` of its row.
package protocol ColumnVisitor: MemberVisitor {
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

  /// The least number that a ledger gives, for the numbers that it gives.
  package var least: Int64? {
    switch self {
    case .number, .currency, .transaction, .entry: 1
    case .amount, .value, .instantOrNever, .granted, .kind, .any: nil
    }
  }

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

// MARK: Columns of values

// A storage keeps no members.
extension ColumnVisitor {
  package mutating func integer(
    _ name: StaticString, _ bound: ColumnBound, _ value: inout Int64, _ member: ExportMember
  ) {
    integer(name, bound, &value)
  }

  package mutating func integer(
    _ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?, _ member: ExportMember
  ) {
    integer(name, bound, optional: &value)
  }

  package mutating func text(
    _ name: StaticString, _ value: inout String, _ member: ExportMember, as type: (any IdentifierKind.Type)?
  ) {
    text(name, &value)
  }

  package mutating func text(
    _ name: StaticString, optional value: inout String?, _ member: ExportMember, as type: (any IdentifierKind.Type)?
  ) {
    text(name, optional: &value)
  }

  package mutating func date(
    _ name: StaticString, _ bound: ColumnBound, _ value: inout Timestamp, _ member: ExportMember
  ) {
    var milliseconds = value.milliseconds
    integer(name, bound, &milliseconds)
    value = Timestamp(milliseconds: milliseconds)
  }

  package mutating func date(
    _ name: StaticString, _ bound: ColumnBound, optional value: inout Timestamp?, _ member: ExportMember
  ) {
    var milliseconds = value?.milliseconds
    integer(name, bound, optional: &milliseconds)
    value = milliseconds.map(Timestamp.init(milliseconds:))
  }

  package mutating func kind<Kind: ExportedKind>(
    _ name: StaticString, _ value: inout Kind, else other: Kind, _ member: ExportMember
  ) {
    var number = value.number
    integer(name, .kind, &number)
    value = .numbered(number) ?? other
  }

  package mutating func kind<Kind: ExportedKind>(
    _ name: StaticString, optional value: inout Kind?, _ member: ExportMember
  ) {
    var number = value?.number
    integer(name, .kind, optional: &number)
    value = number.flatMap(Kind.numbered)
  }

  package mutating func environment(_ name: StaticString, _ value: inout Int64, _ member: ExportMember) {
    integer(name, .number, &value)
  }

  package mutating func token(_ value: inout TokenNumber, _ member: ExportMember) {
    integer("high", .any, &value.high)
    integer("low", .any, &value.low)
  }

  package mutating func object(
    _ name: StaticString, isPresent: Bool, _ member: ExportMember, _ body: (inout Self) -> Void
  ) -> Bool {
    body(&self)
    return isPresent
  }
}

// MARK: Values over several columns

extension ColumnVisitor {
  package mutating func account(_ value: inout AccountNumber, _ member: ExportMember) { account(&value) }

  package mutating func expiry(_ name: StaticString, _ value: inout Int64, _ member: ExportMember) {
    expiry(name, &value)
  }

  package mutating func counter(_ value: inout CountKey?, _ member: ExportMember) { counter(&value) }

  package mutating func identity(_ value: inout PurchaseIdentity, _ member: ExportMember) {
    identifier("store_transaction", &value.transactionID, member)
    environment("environment", &value.environment, member)
    kind("store", &value.store, else: .test, member)
  }

  package mutating func dates(
    _ first: StaticString, _ value: inout Timestamp, _ last: StaticString, _ end: inout Timestamp,
    _ member: ExportMember
  ) {
    date(first, .any, &value, member)
    date(last, .any, &end, member)
  }

  /// A share, over two columns.
  package mutating func share(
    _ part: StaticString, _ whole: StaticString, _ value: inout RefundShare, _ member: ExportMember
  ) {
    var (partNumber, wholeNumber) = (value.part, value.whole)
    integer(part, .any, &partNumber)
    integer(whole, .any, &wholeNumber)
    value = .stored(partNumber, of: wholeNumber)
  }

  /// The refunded extent in a notice, over two columns.
  package mutating func extent(
    _ kind: StaticString, _ amount: StaticString, _ value: inout StoreRefund.Extent, _ member: ExportMember
  ) {
    var (kindNumber, number) = value.stored
    integer(kind, .kind, &kindNumber)
    integer(amount, .amount, &number)
    value = StoreRefund.Extent(kind: kindNumber, amount: number)
  }

  /// An optional refunded extent: the two columns are null together.
  package mutating func extent(
    _ kind: StaticString, _ amount: StaticString, optional value: inout StoreRefund.Extent?, _ member: ExportMember
  ) {
    var (kindNumber, number) = (value?.stored.kind, value?.stored.amount)
    integer(kind, .kind, optional: &kindNumber)
    integer(amount, .amount, optional: &number)
    value = kindNumber.map { StoreRefund.Extent(kind: $0, amount: number ?? 0) }
  }

  /// An amount of money, over two columns that are null together.
  package mutating func money(
    _ amount: StaticString, _ currency: StaticString, _ value: inout Money?, _ member: ExportMember
  ) {
    var (minorUnits, code) = (value?.minorUnits, value?.currency)
    integer(amount, .amount, optional: &minorUnits)
    text(currency, optional: &code)
    if let minorUnits, let code { value = Money(minorUnits: minorUnits, currency: code) } else { value = nil }
  }

  /// An amount of one lot, over three columns that are null together.
  package mutating func lotAmount(
    _ currency: StaticString, _ lot: StaticString, _ amount: StaticString, _ value: inout LotAmount?,
    _ member: ExportMember
  ) {
    var (currencyNumber, lotNumber, lotAmount) = (value?.currency, value?.lot, value?.amount)
    integer(currency, .currency, optional: &currencyNumber)
    integer(lot, .number, optional: &lotNumber)
    integer(amount, .amount, optional: &lotAmount)
    value = currencyNumber.map { LotAmount(currency: $0, lot: lotNumber ?? 0, amount: lotAmount ?? 0) }
  }

  /// The state of a purchase after its newest refund, over four columns that are null together.
  package mutating func refundState(of purchase: Int64, _ value: inout RefundStateRow?, _ member: ExportMember) {
    var (part, whole) = (value?.share.part, value?.share.whole)
    integer("share", .any, optional: &part)
    integer("share_of", .any, optional: &whole)
    var evidenceAt = value?.evidenceAt
    date("evidence_at", .any, optional: &evidenceAt, member)
    var transaction = value?.transaction
    integer("refund", .transaction, optional: &transaction)
    value = transaction.map { transaction in
      RefundStateRow(
        purchase: purchase, share: .stored(part ?? 0, of: whole ?? 0),
        evidenceAt: evidenceAt ?? Timestamp(milliseconds: 0), transaction: transaction)
    }
  }

  /// The state of a held purchase, over four columns that are null together; a subject may be null alone.
  package mutating func held(_ value: inout EvidenceRow.HeldState?, _ member: ExportMember) {
    var (reason, dueAt) = (value?.reason, value?.dueAt)
    var (customer, subject) = (value?.customer, value?.subject)
    kind("reason", optional: &reason, member)
    integer("due_at", .instantOrNever, optional: &dueAt)
    integer("holder", .number, optional: &customer)
    text("subject", optional: &subject)
    value = reason.map {
      EvidenceRow.HeldState(reason: $0, dueAt: dueAt ?? .max, customer: customer ?? 0, subject: subject)
    }
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
