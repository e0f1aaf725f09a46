internal import GemLedger

/// Purchases with their frozen products, and the entitlements that they gave.
struct PurchaseTable {
  let statements: StatementRunner
  /// Used instead of a table: purchases with the documents of their frozen products, and with their newest refunds.
  ///
  /// A purchase without its document is damaged, but verify must see it.
  static let source = """
    (SELECT \(PurchaseRow.selection(splitsAccounts: false))
    FROM purchases p LEFT JOIN frozen_products f USING (frozen_product) LEFT JOIN refunds r
      ON r.transaction_number = (SELECT max(transaction_number) FROM refunds WHERE purchase = p.purchase))
    """

  /// Returns the purchases that the transactions of these customers credited.
  func credited(by keys: [IndexKey]) throws(LedgerError) -> [PurchaseRow] {
    var found: [PurchaseRow] = []
    for key in keys {
      guard let owner = key.owner else { continue }
      let number = try statements.first(
        "SELECT purchase FROM purchases WHERE customer = ?1 AND transaction_number = ?2 LIMIT 1",
        {
          $0.bind(1, owner)
          $0.bind(2, key.first)
        }, { $0.integer(0) })
      if let number { found += try statements.rows(PurchaseRow.byNumber, [IndexKey(number)]) }
    }
    return found
  }

  // MARK: Writing

  func add(_ row: PurchaseRow) throws(LedgerError) {
    try statements.run("INSERT INTO frozen_products (document) VALUES (?1) ON CONFLICT DO NOTHING", [row]) {
      $0.bind(1, $1.frozenProduct)
    }
    let statement = try statements.statement("INSERT with a frozen product", of: PurchaseRow.self) { names in
      let own = zip(names.names, 1...).filter { PurchaseRow.joinedColumns[$0.0] == nil }
      let document = zip(names.names, 1...).first { $0.0 == "document" }?.1 ?? 0
      return """
        INSERT INTO purchases (\(own.map(\.0).joined(separator: ", ")), frozen_product)
        SELECT \(own.map { "?\($0.1)" }.joined(separator: ", ")), frozen_product
        FROM frozen_products WHERE document = ?\(document)
        """
    }
    try statements.run(statement, [row])
  }
}
