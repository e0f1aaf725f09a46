#if PostgreSQL
  internal import GemLedger

  // A group's end: all rows in bulk, and the commit, in one round trip.

  extension PostgresTables {
    func write(_ changes: borrowing ChangeSet) throws(LedgerError) {
      guard let group else { throw .defect("A reader was asked to write") }
      let heads = try group.heads(self)
      for (purchase, owner) in changes.copy?.purchaseOwners ?? [:] { prefetched?.purchaseOwners[purchase] = owner }
      var requests: [PostgresRequest] = []
      let erasures = changes.rare?.erasures ?? []
      let ids = erasures.flatMap { $0.former + $0.added.map(\.id) }
      if !erasures.isEmpty { requests.append(Self.freeing(ids, of: erasures.flatMap(\.numbers))) }
      requests += Self.customers(changes)
      requests += common(changes, heads, group)
      requests += Self.journal(changes)
      requests += try purchases(changes)
      requests += try projections(changes)
      requests += try rare(changes)
      if !changes.orders.isEmpty { requests += orders(changes.orders) }
      if let rows = changes.catalog {
        requests += try catalog(rows, at: changes.copy == nil ? changes.catalogAppliedAt : nil)
      }
      if let copy = changes.copy { requests += copied(copy) }
      if !erasures.isEmpty { requests += Self.erasing(erasures, changes) }
      if group.isFirstOfWriter { requests.append(sweepOfMarks(group)) }
      requests.append(PostgresRequest("COMMIT"))
      do throws(LedgerError) {
        _ = try ask(layout.isDistributed ? requests.flatMap(BulkInsert.noted) : requests)
      } catch {
        guard let failure, failure.isConnectionLost, let wasCommitted else { throw error }
        // Where a node behind the server was lost the transaction is open still, and holds the lane.
        if connection.isOpen { _ = try? connection.execute(["ROLLBACK"]) }
        let mayBeHalf = layout.isDistributed || failure.isOfUnknownCompletion
        guard try wasCommitted(mayBeHalf ? CommitParts(changes) : nil) else { throw error }
      }
      noteEnd()
      group.isCommitted = true
      remember(changes)
      for id in ids + (changes.rare?.idChanges.ids ?? []) { memory.directory.forget(id) }
    }

    private func remember(_ changes: borrowing ChangeSet) {
      memory.remember(changes.environments)
      for (document, number) in newTerms { memory.remember(terms: document, number: number) }
      if let rare = changes.rare {
        memory.directory.remember(rare.merges)
      }
      if changes.copy == nil {
        // Whoever began a hold most likely comes back for it.
        memory.directory.remember(
          changes.transactions.filter { $0.kind == .hold }.map { row in
            CustomerDirectory.LocatedTransaction(
              row: row, place: CustomerDirectory.Place(origin: row.customer, root: row.customer))
          }, since: epoch)
      }
      memory.directory.remember(
        changes.customers.map { ($0.id, CustomerDirectory.Place(origin: $0.number, root: $0.number)) })
    }

    // MARK: Customers

    private static func customers(_ changes: borrowing ChangeSet) -> [PostgresRequest] {
      var requests: [PostgresRequest] = []
      if !changes.environments.isEmpty {
        let rows = changes.environments
        requests.append(
          PostgresRequest("INSERT INTO environments (environment, kind, session) SELECT \(BulkInsert.lists(3))") {
            $0.add(rows, \.number)
            $0.add(rows, \.environment.kind.rawValue)
            $0.add(rows, text: \.environment.session)
          })
      }
      if !changes.customers.isEmpty {
        let rows = changes.customers.sorted { $0.id < $1.id }
        requests.append(
          PostgresRequest("INSERT INTO aliases (id, customer) SELECT \(BulkInsert.lists(2))") {
            $0.add(rows, text: \.id.text)
            $0.add(rows, \.number)
          })
        requests.append(
          PostgresRequest("INSERT INTO customers (customer, id, created_at) SELECT \(BulkInsert.lists(3))") {
            $0.add(rows, \.number)
            $0.add(rows, text: \.id.text)
            $0.add(rows, \.createdAt.milliseconds)
          })
      }
      return requests
    }

    // MARK: Journal, beside transactions and entries

    private static func journal(_ changes: borrowing ChangeSet) -> [PostgresRequest] {
      var requests: [PostgresRequest] = []
      let owners = Owners(changes)
      let (allocations, notes, items) = (changes.allocations, changes.notes, changes.itemEntries)
      if !allocations.isEmpty {
        requests.append(
          PostgresRequest(
            "INSERT INTO allocations (customer, entry, position, lot, amount) SELECT \(BulkInsert.lists(5))"
          ) {
            $0.add(allocations, { owners.entries[$0.entry] ?? 0 })
            $0.add(allocations, \.entry)
            $0.add(allocations, \.position)
            $0.add(allocations, \.lot)
            $0.add(allocations, \.amount)
          })
      }
      if !notes.isEmpty {
        requests.append(
          PostgresRequest(
            """
            INSERT INTO notes (customer, transaction_number, reference, reason, actor)
            SELECT \(BulkInsert.lists(5))
            """
          ) {
            $0.add(notes, { owners.transactions[$0.transaction] ?? 0 })
            $0.add(notes, \.transaction)
            $0.add(notes, text: \.reference?.text)
            $0.add(notes, text: \.reason?.text)
            $0.add(notes, text: \.actor?.text)
          })
      }
      if !items.isEmpty { requests += self.items(items) }
      return requests
    }

    /// Whose the rows are that name a transaction or an entry of the group.
    private struct Owners {
      var transactions: [TransactionNumber: CustomerNumber] = [:]
      var entries: [EntryNumber: CustomerNumber] = [:]

      init(_ changes: borrowing ChangeSet) {
        if !changes.notes.isEmpty {
          for row in changes.transactions { transactions[row.number] = row.customer }
        }
        if !changes.allocations.isEmpty {
          for row in changes.entries { entries[row.number] = row.account.customer }
        }
      }
    }

    private static func items(_ rows: [ItemEntryRow]) -> [PostgresRequest] {
      // One row an item and customer: the last says what is owned.
      var owned: [[String]: ItemEntryRow] = [:]
      for row in rows { owned[[String(row.customer), row.item.text]] = row }
      let last = Array(owned.values)
      return [
        PostgresRequest(
          """
          INSERT INTO item_entries (customer, transaction_number, item, quantity, owned)
          SELECT \(BulkInsert.lists(5))
          """
        ) {
          $0.add(rows, \.customer)
          $0.add(rows, \.transaction)
          $0.add(rows, text: \.item.text)
          $0.add(rows, \.quantity)
          $0.add(rows, \.owned)
        },
        PostgresRequest(
          """
          INSERT INTO owned_items (customer, item, quantity) SELECT \(BulkInsert.lists(3))
          ON CONFLICT (customer, item) DO UPDATE SET quantity = excluded.quantity
          """
        ) {
          $0.add(last, \.customer)
          $0.add(last, text: \.item.text)
          $0.add(last, \.owned)
        },
      ]
    }

    // MARK: Purchases

    private func purchases(_ changes: borrowing ChangeSet) throws(LedgerError) -> [PostgresRequest] {
      let rows = changes.purchases
      guard !rows.isEmpty else { return [] }
      var numbers: [Int64] = []
      for row in rows {
        numbers.append(try number(ofTerms: row.terms))
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
        PostgresRequest(
          """
          INSERT INTO purchases (customer, purchase, store, environment, store_transaction, transaction_number, product,
            quantity, price, price_currency, purchased_at, terms, original_transaction, expires_at,
            grant_currency, grant_lot, grant_amount)
          SELECT \(BulkInsert.lists(17))
          """
        ) {
          $0.add(rows, \.customer)
          $0.add(rows, \.number)
          $0.add(rows, \.identity.store.number)
          $0.add(rows, \.identity.environment)
          $0.add(rows, text: \.identity.transactionID.text)
          $0.add(rows, \.transaction)
          $0.add(rows, text: \.product.text)
          $0.add(rows, \.quantity)
          $0.add(rows, optional: \.price?.minorUnits)
          $0.add(rows, text: \.price?.currency)
          $0.add(rows, \.purchasedAt.milliseconds)
          $0.add(numbers, { $0 })
          $0.add(rows, text: \.originalTransactionID?.text)
          $0.add(rows, optional: \.expiresAt?.milliseconds)
          $0.add(rows, optional: \.grant?.currency)
          $0.add(rows, optional: \.grant?.lot)
          $0.add(rows, optional: \.grant?.amount)
        },
      ]
    }

    /// The number of a product's terms: made from the document, or the next one where another document has it.
    private func number(ofTerms document: String) throws(LedgerError) -> Int64 {
      if let known = memory.number(ofTerms: document) { return known }
      if let new = newTerms.first(where: { $0.document == document }) { return new.number }
      var hash = StableHash()
      hash.combine(document)
      var number = Int64(bitPattern: hash.value)
      while true {
        let candidate = number
        let found = try ask([
          PostgresRequest(
            "INSERT INTO purchase_terms (terms, document) VALUES ($1, $2) ON CONFLICT DO NOTHING"
          ) {
            $0.add(candidate)
            $0.add(document)
          },
          PostgresRequest("SELECT document FROM purchase_terms WHERE terms = $1") { $0.add(candidate) },
        ])
        if found[1].count == 1, found[1].text(0, 0).utf8.elementsEqual(document.utf8) {
          newTerms.append((document, number))
          return number
        }
        number &+= 1
      }
    }
  }
#endif
