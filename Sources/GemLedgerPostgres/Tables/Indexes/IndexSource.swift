#if PostgreSQL
internal import GemLedger

/// The source of an index's rows, with its conditions.
struct IndexSource {
  /// The columns in the order of ``RowReader``.
  let columns: String
  let table: String
  /// The conditions on a key, with `$1` and so on as its values.
  let key: [String]
  let conditions: [String]
  let order: [String]
  let isDescending: Bool
  /// The customer column of the rows, if the key does not contain the customer.
  let owner: String?

  /// The condition on the rows of one of many keys, `wanted`.
  let isWanted: String
  /// The condition for many keys at once, `$2`.
  let isAny: String
  let difference: IndexDifference

  init<Row: StoredRow>(_ index: RowIndex<Row>) {
    difference = IndexDifference.all[index.id] ?? IndexDifference()
    columns = difference.columns ?? RowReader<Row>.columns
    table = difference.table ?? "\(Row.table)"
    key = difference.key.map { [$0] } ?? Self.equations(index.key)
    conditions = difference.conditions ?? index.conditions.map { $0.sql(never: .max) }
    order = index.order
    isDescending = index.isDescending
    owner = index.isOwned ? "customer" : nil
    let first = key.first ?? ""
    isWanted =
      difference.isWanted
      ?? ([first.replacing("$1", with: "wanted")] + conditions).joined(separator: " AND ")
    isAny = difference.isAny ?? ([first.replacing("$1", with: "ANY($2)")] + conditions).joined(separator: " AND ")
  }

  /// Returns the statement for the rows of one key.
  ///
  /// - Parameter isOwned: Whether the customer follows the key's values.
  func rows(isOwned: Bool) -> String {
    let owner = isOwned ? owner.map { ["\($0) = $\(key.count + 1)"] } ?? [] : []
    let sorting = order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))"
    return "SELECT \(columns) FROM \(table) WHERE \((key + owner + conditions).joined(separator: " AND "))\(sorting)"
  }

  /// Returns the statement for the rows of any single-value key; nil if keys have several values.
  func rowsOfAny() -> String? {
    guard key.count == 1, let column = key[0].split(separator: " ").first, key[0] == "\(column) = $1" else {
      return nil
    }
    let sorting = order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))"
    let conditions = (["\(column) = ANY($1)"] + conditions).joined(separator: " AND ")
    return "SELECT \(columns) FROM \(table) WHERE \(conditions)\(sorting)"
  }

  /// The statement for a page: the position and the limit follow the key's values.
  var page: String {
    let first = key.count + 1
    let place = order.indices.map { "$\(first + $0)" }.joined(separator: ", ")
    let behind = "(\(order.joined(separator: ", "))) \(isDescending ? "<" : ">") (\(place))"
    let sorting = order.map { isDescending ? "\($0) DESC" : $0 }.joined(separator: ", ")
    return """
      SELECT \(columns) FROM \(table) WHERE \((key + conditions + [behind]).joined(separator: " AND "))
      ORDER BY \(sorting) LIMIT $\(first + order.count)
      """
  }

  private static func equations(_ columns: [IndexColumn]) -> [String] {
    columns.flatMap { column in
      switch column {
      case .number(let name), .text(let name): [name]
      case .account: ["customer", "currency"]
      }
    }.enumerated().map { "\($1) = $\($0 + 1)" }
  }
}

/// Where PostgreSQL's tables differ from the description of an index.
struct IndexDifference: Sendable {
  var table: String?
  var columns: String?
  var key: String?
  var conditions: [String]?
  /// The condition on the rows of one of many keys, `wanted`.
  var isWanted: String?
  /// The condition for many keys at once, `$2`.
  var isAny: String?
  /// Returns the customer and the number that find the key's rows among many; nil if the first number of the key does.
  var address: (@Sendable (IndexKey) -> RowAddress)?
  /// How the customers of rows are found if the reader does not know them.
  var owners = Owners.unneeded

  enum Owners: Sendable {
    /// The rows are found by their numbers alone.
    case unneeded
    /// By the transaction that the number belongs to.
    case transaction(@Sendable (Int64) -> TransactionNumber)
    /// By the purchase.
    case purchase
    /// By no other row.
    case unknown
  }

