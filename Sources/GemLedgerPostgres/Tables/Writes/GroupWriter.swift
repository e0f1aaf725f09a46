#if PostgreSQL
internal import GemLedger

/// The end of a group: all rows in bulk, and the commit, in one round trip.
struct GroupWriter: SessionPart {
  let session: PostgresSession

  func write(_ changes: borrowing ChangeSet) throws(LedgerError) {
    guard let group else { throw .defect("A reader was asked to write") }
    let heads = try group.heads(session)
    for (purchase, owner) in changes.copy?.purchaseOwners ?? [:] { prefetched?.purchaseOwners[purchase] = owner }
    var requests: [PostgresRequest] = []
    let erasures = changes.cold?.erasures ?? []
    let ids = erasures.flatMap { $0.former + $0.added.map(\.id) }
    if !erasures.isEmpty { requests.append(ErasureWrites.freeing(ids, of: erasures.flatMap(\.numbers))) }
    requests += CustomerWrites.new(changes)
    let common = CommonWrites(session: session)
    // A catalog is cached by its version, which another catalog could have after a crash. So it is never visible before
    // it is on disk. A role without the right to request a sync would lose the connection after each commit.
    let releasesEarly = group.meetsOtherProcesses && changes.catalog == nil && session.connection.mayRequestSync
    requests += common.requests(changes, heads, group, releasesEarly: releasesEarly)
    requests += JournalWrites.rows(changes)
    requests += try PurchaseWrites(session: session).requests(changes)
    requests += try ProjectionWrites(session: session).requests(changes)
    requests += try cold(changes)
    if !changes.orders.isEmpty { requests += OrderWrites(session: session).requests(changes.orders) }
    if let rows = changes.catalog {
      requests += try CatalogWrites(session: session).requests(
        rows, at: changes.copy == nil ? changes.catalogAppliedAt : nil)
    }
    if let copy = changes.copy { requests += CopyWrites.requests(copy) }
    if !erasures.isEmpty { requests += ErasureWrites.erasing(erasures, changes) }
    if group.isFirstOfWriter { requests.append(common.sweepOfMarks(group)) }
    requests.append(PostgresRequest("COMMIT"))
    if releasesEarly { requests += EarlyRelease.syncIfUsed }
    memory.laneTurns.leave(heads, at: LaneStep(changes, heads).last)
    do throws(LedgerError) {
      _ = try ask(requests)
    } catch {
      memory.laneTurns.forget(heads)
      guard let failure = session.failure, failure.isConnectionLost || session.connection.hasCommitted,
        let wasCommitted = session.wasCommitted
      else { throw error }
      // If a node of the cluster was lost, the transaction is still open and holds the lane.
      if session.connection.isOpen { _ = try? session.connection.execute(["ROLLBACK"]) }
      let mayBeHalf = layout.cluster != nil || failure.isOfUnknownCompletion
      guard try wasCommitted(mayBeHalf ? CommitParts(changes) : nil) else { throw error }
    }
    session.noteEnd()
    group.isCommitted = true
    remember(changes)
    for id in ids + (changes.cold?.idChanges.ids ?? []) { memory.directory.forget(id) }
  }

  private func remember(_ changes: borrowing ChangeSet) {
    memory.remember(changes.environments, since: epoch)
    for (document, number) in session.newFrozenProducts {
      memory.remember(frozenProduct: document, number: number, since: epoch)
    }
    if let cold = changes.cold {
      if !cold.merges.isEmpty { memory.directory.remember(mergesOf: cold.changedCustomers, since: epoch) }
    }
    if changes.copy == nil {
      // The caller that created a hold most likely uses it soon.
      memory.directory.remember(
        changes.transactions.filter { $0.kind == .hold }.map { row in
          CustomerDirectory.LocatedTransaction(
            row: row,
            address: CustomerDirectory.CustomerAddress(original: row.customer, survivingCustomer: row.customer))
        }, since: epoch)
    }
    memory.directory.remember(originals: changes.customers.map { ($0.id, $0.number) }, since: epoch)
  }

  /// Writes that few groups need.
  ///
  /// One statement per row is used only if rows are always few: lists of refunds, merges and erasures can be long.
  private func cold(_ changes: borrowing ChangeSet) throws(LedgerError) -> [PostgresRequest] {
    guard let cold = changes.cold else { return [] }
    var requests: [PostgresRequest] = []
    if !cold.lotAttributes.isEmpty {
      let owners = ProjectionWrites.owners(ofLotsOf: changes)
      requests.append(
        ProjectionWrites.attributes(
          cold.lotAttributes.flatMap { attributes in (owners[attributes.lot] ?? [0]).map { (attributes, $0) } }))
    }
    if !cold.changedCustomers.isEmpty { requests.append(CustomerWrites.change(cold.changedCustomers)) }
    if !cold.addedIDs.isEmpty { requests += CustomerWrites.add(cold.addedIDs) }
    if !cold.idChanges.isEmpty { requests += CustomerWrites.change(cold.idChanges) }
    requests += CustomerWrites.merges(cold)
    requests += try RefundWrites(session: session).requests(cold)
    if !cold.evidence.isEmpty { requests.append(RefundWrites.keep(cold.evidence)) }
    requests += EventWrites(session: session).requests(cold, changes.transactions)
    return requests + DocumentWrites.requests(cold)
  }
}

extension IDChanges {
  /// The ids with a change.
  var ids: [CustomerID] { (removed + named).map(\.id) + renamed.map(\.row.id) }
}
#endif
