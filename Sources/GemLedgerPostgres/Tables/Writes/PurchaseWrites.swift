#if PostgreSQL
internal import GemLedger

/// Writes of purchases.
struct PurchaseWrites: SessionPart {
  let session: PostgresSession

  func requests(_ changes: borrowing ChangeSet) throws(LedgerError) -> [PostgresRequest] {
    let rows = changes.purchases
    guard !rows.isEmpty else { return [] }
    var numbers: [Int64] = []
    for row in rows {
      numbers.append(try number(ofFrozenProduct: row.frozenProduct))
      prefetched?.purchaseOwners[row.number] = row.customer
    }
    return [
      PostgresRequest(
        """
        INSERT INTO store_transactions AS t (store_transaction, environment, store, customer, purchase)
        SELECT \(BulkInsert.lists(5))
        ON CONFLICT (store_transaction, environment, store)
          DO UPDATE SET customer = excluded.customer, purchase = excluded.purchase
        """
      ) {
        $0.add(rows, text: \.identity.transactionID.text)
        $0.add(rows, \.identity.environment)
        $0.add(rows, \.identity.store.number)
        $0.add(rows, \.customer)
        $0.add(rows, \.number)
      },
      PurchaseRow.insert(
        rows, except: Set(PurchaseRow.joinedColumns.keys), with: [("frozen_product", numbers)]),
    ]
  }

  /// The number of a purchase's frozen grant: made from the document, or the next one where another document has it.
  private func number(ofFrozenProduct document: String) throws(LedgerError) -> Int64 {
    if let known = memory.number(ofFrozenProduct: document) { return known }
    if let new = session.newFrozenProducts.first(where: { $0.document == document }) { return new.number }
    var hash = StableHash()
    hash.combine(document)
    var number = Int64(bitPattern: hash.value)
    while true {
      let candidate = number
      let found = try ask([
        PostgresRequest(
          "INSERT INTO frozen_products (frozen_product, document) VALUES ($1, $2) ON CONFLICT DO NOTHING"
        ) {
          $0.add(candidate)
          $0.add(document)
        },
        PostgresRequest("SELECT document FROM frozen_products WHERE frozen_product = $1") { $0.add(candidate) },
      ])
      if found[1].count == 1, found[1].text(0, 0).utf8.elementsEqual(document.utf8) {
        session.newFrozenProducts.append((document, number))
        return number
      }
      number &+= 1
    }
  }
}
#endif
