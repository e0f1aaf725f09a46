#if PostgreSQL
internal import GemLedger

/// Writes of purchases.
struct PurchaseWrites: SessionPart {
  let session: PostgresSession

  func requests(_ changes: borrowing ChangeSet) throws(LedgerError) -> [PostgresRequest] {
    let rows = changes.purchases
    guard !rows.isEmpty else { return [] }
    let frozen = try numbers(ofFrozenProducts: Set(rows.map { ByteString($0.frozenProduct) }))
    let numbers = try rows.gather { (row) throws(LedgerError) in
      guard let number = frozen[ByteString(row.frozenProduct)] else { throw .defect("A frozen product has no number") }
      return number
    }
    for row in rows { prefetched?.purchaseOwners[row.number] = row.customer }
    return [
      PostgresRequest(
        """
        INSERT INTO store_transactions AS t (store_transaction, environment, store, customer, purchase)
        SELECT \(BulkInsert.lists(5))
        ON CONFLICT (store_transaction, environment, store)
          DO UPDATE SET customer = excluded.customer, purchase = excluded.purchase
        """, rows.map(\.identity.transactionID.text), rows.map(\.identity.environment),
        rows.map(\.identity.store.number), rows.map(\.customer), rows.map(\.number)),
      PurchaseRow.insert(
        rows, except: Set(PurchaseRow.joinedColumns.keys), with: [("frozen_product", numbers)]),
    ]
  }

  /// Returns the number of each frozen grant: a hash of the document, or the next number if another document has it.
  private func numbers(ofFrozenProducts documents: Set<ByteString>) throws(LedgerError) -> [ByteString: Int64] {
    var numbers: [ByteString: Int64] = [:]
    var candidates: [(document: ByteString, number: Int64)] = []
    for document in documents {
      if let known = memory.number(ofFrozenProduct: document) ?? session.newFrozenProducts[document] {
        numbers[document] = known
        continue
      }
      var hash = StableHash()
      hash.combine(document.text)
      candidates.append((document, Int64(bitPattern: hash.value)))
    }
    // In one order for all groups that add the same documents at once.
    candidates.sort { $0.number < $1.number }
    while !candidates.isEmpty {
      let stored = try claim(candidates)
      for (document, number) in candidates where stored[number] == document {
        session.newFrozenProducts[document] = number
        numbers[document] = number
      }
      candidates = candidates.filter { stored[$0.number] != $0.document }.map { ($0.document, $0.number &+ 1) }
    }
    return numbers
  }

  /// Adds the documents under free numbers, and returns the documents that have these numbers.
  private func claim(
    _ candidates: [(document: ByteString, number: Int64)]
  ) throws(LedgerError) -> [Int64: ByteString] {
    let answers = try ask([
      PostgresRequest(
        "INSERT INTO frozen_products (frozen_product, document) SELECT unnest($1), unnest($2) ON CONFLICT DO NOTHING",
        candidates.map(\.number), candidates.map(\.document.text)),
      PostgresRequest(
        "SELECT frozen_product, document FROM frozen_products WHERE frozen_product = ANY($1)",
        candidates.map(\.number)),
    ])
    let rows = answers[1]
    return Dictionary((0..<rows.count).map { (rows.integer($0, 0), ByteString(rows.text($0, 1))) }) { first, _ in first
    }
  }
}
#endif
