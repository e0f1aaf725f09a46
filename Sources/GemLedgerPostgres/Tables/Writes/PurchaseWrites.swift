#if PostgreSQL
internal import GemLedger

/// Writes of purchases.
struct PurchaseWrites: SessionPart {
  let session: PostgresSession

  func requests(_ changes: borrowing ChangeSet) throws(LedgerError) -> [PostgresRequest] {
    let rows = changes.purchases
    guard !rows.isEmpty else { return [] }
    let frozen = try numbers(ofFrozenProducts: Set(rows.map(\.frozenProduct)))
    let numbers = rows.map { frozen[$0.frozenProduct] ?? 0 }
    for row in rows { prefetched?.purchaseOwners[row.number] = row.customer }
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

  /// The number of each frozen grant: made from the document, or the next one where another document has it.
  private func numbers(ofFrozenProducts documents: Set<String>) throws(LedgerError) -> [String: Int64] {
    var numbers: [String: Int64] = [:]
    var candidates: [(document: String, number: Int64)] = []
    for document in documents {
      let new = session.newFrozenProducts.first { $0.document == document }?.number
      if let known = memory.number(ofFrozenProduct: document) ?? new {
        numbers[document] = known
        continue
      }
      var hash = StableHash()
      hash.combine(document)
      candidates.append((document, Int64(bitPattern: hash.value)))
    }
    // In one order for all groups that add the same ones at once.
    candidates.sort { $0.number < $1.number }
    while !candidates.isEmpty {
      let found = try ask(
        candidates.map { Self.claim($0.document, $0.number) } + [Self.documents(candidates.map(\.number))])
      let rows = found[candidates.count]
      let documents = Dictionary(
        (0..<rows.count).map { (rows.integer($0, 0), rows.text($0, 1)) }
      ) { first, _ in first }
      var taken: [(document: String, number: Int64)] = []
      for (document, number) in candidates {
        if documents[number]?.utf8.elementsEqual(document.utf8) == true {
          session.newFrozenProducts.append((document, number))
          numbers[document] = number
        } else {
          taken.append((document, number &+ 1))
        }
      }
      candidates = taken
    }
    return numbers
  }

  private static func claim(_ document: String, _ number: Int64) -> PostgresRequest {
    PostgresRequest("INSERT INTO frozen_products (frozen_product, document) VALUES ($1, $2) ON CONFLICT DO NOTHING") {
      $0.add(number)
      $0.add(document)
    }
  }

  private static func documents(_ numbers: [Int64]) -> PostgresRequest {
    PostgresRequest("SELECT frozen_product, document FROM frozen_products WHERE frozen_product = ANY($1)") {
      $0.add(numbers) { $0 }
    }
  }
}
#endif
