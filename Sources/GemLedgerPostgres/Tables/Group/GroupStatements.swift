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
    ofOneShard(customers, layout).map { customers in
      PostgresRequest(
        """
        SELECT c.customer, id, created_at, frozen, frozen_reason, merged_into, merged_count, erased_by, a.*
        FROM customers c LEFT JOIN (
          SELECT \(AccountRow.columns) FROM accounts\(layout.isDistributed ? " WHERE customer = ANY($1)" : "")
        ) a ON a.customer = c.customer
        WHERE c.customer = ANY($1)
        """
      ) { $0.add(customers) { $0 } }
    }
  }

  /// Returns statements for the first page of each class of open lots; an account without lots costs one row read.
  static func firstLots(_ customers: [CustomerNumber], _ layout: LaneLayout) -> [PostgresRequest] {
    func page(_ isPaid: Bool) -> String {
      """
      (SELECT \(LotRow.columns) FROM lots
        WHERE a.open_lots > 0 AND customer = a.customer AND customer = ANY($1) AND currency = a.currency
          AND (source = 1) = \(isPaid) AND remaining > 0
        ORDER BY expires_at, lot LIMIT \(GroupRows.lotsPerPage))
      """
    }
    let sql = """
      SELECT l.* FROM accounts a CROSS JOIN LATERAL (\(page(false)) UNION ALL \(page(true))) l
      WHERE a.customer = ANY($1)
      """
    return ofOneShard(customers, layout).map { customers in PostgresRequest(sql) { $0.add(customers) { $0 } } }
  }

  static func heldEvents(_ customers: [CustomerNumber], _ layout: LaneLayout) -> [PostgresRequest] {
    let columns = JournalEventRow.columns.named(in: "e")
    return ofOneShard(customers, layout).map { customers in
      PostgresRequest(
        """
        SELECT \(columns) FROM open_holds h JOIN journal_events e ON e.customer = h.customer AND e.target = h.hold
        WHERE h.customer = ANY($1) AND e.customer = ANY($1) AND h.lot IS NULL AND e.target <> 0
        """
      ) { $0.add(customers) { $0 } }
    }
  }

  private static func ofOneShard(_ customers: [CustomerNumber], _ layout: LaneLayout) -> [[CustomerNumber]] {
    guard layout.isDistributed else { return [customers.sorted()] }
    return Dictionary(grouping: customers, by: layout.lane(of:)).values.map { $0.sorted() }
  }

  static func ownedItems(_ keys: [GroupRows.OwnedItem], _: LaneLayout) -> [PostgresRequest] {
    Dictionary(grouping: keys, by: \.item).map { item, keys in
      PostgresRequest("SELECT customer, item, quantity FROM owned_items WHERE customer = ANY($1) AND item = $2") {
        $0.add(keys, \.customer)
        $0.add(item.text)
      }
    }
  }
}

/// Statements for entries.
enum EntryStatements {
  /// Returns statements for entries with their previous entries, including those in other currencies.
  static func pages(_ keys: [RowAddress], _ layout: LaneLayout) -> [PostgresRequest] {
    func page(_ owner: String, _ number: String) -> String {
      """
      SELECT \(EntryRow.columns), customer AS owner, \(number) AS wanted FROM entries
      WHERE customer = \(owner) AND number <= \(number) ORDER BY number DESC LIMIT \(CheckpointRow.interval)
      """
    }
    // A distributed engine does not join lists with its tables.
    guard !layout.isDistributed else {
      let sql = page("$1", "$2")
      return keys.map { key in
        PostgresRequest(sql) {
          $0.add(key.customer ?? 0)
          $0.add(key.number)
        }
      }
    }
    return [
      PostgresRequest(
        """
        SELECT found.* FROM (SELECT unnest($1) AS owner, unnest($2) AS wanted) places
        CROSS JOIN LATERAL (\(page("places.owner", "places.wanted"))) found
        """
      ) {
        $0.add(keys) { $0.customer ?? 0 }
        $0.add(keys, \.number)
      }
    ]
  }
}

/// Statements for transactions of unknown customers.
enum LocatingStatements {
  private static let columns =
    "\(TransactionRow.columns.named(in: "t")), c.merged_into"
  private static let tables = "transactions t LEFT JOIN customers c ON c.customer = t.customer"
  static let select = "SELECT \(columns) FROM \(tables)"

