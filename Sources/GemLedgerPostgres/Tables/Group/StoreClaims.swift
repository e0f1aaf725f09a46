#if PostgreSQL
internal import GemLedger

/// The store transactions of a group, which no other group can credit at the same time.
struct StoreClaims: SessionPart {
  let session: PostgresSession

  /// Returns the claims in one order for all groups, so that groups never deadlock.
  func claims(of footprints: [LedgerCommand.Footprint?]) throws(LedgerError) -> [PurchaseIdentity] {
    var found: Set<PurchaseIdentity> = []
    var isUpToDate = false
    for claim in footprints.lazy.compactMap({ $0 }).flatMap(\.purchases) {
      if memory.number(of: claim.environment) == nil, !isUpToDate {
        let rows = try session.environments()
        memory.remember(rows)
        for row in rows { prefetched?.environments[row.environment] = row.number }
        isUpToDate = true
      }
      // An environment without a number has no purchases; only one group assigns it a number.
      guard let number = prefetched?.environments[claim.environment] ?? memory.number(of: claim.environment) else {
        continue
      }
      prefetched?.environments[claim.environment] = number
      found.insert(
        PurchaseIdentity(store: claim.store, environment: number, transactionID: claim.transactionID))
    }
    return found.sorted {
      ($0.transactionID.text, $0.environment, $0.store.number)
        < ($1.transactionID.text, $1.environment, $1.store.number)
    }
  }

  /// Returns the queries that claim a group's store transactions and read their refund evidence.
  ///
  /// It claims those not known to be credited, waits for groups that hold a claim, and reads the outcome. A refund of a
  /// credited purchase needs no claim: the purchase stays credited, and the group holds the lane of its customer. Any
  /// caller may report an order as paid, so orders always claim it. A distributed engine does not join lists with its
  /// tables, so there every group claims everything.
  func claimQuestions(
    _ all: [PurchaseIdentity], of footprints: [LedgerCommand.Footprint?]
  ) -> [RowsQuery] {
    if all.isEmpty { return [] }
    for identity in all { prefetched?.evidence[identity] = [] }
    let always = layout.isDistributed ? Set(all) : claimed(by: footprints)
    var claims: [PurchaseIdentity] = []
    for (identity, credit) in zip(all, memory.directory.credits(all)) {
      if let credit, !always.contains(identity) {
        prefetched?.keep(credit, of: identity)
      } else {
        claims.append(identity)
      }
    }
    let refunded = layout.isDistributed ? [] : claims.filter { prefetched?.guess.refunds[$0] != nil }
    return (refunded.isEmpty ? [] : [Self.purchasesQuestion(refunded)])
      + (claims.isEmpty ? [] : [claiming(claims, always: always)]) + [Self.evidenceQuestion(all)]
  }

  private func claiming(_ claims: [PurchaseIdentity], always: Set<PurchaseIdentity>) -> RowsQuery {
    let credited = PostgresRequest(
      """
      SELECT store_transaction, environment, store, customer, purchase FROM store_transactions
      WHERE store_transaction = ANY($1) AND purchase <> 0
      """
    ) { $0.add(claims, text: \.transactionID.text) }
    return RowsQuery(
      requests: layout.isDistributed ? [Self.touch(claims)] : [Self.touch(claims, always: always), credited]
    ) { $0.keep($1.storeClaim($2), of: $1.purchaseIdentity($2)) }
  }

  /// Returns the query for the purchase that the store transaction was credited as, which a refund reads.
  private static func purchasesQuestion(_ identities: [PurchaseIdentity]) -> RowsQuery {
    let request = PostgresRequest(
      """
      SELECT found.* FROM store_transactions c CROSS JOIN LATERAL (
        SELECT \(PurchaseRow.selection) FROM \(PurchaseRow.tables)
        WHERE p.customer = c.customer AND p.purchase = c.purchase AND \(PurchaseRow.isNewestRefund) OFFSET 0
      ) found WHERE c.store_transaction = ANY($1) AND c.purchase <> 0
      """
    ) { $0.add(identities, text: \.transactionID.text) }
    return RowsQuery(requests: [request]) { (rows, answer, row) in
      let purchase = PurchaseRow.read(answer, row)
      rows.purchases.set(RowAddress(purchase.number, of: purchase.customer), to: [purchase])
      rows.arrived(purchaseAnywhere: purchase.number, [purchase])
    }
  }

