#if PostgreSQL
  internal import GemLedger

  // What few groups change. One statement a row where rows are few by nature.

  extension PostgresTables {
    func rare(_ changes: borrowing ChangeSet) throws(LedgerError) -> [PostgresRequest] {
      guard let rare = changes.rare else { return [] }
      var requests: [PostgresRequest] = []
      if !rare.lotTerms.isEmpty {
        let owners = Self.owners(ofNewLots: changes)
        requests.append(
          Self.terms(rare.lotTerms.flatMap { terms in (owners[terms.lot] ?? [0]).map { (terms, $0) } }))
      }
      requests += rare.changedCustomers.map(Self.change)
      requests += rare.addedIDs.flatMap(Self.add)
      requests += Self.merges(rare)
      requests += try refunds(rare)
      if !rare.refundEvidence.isEmpty { requests += rare.refundEvidence.map(Self.keep) }
      requests += effects(rare, changes.transactions)
      return requests
    }

    /// Everybody who had them in this group: a lot that was made and moved on in one group is named by entries of both.
    private static func owners(ofNewLots changes: borrowing ChangeSet) -> [LotNumber: Set<CustomerNumber>] {
      var owners: [LotNumber: Set<CustomerNumber>] = [:]
      for row in changes.newLots { owners[row.number, default: []].insert(row.account.customer) }
      for row in changes.newAccounts + changes.changedAccounts {
        owners[row.poolLot, default: []].insert(row.number.customer)
      }
      var customers: [EntryNumber: CustomerNumber] = [:]
      for entry in changes.entries {
        if entry.lot != 0 { owners[entry.lot, default: []].insert(entry.account.customer) }
        customers[entry.number] = entry.account.customer
      }
      for allocation in changes.allocations {
        if let customer = customers[allocation.entry] { owners[allocation.lot, default: []].insert(customer) }
      }
      return owners
    }

    // MARK: Customers

    private static func change(_ row: CustomerRow) -> PostgresRequest {
      PostgresRequest(
        "UPDATE customers SET frozen = $2, frozen_reason = $3, merged_into = $4, merged = $5 WHERE customer = $1"
      ) {
        $0.add(row.number)
        $0.add(row.frozen)
        $0.add(row.frozenReason?.text)
        $0.add(row.mergedInto)
        $0.add(row.merged)
      }
    }

    private static func add(_ row: AddedIDRow) -> [PostgresRequest] {
      ["aliases", "added_ids"].map { table in
        PostgresRequest("INSERT INTO \(table) (customer, id) VALUES ($1, $2)") {
          $0.add(row.customer)
          $0.add(row.id.text)
        }
      }
    }

    private static func merges(_ rare: RareChanges) -> [PostgresRequest] {
      var requests: [PostgresRequest] = []
      for row in rare.merges {
        requests.append(
          PostgresRequest(
            "INSERT INTO merges (customer, transaction_number, from_customer) VALUES ($1, $2, $3)"
          ) {
            $0.add(row.into)
            $0.add(row.transaction)
            $0.add(row.from)
          })
        requests.append(
          PostgresRequest("DELETE FROM merged_customers WHERE customer = $1") { $0.add(row.from) })
      }
      for row in rare.changedCustomers where row.mergedInto != 0 {
        requests.append(
          PostgresRequest("INSERT INTO merged_customers (customer, merged) VALUES ($1, $2) ON CONFLICT DO NOTHING") {
            $0.add(row.mergedInto)
            $0.add(row.number)
          })
      }
      return requests
    }

    // MARK: Refunds

    private func owner(of purchase: Int64) throws(LedgerError) -> CustomerNumber {
      if let known = prefetched?.purchaseOwners[purchase] { return known }
      guard let row = try self.purchase(number: purchase) else {
        throw LedgerError(.storageDamaged, "\(place) has no purchase \(purchase), which a refund names. Run verify.")
      }
      return row.customer
    }

    private func refunds(_ rare: RareChanges) throws(LedgerError) -> [PostgresRequest] {
      var requests: [PostgresRequest] = []
      for row in rare.refunds {
        let owner = try owner(of: row.purchase)
        requests.append(Self.refund(row, owner))
        for part in rare.refundParts where part.transaction == row.transaction {
          requests.append(Self.part(part, owner))
        }
      }
      for row in rare.refundStates { requests.append(Self.state(row, try owner(of: row.purchase))) }
      return requests
    }

    private static func refund(_ row: RefundRow, _ owner: CustomerNumber) -> PostgresRequest {
      PostgresRequest(
        """
        INSERT INTO refunds (customer, purchase, transaction_number, kind, revoked_at, signed_at, share, share_of,
          freezes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """
      ) {
        $0.add(owner)
        $0.add(row.purchase)
        $0.add(row.transaction)
        $0.add(row.kind.rawValue)
        $0.add(row.revokedAt.milliseconds)
        $0.add(row.signedAt.milliseconds)
        $0.add(row.share.part)
        $0.add(row.share.whole)
        $0.add(row.freezes)
      }
    }

    private static func part(_ row: RefundPartRow, _ owner: CustomerNumber) -> PostgresRequest {
      PostgresRequest(
        """
        INSERT INTO refund_parts (customer, transaction_number, position, lot, kind, source_lot, amount)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """
      ) {
        $0.add(owner)
        $0.add(row.transaction)
        $0.add(row.position)
        $0.add(row.lot)
        $0.add(row.kind.rawValue)
        $0.add(row.source)
        $0.add(row.amount)
      }
    }

    private static func state(_ row: RefundStateRow, _ owner: CustomerNumber) -> PostgresRequest {
      PostgresRequest(
        """
        INSERT INTO refund_states (customer, purchase, share, share_of, evidence_at, transaction_number)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (customer, purchase) DO UPDATE SET share = excluded.share, share_of = excluded.share_of,
          evidence_at = excluded.evidence_at, transaction_number = excluded.transaction_number
        """
      ) {
        $0.add(owner)
        $0.add(row.purchase)
        $0.add(row.share.part)
        $0.add(row.share.whole)
        $0.add(row.evidenceAt.milliseconds)
        $0.add(row.transaction)
      }
    }

    private static func keep(_ row: RefundEvidenceRow) -> PostgresRequest {
      PostgresRequest(
        """
        INSERT INTO refund_evidence (store_transaction, environment, store, kind, revoked_at, signed_at, extent_kind,
          extent) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (store_transaction, environment, store, kind, revoked_at)
          DO UPDATE SET signed_at = excluded.signed_at, extent_kind = excluded.extent_kind, extent = excluded.extent
        """
      ) {
        $0.add(row.identity.transactionID.text)
        $0.add(row.identity.environment)
        $0.add(row.identity.store.number)
        $0.add(row.kind.rawValue)
        $0.add(row.revokedAt.milliseconds)
        $0.add(row.signedAt.milliseconds)
        $0.add(row.extent.stored.kind)
        $0.add(row.extent.stored.amount)
      }
    }

    // MARK: Orders

    func orders(_ changes: OrderChanges) -> [PostgresRequest] {
      var requests = changes.new.flatMap(Self.add) + changes.changed.map(Self.change)
      for row in changes.accountTokens {
        requests.append(
          PostgresRequest("INSERT INTO account_tokens (high, low, customer) VALUES ($1, $2, $3)") {
            $0.add(row.token.high)
            $0.add(row.token.low)
            $0.add(row.customer)
          })
      }
      return requests + changes.entitlements.flatMap(hold)
    }

    private static func add(_ row: OrderRow) -> [PostgresRequest] {
      let claim = PostgresRequest("INSERT INTO purchase_codes (code, customer, number) VALUES ($1, $2, $3)") {
        $0.add(row.code.text)
        $0.add(row.customer)
        $0.add(row.number)
      }
      let order = PostgresRequest(
        """
        INSERT INTO orders (customer, number, code, store, product, quantity, request, key, state, purchase, created_at,
          updated_at, deadline, due_at, delivery_attempts)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
        """
      ) {
        $0.add(row.customer)
        $0.add(row.number)
        $0.add(row.code.text)
        $0.add(row.store.number)
        $0.add(row.product.text)
        $0.add(row.quantity)
        $0.add(row.request)
        $0.add(row.key?.text)
        $0.add(row.state.rawValue)
        $0.add(row.purchase)
        $0.add(row.createdAt.milliseconds)
        $0.add(row.updatedAt.milliseconds)
        $0.add(row.deadline.milliseconds)
        $0.add(row.dueAt)
        $0.add(row.deliveryAttempts)
      }
      return [claim, order]
    }

    private static func change(_ row: OrderRow) -> PostgresRequest {
      PostgresRequest(
        """
        UPDATE orders SET state = $3, purchase = $4, updated_at = $5, due_at = $6, delivery_attempts = $7
        WHERE customer = $1 AND number = $2
        """
      ) {
        $0.add(row.customer)
        $0.add(row.number)
        $0.add(row.state.rawValue)
        $0.add(row.purchase)
        $0.add(row.updatedAt.milliseconds)
        $0.add(row.dueAt)
        $0.add(row.deliveryAttempts)
      }
    }

    private func hold(_ row: EntitlementRow) -> [PostgresRequest] {
      var requests: [PostgresRequest] = []
      if let before = prefetched?.holders[row.purchase] {
        requests.append(
          PostgresRequest("DELETE FROM entitlements WHERE customer = $1 AND purchase = $2") {
            $0.add(before)
            $0.add(row.purchase)
          })
      }
      let holder = PostgresRequest(
        """
        INSERT INTO entitlement_holders (purchase, holder) VALUES ($1, $2)
        ON CONFLICT (purchase) DO UPDATE SET holder = excluded.holder
        """
      ) {
        $0.add(row.purchase)
        $0.add(row.holder)
      }
      let entitlement = PostgresRequest(
        "INSERT INTO entitlements (customer, purchase) VALUES ($1, $2) ON CONFLICT DO NOTHING"
      ) {
        $0.add(row.holder)
        $0.add(row.purchase)
      }
      return requests + [holder, entitlement]
    }

    // MARK: Catalog

    /// - Parameter instant: When the new version comes into force; nil where the versions are written apart.
    func catalog(_ rows: [CatalogRow], at instant: Timestamp?) throws(LedgerError) -> [PostgresRequest] {
      let version = try catalogVersion() + 1
      let replace = PostgresRequest(
        "INSERT INTO catalog (kind, code, position, document) SELECT * FROM unnest($1, $2, $3, $4)"
      ) {
        $0.add(rows, \.kind.rawValue)
        $0.add(rows, text: \.code)
        $0.add(rows, \.position)
        $0.add(rows, text: \.document)
      }
      guard let instant else { return [PostgresRequest("DELETE FROM catalog"), replace] }
      let count = PostgresRequest("INSERT INTO catalog_versions (version, applied_at) VALUES ($1, $2)") {
        $0.add(version)
        $0.add(instant.milliseconds)
      }
      let lanes = (group?.lanes ?? []).map { lane in
        PostgresRequest("UPDATE lanes SET catalog_version = $2 WHERE customer = $1") {
          $0.add(layout.heads[lane])
          $0.add(version)
        }
      }
      return [PostgresRequest("DELETE FROM catalog"), replace, count] + lanes
    }
  }
#endif