  static func requests(_ numbers: [TransactionNumber], _ layout: LaneLayout) -> [PostgresRequest] {
    guard !numbers.isEmpty else { return [] }
    guard layout.isDistributed else { return [oneStepEach(numbers, select)] }
    return Dictionary(grouping: numbers, by: Numbering.lane).map { lane, numbers in
      PostgresRequest("\(select) WHERE (t.number & 63) = $1 AND t.number = ANY($2)") {
        $0.add(lane)
        $0.add(numbers) { $0 }
      }
    }
  }

  /// Returns statements for the entries of the transactions under the transactions' customers.
  static func entries(_ numbers: [TransactionNumber], _: LaneLayout) -> [PostgresRequest] {
    [oneStepEach(numbers, rows(EntryRow.columns, "entries", by: "number"))]
  }

  static func allocations(_ numbers: [TransactionNumber], _: LaneLayout) -> [PostgresRequest] {
    [oneStepEach(numbers, rows(AllocationRow.columns, "allocations", by: "entry"))]
  }

  private static func rows(_ columns: String, _ table: String, by entry: String) -> String {
    """
    SELECT \(columns.named(in: "r")) FROM transactions t JOIN \(table) r
      ON r.customer = t.customer AND r.\(entry) >= t.number << 12 AND r.\(entry) < (t.number + 1) << 12
    """
  }

  /// Returns a request with one index step for each transaction, through the index of the lanes' numbers.
  private static func oneStepEach(_ numbers: [TransactionNumber], _ select: String) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT found.* FROM (SELECT unnest($1) AS lane, unnest($2) AS wanted) places CROSS JOIN LATERAL (
        \(select) WHERE (t.number & 63) = lane AND t.number = wanted OFFSET 0
      ) found
      """
    ) {
      $0.add(numbers, Numbering.lane)
      $0.add(numbers) { $0 }
    }
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

  /// Returns statements for the attributes of lots and their original lots, each with the requested lot.
  static func attributes(_ lots: [LotNumber], _: LaneLayout) -> [PostgresRequest] {
    [oneWalkEach(lots, "SELECT \(LotAttributesRow.columns) FROM line")]
  }

  static func purchases(_ lots: [LotNumber], _: LaneLayout) -> [PostgresRequest] {
    [
      oneWalkEach(
        lots,
        """
        SELECT \(PurchaseRow.selection) FROM line JOIN (\(PurchaseRow.tables)) ON p.purchase = line.purchase
        WHERE \(PurchaseRow.isNewestRefund)
        """)
    ]
  }

  private static func oneWalkEach(_ lots: [LotNumber], _ select: String) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT found.*, wanted FROM unnest($1) AS wanted CROSS JOIN LATERAL (
        WITH RECURSIVE line AS (
          SELECT \(LotAttributesRow.columns), 1 AS length FROM lot_attributes WHERE lot = wanted
          UNION SELECT \(LotAttributesRow.columns.named(in: "a")), line.length + 1
          FROM line JOIN lot_attributes a ON a.lot = line.original_lot
          WHERE line.purchase IS NULL AND line.original_lot <> 0
            AND line.source IN (\(LotSource.paid.rawValue), \(LotSource.bonus.rawValue)) AND line.length < \(lengthMax)
        )
        \(select) OFFSET 0
      ) found
      """
    ) { $0.add(lots) { $0 } }
  }
}

/// Statements for purchases of unknown customers, and for orders.
enum PurchaseStatements {
  static func byNumbers(_ numbers: [Int64], _: LaneLayout) -> [PostgresRequest] {
    [
      PostgresRequest(
        """
        SELECT \(PurchaseRow.selection) FROM \(PurchaseRow.tables)
        WHERE p.purchase = ANY($1) AND \(PurchaseRow.isNewestRefund)
        """
      ) { $0.add(numbers) { $0 } }
    ]
  }

  static func ordersByCodes(_ codes: [PurchaseCode], _: LaneLayout) -> [PostgresRequest] {
    let columns = OrderRow.columns.named(in: "o")
    return [
      PostgresRequest(
        """
        SELECT \(columns), c.code FROM purchase_codes c
        JOIN orders o ON o.customer = c.customer AND o.number = c.number WHERE c.code = ANY($1)
        """
      ) { $0.add(codes, text: \.text) }
    ]
  }
}
#endif
