#if PostgreSQL
internal import GemLedger

/// The store transactions of a group, which no other group can credit at the same time.
struct StoreClaims: SessionPart {
  let session: PostgresSession

  /// Returns the claims in one order for all groups, so that groups never deadlock.
  func claims(of footprints: [LedgerCommand.Footprint?]) throws(LedgerError) -> [PurchaseIdentity] {
    let identities = try identities(of: footprints.flatMap { $0?.purchases ?? [] })
    prefetched?.identities.merge(identities) { $1 }
    return Set(identities.values).sorted {
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
    let always = layout.cluster == nil ? claimed(by: footprints) : Set(all)
    var claims: [PurchaseIdentity] = []
    for (identity, credit) in zip(all, memory.directory.credits(all)) {
      if let credit, !always.contains(identity) {
        prefetched?.keep(credit, of: identity)
      } else {
        claims.append(identity)
      }
    }
    return (claims.isEmpty ? [] : [claiming(claims, always: always)]) + [Self.evidenceQuestion(all)]
  }

  private func claiming(_ claims: [PurchaseIdentity], always: Set<PurchaseIdentity>) -> RowsQuery {
    let credited = PurchaseIdentity.credits(ofAny: claims)
    return RowsQuery(
      requests: layout.cluster?.touching(claims) ?? [Self.touch(claims, always: always), credited]
    ) { $0.keep($1.storeClaim($2), of: $1.purchaseIdentity($2)) }
  }

  private static func evidenceQuestion(_ identities: [PurchaseIdentity]) -> RowsQuery {
    let evidence = EvidenceRow.request(ofAny: identities.map(\.transactionID.text))
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
    let others = footprints.lazy.compactMap { $0 }.filter { !$0.subject.isOfPurchase }
    return Set(others.flatMap(\.purchases).compactMap { prefetched?.identities[$0] })
  }

  static let touching = """
    ON CONFLICT (store_transaction, environment, store) DO UPDATE SET customer = t.customer
    RETURNING store_transaction, environment, store, customer, purchase
    """

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
    prefetched?.identities[claim].flatMap { prefetched?.claims[$0] }
  }
}

extension SessionPart {
  /// Returns the identities of store transactions, without those of environments without purchases.
  func identities(
    of claims: [LedgerCommand.PurchaseClaim]
  ) throws(LedgerError) -> [LedgerCommand.PurchaseClaim: PurchaseIdentity] {
    var numbers: [StoreEnvironment: Int64] = [:]
    for claim in claims { numbers[claim.environment] = memory.number(of: claim.environment) }
    if claims.contains(where: { numbers[$0.environment] == nil }) {
      let rows = try session.environments()
      memory.remember(rows, since: epoch)
      for row in rows { numbers[row.environment] = row.number }
    }
    var identities: [LedgerCommand.PurchaseClaim: PurchaseIdentity] = [:]
    for claim in claims {
      // Only one group assigns an environment its number.
      identities[claim] = numbers[claim.environment].map {
        PurchaseIdentity(store: claim.store, environment: $0, transactionID: claim.transactionID)
      }
    }
    return identities
  }
}
#endif
