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

  /// The expression of the number that finds the rows of a key among many.
  let number: String
  /// The condition on the rows of one of many keys, `wanted`.
  let isWanted: String
  let difference: IndexDifference
  /// Whether one number is the whole key.
  private let isOfOneNumber: Bool

  init<Row: StoredRow>(_ index: RowIndex<Row>, _ difference: IndexDifference? = nil) {
    let difference = difference ?? IndexDifference.all[index.id] ?? IndexDifference()
    self.difference = difference
    columns = difference.columns ?? RowReader<Row>.columns
    table = difference.table ?? RowReader<Row>.table
    key = difference.key.map { [$0] } ?? Self.equations(index.key)
    conditions = difference.conditions ?? index.conditions.map { $0.sql(never: .max) }
    order = index.order
    isDescending = index.isDescending
    owner = index.isOwned ? "customer" : nil
    number = difference.number ?? key.first?.replacing(" = $1", with: "") ?? ""
    isWanted = difference.isWanted ?? "\(number) = wanted"
    if index.key.count == 1, case .number = index.key[0] { isOfOneNumber = true } else { isOfOneNumber = false }
  }

  /// Whether a customer's number is the key.
  var isOfCustomers: Bool { key == ["customer = $1"] }

  /// Returns the address of a key's rows for a look-up of many keys; nil if the key has a text or several numbers.
  func address(of key: IndexKey) -> RowAddress? {
    if let address = difference.address { return address(key) }
    return isOfOneNumber ? RowAddress(key.first, of: owner == nil ? nil : key.owner) : nil
  }

  var sorting: String { order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))" }

  /// Returns the statement for the rows of one key.
  ///
  /// - Parameter isOwned: Whether the customer follows the key's values.
  func rows(isOwned: Bool) -> String {
    let owner = isOwned ? owner.map { ["\($0) = $\(key.count + 1)"] } ?? [] : []
    return "SELECT \(columns) FROM \(table) WHERE \((key + owner + conditions).joined(separator: " AND "))\(sorting)"
  }

  /// The statement for the rows of any of many texts; nil if keys have several values.
  var rowsOfAnyText: String? {
    guard key.count == 1 else { return nil }
    let conditions = (["\(number) = ANY($1)"] + conditions).joined(separator: " AND ")
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

// MARK: Many keys

extension IndexSource {
  /// Returns the statements for the rows of all keys.
  ///
  /// Their last column is the number, after the customer for rows that are stored with customers.
  func requests(_ keys: [RowAddress], _ layout: LaneLayout) -> [PostgresRequest] {
    let owned = keys.filter { $0.customer != nil }
    let others = keys.filter { $0.customer == nil }.map(\.number)
    let requests = layout.cluster?.requests(self, owned) ?? (owned.isEmpty ? [] : [oneStepEach(owned)])
    if others.isEmpty { return requests }
    let conditions = (["\(number) = ANY($1)"] + conditions).joined(separator: " AND ")
    let columns = owner == nil ? columns : "\(columns), NULL::bigint"
    return requests + [
      PostgresRequest("SELECT \(columns), \(number) FROM \(table) WHERE \(conditions)\(sorting)", others)
    ]
  }

  /// Returns the address of a row in the result of ``requests(_:_:)``.
  func address(_ rows: PostgresRows, _ row: Int) -> RowAddress {
    let last = rows.columnCount - 1
    // The customer is outside of the key, or a part of the key that was taken from it.
    let hasCustomer = owner != nil || difference.address != nil
    return RowAddress(rows.integer(row, last), of: hasCustomer ? rows.optionalInteger(row, last - 1) : nil)
  }

  /// Returns a request with one index step for each key.
  ///
  /// Given two lists, the server would try each customer with each number, which takes seconds for a thousand of each.
  private func oneStepEach(_ keys: [RowAddress]) -> PostgresRequest {
    let conditions = (["customer = owner", isWanted] + conditions).joined(separator: " AND ")
    return PostgresRequest(
      """
      SELECT found.*, owner, wanted
      FROM (SELECT unnest($1) AS owner, unnest($2) AS wanted) places CROSS JOIN LATERAL (
        SELECT \(columns) FROM \(table) WHERE \(conditions)\(sorting) OFFSET 0
      ) found
      """, keys.map { $0.customer ?? 0 }, keys.map(\.number))
  }
}

/// Where PostgreSQL's tables differ from the description of an index.
struct IndexDifference: Sendable {
  var table: String?
  var columns: String?
  var key: String?
  var conditions: [String]?
  /// The expression of the number that finds a key's rows among many, if it is not the first column of the key.
  var number: String?
  /// The condition on the rows of one of many keys, `wanted`.
  var isWanted: String?
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
    MergeRow.byTransaction.id: .init(owners: .unknown),
    // These rows are stored with that customer.
    MergeRow.into.id: .init(key: "customer = $1"),
    EntitlementRow.byPurchase.id: .init(table: "entitlement_holders"),
    EntitlementRow.ofHolder.id: .init(columns: "purchase, customer AS holder", key: "customer = $1"),
    CheckpointRow.byVersion.id: .init(
      number: "(version << 10 | currency)", isWanted: "currency = wanted & 1023 AND version = wanted >> 10",
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
      conditions: ["NOT has_entries"], number: "number", address: { RowAddress($0.second, of: $0.first) }),
    EntryRow.byNumber.id: .init(owners: .transaction(Numbering.transaction)),
    // An entry's number begins with that of its transaction.
    EntryRow.ofTransaction.id: ofTransactions("number", owners: .transaction { $0 }),
    AllocationRow.ofEntry.id: .init(owners: .transaction(Numbering.transaction)),
    NoteRow.ofTransaction.id: .init(owners: .transaction { $0 }),
    ItemEntryRow.ofTransaction.id: .init(owners: .transaction { $0 }),
    JournalEventRow.ofTransaction.id: .init(owners: .unknown),
    JournalEventRow.about.id: .init(owners: .unknown),
    HoldRow.byNumber.id: .init(owners: .unknown),
    PurchaseRow.creditedBy.id: .init(owners: .unknown),
    RefundRow.byTransaction.id: .init(owners: .unknown),
    RefundRow.ofPurchase.id: .init(owners: .purchase),
  ]

  /// Rows of transactions, by numbers that begin with the transaction's number.
  static func ofTransactions(_ number: String, owners: Owners = .unneeded) -> Self {
    Self(
      key: "\(number) >> 12 = $1", isWanted: "\(number) >= wanted << 12 AND \(number) < (wanted + 1) << 12",
      owners: owners)
  }
}

/// Reads the rows of a table; frequently read rows have special readers.
enum RowReader<Row: StoredRow> {
  /// The table, or the query used instead of one.
  static var table: String {
    switch Row.self {
    case is PurchaseRow.Type: PurchaseRow.source
    case is RefundPartRow.Type: RefundPartRow.source
    default: "\(Row.table)"
    }
  }

  static var columns: String {
    switch Row.self {
    case is TransactionRow.Type: TransactionRow.columns
    case is EntryRow.Type: EntryRow.columns
    case is MergeRow.Type: MergeRow.stored
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

  static func row(_ rows: PostgresRows, _ row: Int) throws(LedgerError) -> Row {
    switch Row.self {
    case is TransactionRow.Type: try Row.rows([TransactionRow.read(rows, row)])[0]
    case is EntryRow.Type: try Row.rows([EntryRow.read(rows, row)])[0]
    default: Row.read(rows, row)
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
