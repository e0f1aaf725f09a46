#if PostgreSQL
internal import GemLedger

/// Writes of effects, and of the resulting holds and counts.
struct EventWrites: SessionPart {
  let session: PostgresSession

  func requests(_ cold: ColdChanges, _ new: [TransactionRow]) -> [PostgresRequest] {
    var requests: [PostgresRequest] = []
    if !cold.events.isEmpty { requests.append(JournalEventRow.insert(cold.events)) }
    if !cold.holds.isEmpty { requests += holds(cold.holds, new) }
    if !cold.endedHolds.isEmpty { requests += ended(cold.endedHolds) }
    if !cold.counts.isEmpty { requests.append(Self.counts(cold.counts)) }
    requests += cold.endedCounts.map { row in
      PostgresRequest(
        "DELETE FROM counters WHERE customer = $1 AND kind = $2 AND subject = $3", row.customer, row.key.kind.rawValue,
        row.key.subject)
    }
    return requests
  }

  // MARK: Holds

  /// Writes the last state of each hold; moved holds are removed from their former customer.
  private func holds(_ rows: [HoldRow], _ new: [TransactionRow]) -> [PostgresRequest] {
    var last: [TransactionNumber: HoldRow] = [:]
    for row in rows { last[row.number] = row }
    let rows = last.values.sorted { ($0.customer, $0.number) < ($1.customer, $1.number) }
    let begun = Set(new.map(\.number))
    let others = rows.filter { prefetched?.holdOwners[$0.number] != $0.customer && !begun.contains($0.number) }
    return leaving(others) + [HoldRow.insert(rows, conflict: HoldRow.changing(withKey: ["customer", "hold"]))]
  }

  /// Removes holds from their former customers.
  private func leaving(_ rows: [HoldRow]) -> [PostgresRequest] {
    rows.map { row in
      guard let before = prefetched?.holdOwners[row.number] else {
        // The group did not read it: its customer is unknown.
        return PostgresRequest("DELETE FROM open_holds WHERE hold = $1", row.number)
      }
      return PostgresRequest("DELETE FROM open_holds WHERE customer = $1 AND hold = $2", before, row.number)
    }
  }

  private func ended(_ rows: [HoldRow]) -> [PostgresRequest] {
    // The last customer that it was written for: a group that merges customers may end it at once.
    let own = PostgresRequest(
      "DELETE FROM open_holds WHERE customer = ANY($1) AND hold = ANY($2)", Array(Set(rows.map(\.customer))),
      rows.map(\.number))
    let others = rows.filter { row in
      prefetched?.holdOwners[row.number].map { $0 != row.customer } ?? false
    }
    return [own] + leaving(others)
  }

  // MARK: Counts

  /// Writes the last state of each count.
  private static func counts(_ rows: [CountRow]) -> PostgresRequest {
    struct CustomerAddress: Hashable {
      let customer: CustomerNumber
      let key: CountKey
    }
    var last: [CustomerAddress: CountRow] = [:]
    for row in rows { last[CustomerAddress(customer: row.customer, key: row.key)] = row }
    let rows = last.values.sorted { ($0.customer, $0.key) < ($1.customer, $1.key) }
    return CountRow.insert(rows, conflict: CountRow.changing())
  }
}
#endif