  static let all: [ObjectIdentifier: IndexDifference] = [
    AddedIDRow.byID.id: .init(table: "aliases"),
    AddedIDRow.added.id: .init(table: "added_ids"),
    MergeRow.byTransaction.id: .init(columns: MergeRow.stored, owners: .unknown),
    // These rows are stored with that customer.
    MergeRow.into.id: .init(columns: MergeRow.stored, key: "customer = $1"),
    EntitlementRow.byPurchase.id: .init(table: "entitlement_holders"),
    EntitlementRow.ofHolder.id: .init(columns: "purchase, customer AS holder", key: "customer = $1"),
    CheckpointRow.byVersion.id: .init(
      isWanted: "currency = wanted & 1023 AND version = wanted >> 10",
      isAny: "(version << 10 | currency) = ANY($2)",
      // An account's number contains both, which leaves one number in addition to the customer.
      address: {
        let account = AccountNumber(rawValue: $0.first)
        return RowAddress($0.second << 10 | account.currency, of: account.customer)
      }),
    // The same class as in the index over open lots.
    LotRow.openFree.id: .init(conditions: ["(source = 1) = false", "remaining > 0"]),
    LotRow.openPaid.id: .init(conditions: ["(source = 1) = true", "remaining > 0"]),
    TransactionRow.withoutEntries.id: .init(conditions: ["NOT has_entries"]),
    TransactionRow.listedWithoutEntries.id: .init(
      conditions: ["NOT has_entries"], isWanted: "number = wanted AND NOT has_entries",
      isAny: "number = ANY($2) AND NOT has_entries", address: { RowAddress($0.second, of: $0.first) }),
    EntryRow.byNumber.id: .init(owners: .transaction(Numbering.transaction)),
    // An entry's number begins with that of its transaction.
    EntryRow.ofTransaction.id: .init(
      key: "number >> 12 = $1", isWanted: "number >= wanted << 12 AND number < (wanted + 1) << 12",
      owners: .transaction { $0 }),
    AllocationRow.ofEntry.id: .init(owners: .transaction(Numbering.transaction)),
    NoteRow.ofTransaction.id: .init(owners: .transaction { $0 }),
    ItemEntryRow.ofTransaction.id: .init(owners: .transaction { $0 }),
    JournalEventRow.ofTransaction.id: .init(owners: .unknown),
    JournalEventRow.about.id: .init(owners: .unknown),
    HoldRow.byNumber.id: .init(owners: .unknown),
    PurchaseRow.byIdentity.id: .init(table: PurchaseRow.source),
    PurchaseRow.byNumber.id: .init(table: PurchaseRow.source),
    PurchaseRow.ofCustomer.id: .init(table: PurchaseRow.source),
    PurchaseRow.creditedBy.id: .init(table: PurchaseRow.source, owners: .unknown),
    RefundRow.byTransaction.id: .init(owners: .unknown),
    RefundRow.ofPurchase.id: .init(owners: .purchase),
    RefundPartRow.ofTransaction.id: .init(table: RefundPartRow.source),
  ]
}

/// Reads the rows of a result; frequently read rows have special readers.
enum RowReader<Row: StoredRow> {
  static var columns: String {
    switch Row.self {
    case is TransactionRow.Type: TransactionRow.columns
    case is EntryRow.Type: EntryRow.columns
    default: Row.columns
    }
  }

  static func rows(_ answers: [PostgresRows]) throws(LedgerError) -> [Row] {
    switch Row.self {
    case is TransactionRow.Type: try Row.rows(all(answers, TransactionRow.read))
    case is EntryRow.Type: try Row.rows(all(answers, EntryRow.read))
    default: all(answers, Row.read as (PostgresRows, Int) -> Row)
    }
  }

  private static func all<Read>(_ answers: [PostgresRows], _ read: (PostgresRows, Int) -> Read) -> [Read] {
    var found: [Read] = []
    found.reserveCapacity(answers.reduce(0) { $0 + $1.count })
    for rows in answers { for row in 0..<rows.count { found.append(read(rows, row)) } }
    return found
  }
}
#endif
