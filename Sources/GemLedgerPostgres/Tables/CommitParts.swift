#if PostgreSQL
  internal import GemLedger

  /// What a group wrote on machines that may commit without each other.
  ///
  /// A lane's rows lie on one machine, beside the group's mark; each id lies by itself.
  struct CommitParts {
    /// New customers with the ids that they came with, and the ids that were added.
    let ids: [AddedIDRow]
    let transactions: [RowPlace]
    let purchases: [PurchaseRow]

    init(_ changes: borrowing ChangeSet) {
      let erased = Set(changes.rare?.erasures.flatMap(\.numbers) ?? [])
      let new = changes.customers.map { AddedIDRow(customer: $0.number, id: $0.id) }
      ids = (new + (changes.rare?.addedIDs ?? [])).filter { !erased.contains($0.customer) }
      transactions = changes.transactions.map { RowPlace($0.number, of: $0.customer) }
      purchases = changes.purchases
    }
  }

  extension PostgresTables {
    /// What is missing of a commit, or is there though the commit is not; nil where it is whole.
    ///
    /// - Parameter isThere: Whether the group's mark is.
    func half(of parts: CommitParts, _ isThere: Bool) throws(LedgerError) -> LedgerError? {
      let answers = try ask([
        PostgresRequest("SELECT id, customer FROM aliases WHERE id = ANY($1)") { $0.add(parts.ids, text: \.id.text) },
        PostgresRequest("SELECT customer FROM customers WHERE customer = ANY($1)") { $0.add(parts.ids, \.customer) },
        PostgresRequest("SELECT number FROM transactions WHERE customer = ANY($1) AND number = ANY($2)") {
          $0.add(parts.transactions, { $0.customer ?? 0 })
          $0.add(parts.transactions, \.number)
        },
        PostgresRequest(
          """
          SELECT store_transaction, environment, store, customer, purchase FROM store_transactions
          WHERE store_transaction = ANY($1) AND purchase <> 0
          """
        ) { $0.add(parts.purchases, text: \.identity.transactionID.text) },
      ])
      var named: [CustomerID: CustomerNumber] = [:]
      for row in 0..<answers[0].count {
        named[CustomerID(unchecked: answers[0].text(row, 0))] = answers[0].integer(row, 1)
      }
      let customers = Set((0..<answers[1].count).map { answers[1].integer($0, 0) })
      let booked = Set((0..<answers[2].count).map { answers[2].integer($0, 0) })
      for row in parts.ids {
        let isNamed = named[row.id] == row.customer
        if isThere, !customers.contains(row.customer) {
          return .halfCommit(place, "customer number \(row.customer) is missing")
        }
        if isThere, !isNamed {
          return .halfCommit(
            place, "customer number \(row.customer) is there, and the id \"\(row.id)\" does not name it")
        }
        // Somebody else may have made the customer since, under the same number.
        if !isThere, isNamed, !customers.contains(row.customer) {
          return .halfCommit(
            place, "the id \"\(row.id)\" names customer number \(row.customer), who is not there")
        }
      }
      guard isThere else { return nil }
      if let missing = parts.transactions.first(where: { !booked.contains($0.number) }) {
        return .halfCommit(place, "transaction number \(missing.number) is missing")
      }
      let credits = Dictionary(
        (0..<answers[3].count).map { (Self.identity(answers[3], $0), Self.storeClaim(answers[3], $0).purchase) },
        uniquingKeysWith: { first, _ in first })
      if let row = parts.purchases.first(where: { credits[$0.identity] != $0.number }) {
        return .halfCommit(
          place,
          "purchase number \(row.number) is there, and its store transaction \(row.identity.transactionID) is not")
      }
      return nil
    }
  }
#endif
