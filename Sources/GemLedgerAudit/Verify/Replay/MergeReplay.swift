internal import GemLedger

/// Replays merges and unmerges in the order of the journal.
struct MergeReplay {
  private(set) var survivorsOfMerges: [TransactionNumber: CustomerNumber] = [:]
  /// The current surviving customer of each merged customer.
  private(set) var survivors: [CustomerNumber: CustomerNumber] = [:]
  /// The newest unmerge that split each customer off.
  private(set) var unmerges: [CustomerNumber: TransactionNumber] = [:]
  /// For each customer, the number of customers merged into it or split off from it.
  private(set) var counts: [CustomerNumber: Int64] = [:]
  /// The customer that each merged customer was directly merged into.
  private var straight: [CustomerNumber: CustomerNumber] = [:]
  private var parts: [CustomerNumber: [CustomerNumber]] = [:]
  private var groupOf: [CustomerNumber: CustomerNumber] = [:]
  private var members: [CustomerNumber: [CustomerNumber]] = [:]

  /// The sets of customers that were ever merged with each other, directly or indirectly.
  var groups: [[CustomerNumber]] { Array(members.values) }

  /// - Returns: Whether the customer could be merged.
  mutating func merge(_ row: MergeRow) -> Bool {
    let fits = survivors[row.from] == nil
    survivorsOfMerges[row.transaction] = row.into
    let moved = [row.from] + (parts.removeValue(forKey: row.from) ?? [])
    for customer in moved { survivors[customer] = row.into }
    parts[row.into, default: []] += moved
    straight[row.from] = row.into
    counts[row.into, default: 0] += 1 + (counts.removeValue(forKey: row.from) ?? 0)
    join(row.from, row.into)
    return fits
  }

  /// - Returns: Whether the customer was directly merged into this survivor.
  mutating func unmerge(_ row: MergeRow) -> Bool {
    let fits = survivors[row.into] == row.from && straight[row.into] == row.from
    survivorsOfMerges[row.transaction] = row.into
    let back = (parts[row.from] ?? []).filter { isBehind($0, row.into) }
    parts[row.from]?.removeAll { $0 == row.into || back.contains($0) }
    for customer in back { survivors[customer] = row.into }
    survivors[row.into] = nil
    straight[row.into] = nil
    parts[row.into] = back
    counts[row.into] = Int64(back.count) + 1
    unmerges[row.into] = row.transaction
    join(row.from, row.into)
    return fits
  }

  /// Whether the first customer is part of the second one, directly or indirectly.
  private func isBehind(_ customer: CustomerNumber, _ other: CustomerNumber) -> Bool {
    var (next, stepsLeft) = (straight[customer], straight.count)
    while let current = next, stepsLeft > 0 {
      if current == other { return true }
      (next, stepsLeft) = (straight[current], stepsLeft - 1)
    }
    return false
  }

  private mutating func join(_ one: CustomerNumber, _ other: CustomerNumber) {
    let (first, second) = (groupOf[one] ?? one, groupOf[other] ?? other)
    guard first != second else { return }
    let moved = members.removeValue(forKey: second) ?? [second]
    members[first, default: [first]] += moved
    groupOf[first] = first
    for customer in moved { groupOf[customer] = first }
  }
}
