internal import GemLedger

/// The customers that were merged and split off again, according to the journal.
struct MergedCustomers {
  /// The surviving customer of each merge and of each unmerge.
  let survivorsOfMerges: [TransactionNumber: CustomerNumber]
  /// The current surviving customer of each merged customer.
  let survivors: [CustomerNumber: CustomerNumber]
  /// The newest unmerge that split the customer off.
  let unmerges: [CustomerNumber: TransactionNumber]
  /// For each customer, the number of customers merged into it or split off from it.
  private let counts: [CustomerNumber: Int64]
  /// For each customer that was ever merged, its group's representative: the group's lowest surviving customer.
  private var groups: [CustomerNumber: CustomerNumber] = [:]
  private var parts: [CustomerNumber: [CustomerNumber]] = [:]

  init(_ replay: MergeReplay) {
    (survivors, survivorsOfMerges) = (replay.survivors, replay.survivorsOfMerges)
    (unmerges, counts) = (replay.unmerges, replay.counts)
    for group in replay.groups {
      guard let first = group.filter({ replay.survivors[$0] == nil }).min() else { continue }
      for customer in group { groups[customer] = first }
      parts[first] = group.filter { $0 != first }.sorted()
    }
  }

  /// Returns the representative of all customers ever merged with this one; without unmerges the surviving customer.
  ///
  /// Rows of any of them may concern the others: currency, holds and reversals moved between them.
  func survivor(of customer: CustomerNumber) -> CustomerNumber {
    groups.isEmpty ? customer : groups[customer] ?? customer
  }

  /// Whether the customer was ever merged with another.
  func isInvolved(_ customer: CustomerNumber) -> Bool { groups[customer] != nil }

  /// Whether the customer is currently merged into another.
  func isMerged(_ customer: CustomerNumber) -> Bool { survivors[customer] != nil }

  /// Whether other customers may have transactions about the customer's purchases.
  func wasMerged(_ customer: CustomerNumber) -> Bool { survivors[customer] != nil || unmerges[customer] != nil }

  /// Returns the customers ever merged with this one, their representative first.
  func members(with customer: CustomerNumber) -> [CustomerNumber] {
    let survivor = survivor(of: customer)
    return [survivor] + (parts[survivor] ?? [])
  }

  /// The customers that have another customer as their representative.
  var others: [CustomerNumber: CustomerNumber] { groups.filter { $0.key != $0.value } }

  /// Returns the number of customers merged into this one or split off from it.
  func partCount(of customer: CustomerNumber) -> Int64 { counts[customer] ?? 0 }

  /// Returns the customer of the event's transaction; nil if the event does not state it.
  func owner(of event: JournalEventRow) -> CustomerNumber? {
    if let survivor = survivorsOfMerges[event.transaction] { return survivor }
    return event.isOfEverybody ? nil : event.customer
  }
}

/// The customers that one pass over the journal replays.
struct ReplayScope {
  let customers: Range<CustomerNumber>
  /// Whether this is the first window; checks of the whole ledger run only there.
  let isFirst: Bool
  /// The merges; customers that were ever merged with each other are in one window.
  let merges: MergedCustomers

  func covers(_ customer: CustomerNumber) -> Bool { customers.contains(merges.survivor(of: customer)) }
  func covers(_ account: AccountNumber) -> Bool { covers(account.customer) }

  /// Whether two accounts have the same currency, and customers that were merged with each other.
  func areOne(_ one: AccountNumber, _ other: AccountNumber) -> Bool {
    one.currency == other.currency && merges.survivor(of: one.customer) == merges.survivor(of: other.customer)
  }

  /// The customers of this window that have numbers outside it.
  ///
  /// No other window covers them.
  var mergedFromOutside: [CustomerNumber] {
    merges.others.filter { customers.contains($0.value) && !customers.contains($0.key) }.keys.sorted()
  }
}