  private static func evidenceQuestion(_ identities: [PurchaseIdentity]) -> RowsQuery {
    let evidence = PostgresRequest(
      """
      SELECT \(EvidenceRow.columns) FROM evidence
      WHERE store_transaction = ANY($1) ORDER BY kind, revoked_at, variant
      """
    ) { $0.add(identities, text: \.transactionID.text) }
    let asked = Set(identities)
    return RowsQuery(requests: [evidence]) { (prefetched, rows, row) in
      let evidence = EvidenceRow.read(rows, row)
      // Another store's transaction may have the same text.
      guard asked.contains(evidence.identity) else { return }
      prefetched.evidence[evidence.identity, default: []].append(evidence)
    }
  }

  /// Returns the store transactions of commands about customers other than the purchase's owner.
  private func claimed(by footprints: [LedgerCommand.Footprint?]) -> Set<PurchaseIdentity> {
    var claimed: Set<PurchaseIdentity> = []
    for footprint in footprints.lazy.compactMap({ $0 }) where !footprint.subject.isOfPurchase {
      for claim in footprint.purchases {
        guard let number = prefetched?.environments[claim.environment] else { continue }
        claimed.insert(
          PurchaseIdentity(store: claim.store, environment: number, transactionID: claim.transactionID))
      }
    }
    return claimed
  }

  private static let touching = """
    ON CONFLICT (store_transaction, environment, store) DO UPDATE SET customer = t.customer
    RETURNING store_transaction, environment, store, customer, purchase
    """

  private static func touch(_ claims: [PurchaseIdentity]) -> PostgresRequest {
    PostgresRequest(
      """
      INSERT INTO store_transactions AS t (store_transaction, environment, store, customer, purchase)
      SELECT \(BulkInsert.lists(3)), 0, 0 \(touching)
      """
    ) {
      $0.add(claims, text: \.transactionID.text)
      $0.add(claims, \.environment)
      $0.add(claims, \.store.number)
    }
  }

  /// - Parameter always: The store transactions to claim even if they are credited.
  private static func touch(_ claims: [PurchaseIdentity], always: Set<PurchaseIdentity>) -> PostgresRequest {
    PostgresRequest(
      """
      INSERT INTO store_transactions AS t (store_transaction, environment, store, customer, purchase)
      SELECT store_transaction, environment, store, 0, 0
      FROM unnest($1, $2, $3, $4) AS claim (store_transaction, environment, store, always)
      LEFT JOIN LATERAL (
        SELECT 1 AS one FROM store_transactions AS c WHERE c.store_transaction = claim.store_transaction
          AND c.environment = claim.environment AND c.store = claim.store AND c.purchase <> 0 OFFSET 0
      ) credited ON true WHERE always <> 0 OR one IS NULL
      ORDER BY 1, 2, 3 \(touching)
      """
    ) {
      $0.add(claims, text: \.transactionID.text)
      $0.add(claims, \.environment)
      $0.add(claims, \.store.number)
      $0.add(claims) { always.contains($0) ? 1 : 0 }
    }
  }

  /// Returns the store transaction as claimed by this group; nil if its environment has no purchases.
  func storeClaim(_ claim: LedgerCommand.PurchaseClaim) -> GroupRows.StoreClaim? {
    guard let number = prefetched?.environments[claim.environment] else { return nil }
    return prefetched?.claims[
      PurchaseIdentity(store: claim.store, environment: number, transactionID: claim.transactionID)]
  }
}
#endif
