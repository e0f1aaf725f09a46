#if PostgreSQL
  internal import GemLedger

  // What few groups change. One statement a row only where rows are few by nature: lists of refunds, merges and
  // erasures are as long as any.

  extension PostgresTables {
    func rare(_ changes: borrowing ChangeSet) throws(LedgerError) -> [PostgresRequest] {
      guard let rare = changes.rare else { return [] }
      var requests: [PostgresRequest] = []
      if !rare.lotTerms.isEmpty {
        let owners = Self.owners(ofLotsOf: changes)
        requests.append(
          Self.terms(rare.lotTerms.flatMap { terms in (owners[terms.lot] ?? [0]).map { (terms, $0) } }))
      }
      if !rare.changedCustomers.isEmpty { requests.append(Self.change(rare.changedCustomers)) }
      if !rare.addedIDs.isEmpty { requests += Self.add(rare.addedIDs) }
      if !rare.idChanges.isEmpty { requests += Self.change(rare.idChanges) }
      requests += Self.merges(rare)
      requests += try refunds(rare)
      if !rare.refundEvidence.isEmpty { requests.append(Self.keep(rare.refundEvidence)) }
      requests += effects(rare, changes.transactions)
      return requests
    }

    /// Everybody who had them in this group: a lot that was made and moved on in one group is named by entries of both.
    static func owners(ofLotsOf changes: borrowing ChangeSet) -> [LotNumber: Set<CustomerNumber>] {
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

    /// The last row of each key.
    private static func last<Row, Key: Hashable>(_ rows: [Row], of key: (Row) -> Key) -> [Row] {
      Array(Dictionary(rows.map { (key($0), $0) }) { _, last in last }.values)
    }

    private static func change(_ rows: [CustomerRow]) -> PostgresRequest {
      let rows = last(rows, of: \.number).sorted { $0.number < $1.number }
      return PostgresRequest(
        """
        INSERT INTO customers (\(customerColumns)) SELECT \(BulkInsert.lists(7))
        ON CONFLICT (customer) DO UPDATE SET frozen = excluded.frozen, frozen_reason = excluded.frozen_reason,
          merged_into = excluded.merged_into, merged_count = excluded.merged_count
        """
      ) {
        $0.add(rows, \.number)
        $0.add(rows, text: \.id.text)
        $0.add(rows, \.createdAt.milliseconds)
        $0.add(rows, \.frozen)
        $0.add(rows, text: \.frozenReason?.text)
        $0.add(rows, \.mergedInto)
        $0.add(rows, \.merged)
      }
    }

    private static func add(_ rows: [AddedIDRow]) -> [PostgresRequest] {
      ["aliases", "added_ids"].map { table in
        PostgresRequest("INSERT INTO \(table) (customer, id) SELECT \(BulkInsert.lists(2))") {
          $0.add(rows, \.customer)
          $0.add(rows, text: \.id.text)
        }
      }
    }

    private static func merges(_ rare: RareChanges) -> [PostgresRequest] {
      var requests: [PostgresRequest] = []
      let (rows, merged) = (rare.merges, rare.changedCustomers.filter { $0.mergedInto != 0 })
      if !rows.isEmpty {
        requests.append(
          PostgresRequest(
            "INSERT INTO merges (customer, transaction_number, from_customer) SELECT \(BulkInsert.lists(3))"
          ) {
            $0.add(rows, \.into)
            $0.add(rows, \.transaction)
            $0.add(rows, \.from)
          })
        requests.append(
          PostgresRequest("DELETE FROM merged_customers WHERE customer = ANY($1)") { $0.add(rows, \.from) })
      }
      if !merged.isEmpty {
        requests.append(
          PostgresRequest(
            """
            INSERT INTO merged_customers (customer, merged) SELECT \(BulkInsert.lists(2))
            ON CONFLICT (customer, merged) DO NOTHING
            """
          ) {
            $0.add(merged, \.mergedInto)
            $0.add(merged, \.number)
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
      guard !rare.refunds.isEmpty else { return [] }
      let (rows, parts) = rare.partsOfRefunds()
      let owned = try rows.map { (row) throws(LedgerError) in
        OwnedRefund(row: row.refund, part: row.part, owner: try owner(of: row.refund.purchase))
      }
      let requests = [Self.refunds(owned)]
      if parts.isEmpty { return requests }
      let payers = Dictionary(owned.map { ($0.row.transaction, $0.owner) }) { first, _ in first }
      guard parts.allSatisfy({ payers[$0.transaction] != nil }) else { throw .defect("A refund's part has no refund") }
      return requests + [Self.parts(parts, payers)]
    }

    private struct OwnedRefund {
      let row: RefundRow
      /// The only one.
      let part: RefundPartRow?
      let owner: CustomerNumber
    }

    private static func refunds(_ rows: [OwnedRefund]) -> PostgresRequest {
      PostgresRequest(
        """
        INSERT INTO refunds (customer, purchase, transaction_number, kind, revoked_at, signed_at, evidence_at,
          extent_kind, extent, share, share_of, freezes, lot, part_kind, source_lot, amount)
        SELECT \(BulkInsert.lists(16))
        """
      ) {
        $0.add(rows, \.owner)
        $0.add(rows, \.row.purchase)
        $0.add(rows, \.row.transaction)
        $0.add(rows, \.row.kind.rawValue)
        $0.add(rows, \.row.revokedAt.milliseconds)
        $0.add(rows, \.row.signedAt.milliseconds)
        $0.add(rows) { $0.row.evidenceAt == $0.row.signedAt ? nil : $0.row.evidenceAt.milliseconds }
        $0.add(rows) { $0.row.extent?.stored.kind }
        $0.add(rows) { $0.row.extent?.stored.amount }
        $0.add(rows, \.row.share.part)
        $0.add(rows, \.row.share.whole)
        $0.add(rows, \.row.freezes)
        $0.add(rows) { $0.part?.lot }
        $0.add(rows) { $0.part?.kind.rawValue }
        $0.add(rows) { $0.part?.source }
        $0.add(rows) { $0.part?.amount }
      }
    }

    private static func parts(
      _ rows: [RefundPartRow], _ payers: [TransactionNumber: CustomerNumber]
    ) -> PostgresRequest {
      PostgresRequest(
        """
        INSERT INTO refund_parts (customer, transaction_number, position, lot, kind, source_lot, amount)
        SELECT \(BulkInsert.lists(7))
        """
      ) {
        $0.add(rows) { payers[$0.transaction] ?? 0 }
        $0.add(rows, \.transaction)
        $0.add(rows, \.position)
        $0.add(rows, \.lot)
        $0.add(rows, \.kind.rawValue)
        $0.add(rows, \.source)
        $0.add(rows, \.amount)
      }
    }

    private static func keep(_ rows: [RefundEvidenceRow]) -> PostgresRequest {
      struct Place: Hashable {
        let identity: PurchaseIdentity
        let kind: Int64
        let revokedAt: Timestamp
      }
      let rows = last(rows) { Place(identity: $0.identity, kind: $0.kind.rawValue, revokedAt: $0.revokedAt) }
      return PostgresRequest(
        """
        INSERT INTO refund_evidence (store_transaction, environment, store, kind, revoked_at, signed_at, extent_kind,
          extent) SELECT \(BulkInsert.lists(8))
        ON CONFLICT (store_transaction, environment, store, kind, revoked_at)
          DO UPDATE SET signed_at = excluded.signed_at, extent_kind = excluded.extent_kind, extent = excluded.extent
        """
      ) {
        $0.add(rows, text: \.identity.transactionID.text)
        $0.add(rows, \.identity.environment)
        $0.add(rows, \.identity.store.number)
        $0.add(rows, \.kind.rawValue)
        $0.add(rows, \.revokedAt.milliseconds)
        $0.add(rows, \.signedAt.milliseconds)
        $0.add(rows, \.extent.stored.kind)
        $0.add(rows, \.extent.stored.amount)
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
        "INSERT INTO catalog (kind, code, position, document) SELECT \(BulkInsert.lists(4))"
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
