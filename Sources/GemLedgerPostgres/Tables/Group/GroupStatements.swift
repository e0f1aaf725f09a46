#if PostgreSQL
internal import GemLedger

// The statements of a group's look-ups that serve more than one table.

/// Statements for customers.
enum CustomerStatements {
  /// Returns statements for customers with their accounts.
  ///
  /// A distributed engine needs the shard of each table in the query, and joins tables row by row only within a shard.
  /// A single server would search the list again for each row.
  static func customersWithAccounts(_ customers: [CustomerNumber], _ layout: LaneLayout) -> [PostgresRequest] {
    let isOne = "= ANY($1)"
    let sql = customersWithAccounts(which: isOne, accounts: layout.cluster == nil ? "" : " WHERE customer \(isOne)")
    return layout.batches(customers.sorted()) { $0 }.map { PostgresRequest(sql, $0) }
  }

  /// Returns the statement for the customers of ids with their accounts, on a single server.
  static func customersWithAccounts(of ids: [CustomerID]) -> PostgresRequest {
    PostgresRequest(customersWithAccounts(which: isNamed), ids.map(\.text))
  }

  private static let isNamed = "= ANY(ARRAY(SELECT customer FROM aliases WHERE id = ANY($1)))"

  private static func customersWithAccounts(which condition: String, accounts: String = "") -> String {
    """
    SELECT c.customer, id, created_at, frozen, frozen_reason, merged_into, merged_count, erased_by, a.*
    FROM customers c LEFT JOIN (SELECT \(AccountRow.columns) FROM accounts\(accounts)) a ON a.customer = c.customer
    WHERE c.customer \(condition)
    """
  }

  /// Returns statements for the first page of each class of open lots; an account without lots costs one row read.
  static func firstLots(_ customers: [CustomerNumber], _ layout: LaneLayout) -> [PostgresRequest] {
    let isOne = "= ANY($1)"
    let sql = firstLots(which: isOne, lots: "AND customer \(isOne)")
    return layout.batches(customers.sorted()) { $0 }.map { PostgresRequest(sql, $0) }
  }

  /// Returns the statement for the first lots of the ids' customers, on a single server.
  static func firstLots(of ids: [CustomerID]) -> PostgresRequest {
    PostgresRequest(firstLots(which: isNamed), ids.map(\.text))
  }

  /// - Parameter lots: A further condition for the lots, which a distributed engine needs.
  private static func firstLots(which condition: String, lots further: String = "") -> String {
    func page(_ isPaid: Bool) -> String {
      """
      (SELECT \(LotRow.columns) FROM lots
        WHERE a.open_lots > 0 AND customer = a.customer \(further) AND currency = a.currency
          AND (source = 1) = \(isPaid) AND remaining > 0
        ORDER BY expires_at, lot LIMIT \(GroupRows.lotsPerPage))
      """
    }
    return """
      SELECT l.* FROM accounts a CROSS JOIN LATERAL (\(page(false)) UNION ALL \(page(true))) l
      WHERE a.customer \(condition)
      """
  }
}

/// Statements for entries.
enum EntryStatements {
  /// Returns the statement for an entry with its previous entries, including those in other currencies.
  static func page(_ owner: String, _ number: String) -> String {
    """
    SELECT \(EntryRow.columns), customer AS owner, \(number) AS wanted FROM entries
    WHERE customer = \(owner) AND number <= \(number) ORDER BY number DESC LIMIT \(CheckpointRow.interval)
    """
  }

  static func pages(_ keys: [RowAddress], _ layout: LaneLayout) -> [PostgresRequest] {
    if let cluster = layout.cluster { return cluster.pages(ofEntriesUpTo: keys) }
    return [
      PostgresRequest(
        """
        SELECT found.* FROM (SELECT unnest($1) AS owner, unnest($2) AS wanted) places
        CROSS JOIN LATERAL (\(page("places.owner", "places.wanted"))) found
        """, keys.map { $0.customer ?? 0 }, keys.map(\.number))
    ]
  }
}

/// Statements for transactions of unknown customers.
enum LocatingStatements {
  static let select = """
    SELECT \(TransactionRow.columns.named(in: "t")), c.merged_into
    FROM transactions t LEFT JOIN customers c ON c.customer = t.customer
    """

  /// Returns requests with one index step for each transaction, through the index of the lanes' numbers.
  static func requests(_ numbers: [TransactionNumber], _ layout: LaneLayout) -> [PostgresRequest] {
    if numbers.isEmpty { return [] }
    if let cluster = layout.cluster { return cluster.locating(numbers) }
    return [
      PostgresRequest(
        """
        SELECT found.* FROM (SELECT unnest($1) AS lane, unnest($2) AS wanted) places CROSS JOIN LATERAL (
          \(select) WHERE (t.number & 63) = lane AND t.number = wanted OFFSET 0
        ) found
        """, numbers.map(Numbering.lane), numbers)
    ]
  }

  static func located(_ rows: PostgresRows, _ row: Int) -> CustomerDirectory.LocatedTransaction {
    let found = TransactionRow.read(rows, row)
    return CustomerDirectory.LocatedTransaction(
      row: found,
      address: CustomerDirectory.CustomerAddress(
        original: found.customer, mergedInto: rows.integer(row, rows.columnCount - 1)))
  }

  static func located(_ rows: PostgresRows) -> [CustomerDirectory.LocatedTransaction] {
    (0..<rows.count).map { located(rows, $0) }
  }
}

/// Statements that follow lots back to their original lots and purchases, also of other customers.
///
/// Only bought currency and its bonus lead back to a purchase (see `LotLineage`). The number of followed lots is enough
/// for nearly all chains; the decision requests the rest of a longer chain. A distributed engine cannot follow a
/// reference within a statement.
enum LineageStatements {
  private static let lengthMax = 32

  /// A row for each lot that a requested lot originates from, beginning with the requested lot.
  private static let lines = """
    unnest($1) AS wanted CROSS JOIN LATERAL (
      WITH RECURSIVE line AS (
        SELECT \(LotAttributesRow.columns), 1 AS length FROM lot_attributes WHERE lot = wanted
        UNION SELECT \(LotAttributesRow.columns.named(in: "a")), line.length + 1
        FROM line JOIN lot_attributes a ON a.lot = line.original_lot
        WHERE line.purchase IS NULL AND line.original_lot <> 0 AND line.source IN (\(LotSource.paid.rawValue),
          \(LotSource.bonus.rawValue)) AND line.length < \(lengthMax)
      )
      SELECT \(LotAttributesRow.columns) FROM line OFFSET 0
    ) found
    """

  /// Returns statements for the attributes of lots and their original lots, each with the requested lot.
  static func attributes(_ lots: [LotNumber], _: LaneLayout) -> [PostgresRequest] {
    [PostgresRequest("SELECT found.*, wanted FROM \(lines)", lots)]
  }

  /// Returns statements for the purchases that lots originate from, each with the requested lot.
  static func purchases(_ lots: [LotNumber], _: LaneLayout) -> [PostgresRequest] {
    [
      PostgresRequest(
        """
        SELECT paying.*, wanted FROM \(lines) CROSS JOIN LATERAL (
          SELECT \(PurchaseRow.columns) FROM \(PurchaseRow.source) WHERE purchase = found.purchase OFFSET 0
        ) paying
        """, lots)
    ]
  }
}
#endif
