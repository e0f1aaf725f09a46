#if PostgreSQL
internal import GemLedger

/// Writes of lots and checkpoints.
struct ProjectionWrites: SessionPart {
  let session: PostgresSession

  func requests(_ changes: borrowing ChangeSet) throws(LedgerError) -> [PostgresRequest] {
    var requests: [PostgresRequest] = []
    let moved = changes.cold?.movedLots ?? []
    if !moved.isEmpty { requests += try self.moved(moved, Self.owners(ofLotsOf: changes)) }
    let (written, changed) = lots(changes)
    if !written.isEmpty { requests.append(Self.lots(written)) }
    if !changed.isEmpty { requests.append(Self.change(changed)) }
    let checkpoints = changes.checkpoints
    if !checkpoints.isEmpty { requests.append(CheckpointRow.insert(checkpoints)) }
    return requests
  }

  // MARK: Lots

  /// Returns the lots to write whole, and the existing lots with only other amounts.
  ///
  /// An update is a third cheaper, but a distributed engine does not join lists with its tables.
  private func lots(_ changes: borrowing ChangeSet) -> (written: [LotRow], changed: [LotRow]) {
    let moved = changes.cold?.movedLots ?? []
    if layout.cluster != nil {
      let written = changes.newLots + changes.changedLots
      let numbers = Set(written.map(\.number))
      return (written + moved.filter { !numbers.contains($0.number) }, [])
    }
    if moved.isEmpty { return (changes.newLots, changes.changedLots) }
    let numbers = Set(moved.map(\.number))
    return (changes.newLots + moved, changes.changedLots.filter { !numbers.contains($0.number) })
  }

  private static func change(_ rows: [LotRow]) -> PostgresRequest {
    PostgresRequest(
      """
      UPDATE lots SET granted = changed.granted, remaining = changed.remaining
      FROM (
        SELECT unnest($1) AS customer, unnest($2) AS lot, unnest($3) AS granted, unnest($4) AS remaining
      ) AS changed
      WHERE lots.customer = changed.customer AND lots.lot = changed.lot
      """, rows.map(\.account.customer), rows.map(\.number), rows.map(\.granted), rows.map(\.remaining))
  }

  private static func lots(_ rows: [LotRow]) -> PostgresRequest {
    LotRow.insert(
      rows,
      conflict: """
        ON CONFLICT (customer, lot) DO UPDATE SET granted = excluded.granted, remaining = excluded.remaining
        """)
  }

  /// Moves lots: removes the former customer's rows, and adds the attributes for every customer that had the lot.
  ///
  /// - Parameter owners: The customers of each lot within the group: it may have moved several times.
  private func moved(
    _ lots: [LotRow], _ owners: [LotNumber: Set<CustomerNumber>]
  ) throws(LedgerError) -> [PostgresRequest] {
    let addresses = lots.map { lot in
      RowAddress(lot.number, of: prefetched?.lotOwners[lot.number] ?? lot.account.customer)
    }
    // A lot's row does not contain its original lot.
    let known = addresses.compactMap { prefetched?.attributes(at: $0) }
    var attributes = Dictionary(known.map { ($0.lot, $0) }) { first, _ in first }
    let missing = addresses.filter { attributes[$0.number] == nil }
    if !missing.isEmpty { attributes.merge(try session.lotAttributes(missing)) { first, _ in first } }
    let former = lots.flatMap { lot in
      let attributes = attributes[lot.number] ?? LotAttributesRow(of: lot)
      return (owners[lot.number] ?? []).union([lot.account.customer]).sorted().map { (attributes, $0) }
    }
    let leaving = addresses.map { address in
      PostgresRequest("DELETE FROM lots WHERE customer = $1 AND lot = $2", address.customer ?? 0, address.number)
    }
    return leaving + [Self.attributes(former, ifMissing: true)]
  }

  static func attributes(
    _ rows: [(attributes: LotAttributesRow, owner: CustomerNumber)], ifMissing: Bool = false
  ) -> PostgresRequest {
    LotAttributesRow.insert(
      rows.map(\.attributes), owners: rows.map(\.owner), conflict: ifMissing ? "ON CONFLICT DO NOTHING" : "")
  }

  /// Returns all customers of each lot in this group: a lot that was made and moved has entries of several.
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
}
#endif
