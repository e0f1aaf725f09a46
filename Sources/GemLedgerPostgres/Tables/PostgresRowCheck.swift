#if PostgreSQL
internal import GemLedger

extension PostgresScan {
  /// Finds orphaned rows after the other checks.
  func beginIntegrityCheck() throws(LedgerError) -> () throws(LedgerError) -> [String] {
    // The scan lives as long as the checked snapshot.
    { [session] () throws(LedgerError) in
      var queries = UnreadRows.queries(splitsAccounts: PostgresMigration.splitsAccounts)
      // Nodes of a cluster do not join rows of different nodes.
      queries.append(UnreadRows.unknown("store", in: "store_transactions", but: Store.all.map(\.number)))
      if session.layout.cluster == nil { queries += Self.ownTables }
      let answers = try session.ask(queries.map { PostgresRequest($0) })
      return answers.flatMap { rows in (0..<rows.count).map { rows.text($0, 0) } }
    }
  }

  /// Finds orphaned rows in tables that only this storage has.
  private static let ownTables = [
    """
    SELECT 'the id "' || id || '" is added to customer number ' || customer || ', whom it does not name'
    FROM added_ids i WHERE NOT EXISTS (SELECT 1 FROM aliases a WHERE a.id = i.id AND a.customer = i.customer)
    """,
    """
    SELECT 'customer number ' || merged || ' is listed as part of ' || customer || ' and is not'
    FROM merged_customers m
    WHERE NOT EXISTS (SELECT 1 FROM customers c WHERE c.customer = m.merged AND c.merged_into = m.customer)
    """,
    """
    SELECT 'the frozen product ' || frozen_product || ' is of no purchase' FROM frozen_products f
    WHERE NOT EXISTS (SELECT 1 FROM purchases p WHERE p.frozen_product = f.frozen_product)
    """,
    """
    SELECT 'store transaction ' || store_transaction || ' names purchase ' || purchase || ', which is not of it'
    FROM store_transactions s
    WHERE purchase <> 0 AND NOT EXISTS (
      SELECT 1 FROM purchases p WHERE p.purchase = s.purchase AND p.store_transaction = s.store_transaction
        AND p.environment = s.environment AND p.store = s.store)
    """,
    """
    SELECT 'the order code ' || code || ' names order ' || number || ', whose it is not' FROM purchase_codes c
    WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.number = c.number AND o.customer = c.customer AND o.code = c.code)
    """,
    """
    SELECT 'the attributes of lot ' || lot || ' are with customer number ' || customer || ', who is missing'
    FROM lot_attributes l WHERE NOT EXISTS (SELECT 1 FROM customers c WHERE c.customer = l.customer)
    """,
    """
    SELECT 'an entitlement names purchase ' || purchase || ', which is missing' FROM entitlement_holders e
    WHERE NOT EXISTS (SELECT 1 FROM purchases p WHERE p.purchase = e.purchase)
    """,
    """
    SELECT 'an entitlement of customer number ' || customer || ' names purchase ' || purchase || ', which is missing'
    FROM entitlements e WHERE NOT EXISTS (SELECT 1 FROM purchases p WHERE p.purchase = e.purchase)
    """,
  ]
}
#endif
