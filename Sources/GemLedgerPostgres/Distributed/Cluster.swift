#if PostgreSQL
internal import GemLedger

/// A distributed engine (Citus) with the customers of each lane on one shard: the one switch for its differences.
///
/// It does not join lists with its tables, cannot follow a reference to another node within a statement, and needs
/// the customers of each table in the query.
struct Cluster: Hashable, Sendable {
  /// For each lane its value in the column `lane`, each on a separate shard.
  let keys: [Int32]
  /// Whether ``WriteFunction`` exists, and the role may call it.
  var hasWriteFunction = false

  /// Returns the lane of a customer's number or of a lane row.
  ///
  /// A ledger is usually distributed when it already has customers with numbers from few lanes. So the lane depends on
  /// the whole number, not on the lane that assigned it.
  func lane(of customer: CustomerNumber) -> Int {
    customer < 0 ? min(keys.count - 1, Int(-1 - customer)) : LaneHash.lane(of: customer, count: keys.count)
  }

  /// Returns the value of the column `lane` in the customer's rows.
  func key(of customer: CustomerNumber) -> Int32 { keys[lane(of: customer)] }

  /// Returns the distinct lanes of the customers.
  func keys(of customers: [CustomerNumber]) -> [Int32] { Set(customers.map(key)).sorted() }

  /// The settings of a connection: one per node, so that all reads of a node in one transaction see one snapshot.
  static let settings = ["SET citus.max_adaptive_executor_pool_size = 1"]
}

// MARK: Statements

extension Cluster {
  /// Returns statements for the rows at addresses, each for keys of one lane.
  func requests(_ source: IndexSource, _ keys: [RowAddress]) -> [PostgresRequest] {
    let conditions = ["customer = ANY($1)", "\(source.number) = ANY($2)"] + source.conditions
    let sql = """
      SELECT \(source.columns), customer, \(source.number) FROM \(source.table)
      WHERE \(conditions.joined(separator: " AND "))\(source.sorting)
      """
    return pages(keys).map { keys in
      PostgresRequest(sql, Array(Set(keys.map { $0.customer ?? 0 })), Array(Set(keys.map(\.number))))
    }
  }

  /// Splits the keys into pages of one node each, with all keys of a customer together: no two pages give the same row.
  private func pages(_ keys: [RowAddress]) -> [[RowAddress]] {
    var pages: [[RowAddress]] = []
    for keys in Dictionary(grouping: keys, by: { lane(of: $0.customer ?? 0) }).values {
      var page: [RowAddress] = []
      for keys in Dictionary(grouping: keys, by: \.customer).values {
        page += keys
        guard page.count >= 32 else { continue }
        pages.append(page)
        page = []
      }
      if !page.isEmpty { pages.append(page) }
    }
    return pages
  }

  func pages(ofEntriesUpTo keys: [RowAddress]) -> [PostgresRequest] {
    keys.map { key in
      PostgresRequest(EntryStatements.page("$1", "$2"), key.customer ?? 0, key.number)
    }
  }

  /// Returns statements that search transactions in all lanes, by the lanes that assigned their numbers.
  func locating(_ numbers: [TransactionNumber]) -> [PostgresRequest] {
    Dictionary(grouping: numbers, by: Numbering.lane).map { lane, numbers in
      PostgresRequest("\(LocatingStatements.select) WHERE (t.number & 63) = $1 AND t.number = ANY($2)", lane, numbers)
    }
  }

  /// Returns statements that search transactions only in the lanes that assigned their numbers.
  ///
  /// A group of one lane assigns numbers there, so usually one shard responds. Transactions from before the
  /// distribution, and of groups over several lanes, may be in any other lane.
  func locatingInDrawingLanes(_ numbers: [TransactionNumber]) -> [PostgresRequest] {
    let known = numbers.filter { Numbering.lane(of: $0) < keys.count }
    return Dictionary(grouping: known, by: Numbering.lane).map { lane, numbers in
      PostgresRequest(
        "\(LocatingStatements.select) WHERE t.lane = $1 AND (t.number & 63) = $2 AND t.number = ANY($3)"
      ) {
        $0.add(lane: keys[Int(lane)])
        $0.add(lane)
        $0.add(numbers) { $0 }
      }
    }
  }

  /// Returns a statement that claims all of the store transactions.
  func touching(_ claims: [PurchaseIdentity]) -> [PostgresRequest] {
    [
      PostgresRequest(
        """
        INSERT INTO store_transactions AS t (store_transaction, environment, store, customer, purchase)
        SELECT \(BulkInsert.lists(3)), 0, 0 \(StoreClaims.touching)
        """, claims.map(\.transactionID.text), claims.map(\.environment), claims.map(\.store.number))
    ]
  }
}
#endif
