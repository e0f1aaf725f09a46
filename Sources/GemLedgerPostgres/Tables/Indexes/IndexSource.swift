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

  init<Row: StoredRow>(_ index: RowIndex<Row>) {
    let shape = index.name.shape
    columns = Self.columns(of: index.name) ?? RowReader<Row>.columns
    table = Self.table(of: index.name) ?? "\(Row.table)"
    key = Self.key(of: index.name) ?? Self.equations(shape.key)
    conditions = Self.conditions(of: index.name) ?? shape.conditions.map(Self.text)
    order = shape.order.map { "\($0)" }
    isDescending = shape.isDescending
    owner = index.name.isOwned ? "customer" : nil
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

  // MARK: From the shape

  private static func equations(_ columns: [IndexShape.Column]) -> [String] {
    columns.flatMap { column in
      switch column {
      case .number(let name), .text(let name): ["\(name)"]
      case .account: ["customer", "currency"]
      }
    }.enumerated().map { "\($1) = $\($0 + 1)" }
  }

  private static func text(_ condition: IndexShape.Condition) -> String {
    switch condition {
    case .equal(let column, let value): "\(column) = \(value)"
    case .unequal(let column, let value): "\(column) <> \(value)"
    case .positive(let column): "\(column) > 0"
    case .within(let column, let range): "\(column) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    case .null(let column): "\(column) IS NULL"
    case .never(let column): "\(column) = \(Int64.max)"
    }
  }

  // MARK: Other than the shape

  private static func table(of index: IndexName) -> String? {
    switch index {
    case .customerByID: "aliases"
    case .addedIDs: "added_ids"
    case .entitlementByPurchase: "entitlement_holders"
    case .partsOfRefund: RefundPartRow.source
    case .purchaseByIdentity, .purchaseByNumber, .purchasesOfCustomer, .purchaseCreditedBy: PurchaseRow.source
    default: nil
    }
  }

  private static func columns(of index: IndexName) -> String? {
    switch index {
    case .mergeByTransaction, .mergesInto: MergeRow.stored
    case .entitlementsOfHolder: "purchase, customer AS holder"
    default: nil
    }
  }

  private static func key(of index: IndexName) -> [String]? {
    switch index {
    // These rows are stored with that customer.
    case .mergesInto, .entitlementsOfHolder: ["customer = $1"]
    // An entry's number begins with that of its transaction.
    case .entriesOfTransaction: ["number >> 12 = $1"]
    default: nil
    }
  }

  private static func conditions(of index: IndexName) -> [String]? {
    switch index {
    case .transactionsWithoutEntries, .transactionWithoutEntries: ["NOT has_entries"]
    // The same class as in the index over open lots.
    case .openFreeLots: ["(source = 1) = false", "remaining > 0"]
    case .openPaidLots: ["(source = 1) = true", "remaining > 0"]
    default: nil
    }
  }
}

extension IndexName {
  /// Whether the rows are stored with a customer that the key does not contain.
  var isOwned: Bool {
    switch self {
    case .mergeByTransaction, .lotByNumber, .attributesByLot, .transactionByNumber, .entryByNumber,
      .entriesOfTransaction, .allocationsOfEntry, .noteOfTransaction, .itemsOfTransaction, .eventsOfTransaction,
      .eventsAbout, .holdByNumber, .purchaseByNumber, .purchaseCreditedBy, .refundByTransaction, .refundsOfPurchase,
      .partsOfRefund:
      true
    case .customerByNumber, .customersInOrder, .mergedCustomers, .customerByID, .addedIDs, .customerByToken,
      .mergesInto, .accountsOfCustomer, .checkpointByVersion, .openFreeLots, .openPaidLots, .pooledLot,
      .transactionsWithoutEntries, .transactionWithoutEntries, .ownedItem, .ownedItemsOfCustomer, .eventsOfCustomer,
      .holdsOfCustomer, .countByKey, .countsOfCustomer, .purchaseByIdentity, .purchasesOfCustomer,
      .entitlementByPurchase, .entitlementsOfHolder, .evidenceOfPurchase, .heldDue, .heldOfCustomer, .heldForSubject,
      .orderByCode, .orderByPurchase, .orderByKey,
      .ordersOfCustomer, .ordersDue, .keyOfCustomer, .catalogOfKind, .catalogByCode, .environmentsInOrder,
      .documentByName:
      false
    }
  }

  /// Returns the conditions on the rows of one of many keys, `wanted`, if they differ from the shape's equation.
  func isWanted(_ source: IndexSource) -> String {
    switch self {
    case .entriesOfTransaction: "number >= wanted << 12 AND number < (wanted + 1) << 12"
    case .checkpointByVersion: "currency = wanted & 1023 AND version = wanted >> 10"
    case .transactionWithoutEntries: "number = wanted AND NOT has_entries"
    default: ([source.key[0].replacing("$1", with: "wanted")] + source.conditions).joined(separator: " AND ")
    }
  }

  /// Returns the conditions for many keys at once, `$2`.
  func isAny(_ source: IndexSource) -> String {
    switch self {
    case .checkpointByVersion: "(version << 10 | currency) = ANY($2)"
    case .transactionWithoutEntries: "number = ANY($2) AND NOT has_entries"
    default: ([source.key[0].replacing("$1", with: "ANY($2)")] + source.conditions).joined(separator: " AND ")
    }
  }
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
