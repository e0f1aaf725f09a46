internal import GemLedger

/// The customers that were merged, and split off again, by the journal.
struct MergedCustomers {
  /// The customer of each merge and of each unmerge.
  let survivorsOfMerges: [TransactionNumber: CustomerNumber]
  /// The present surviving customer of each merged customer.
  let survivors: [CustomerNumber: CustomerNumber]
  /// The newest unmerge that split the customer off.
  let unmerges: [CustomerNumber: TransactionNumber]
  /// How many customers were merged into each one, or were parted from it by an unmerge.
  private let counts: [CustomerNumber: Int64]
  /// For each customer that was ever part of another or had another as a part, the group of all these: the lowest of
  /// its present surviving customers stands for it.
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

  /// The customer that stands for all that were ever one with this one; without unmerges the surviving customer.
  ///
  /// Rows of any of them may concern the others: currency, holds and reversals moved between them.
  func survivor(of customer: CustomerNumber) -> CustomerNumber {
    groups.isEmpty ? customer : groups[customer] ?? customer
  }

  /// Whether a merge took the customer or ended with it.
  func isInvolved(_ customer: CustomerNumber) -> Bool { groups[customer] != nil }

  /// Whether the customer is part of another now.
  func isMerged(_ customer: CustomerNumber) -> Bool { survivors[customer] != nil }

  /// Whether others than the customer may have transactions about the customer's own purchases.
  func wasMerged(_ customer: CustomerNumber) -> Bool { survivors[customer] != nil || unmerges[customer] != nil }

  /// The customers that ever were one with this one; the one that stands for them comes first.
  func members(with customer: CustomerNumber) -> [CustomerNumber] {
    let survivor = survivor(of: customer)
    return [survivor] + (parts[survivor] ?? [])
  }

  /// All customers that another one stands for.
  var others: [CustomerNumber: CustomerNumber] { groups.filter { $0.key != $0.value } }

  /// How many customers were merged into this one, or parted from it.
  func partCount(of customer: CustomerNumber) -> Int64 { counts[customer] ?? 0 }

  /// The customer of the event's transaction; nil where the event does not say.
  func owner(of event: JournalEventRow) -> CustomerNumber? {
    if let survivor = survivorsOfMerges[event.transaction] { return survivor }
    return event.isOfEverybody ? nil : event.customer
  }
}

/// The customers that one pass over the journal replays.
struct ReplayScope {
  let customers: Range<CustomerNumber>
  /// Whether this is the first window; checks that concern no single customer run only there.
  let isFirst: Bool
  /// A customer and all customers that were ever one with it are in one window.
  let merges: MergedCustomers

  func covers(_ customer: CustomerNumber) -> Bool { customers.contains(merges.survivor(of: customer)) }
  func covers(_ account: AccountNumber) -> Bool { covers(account.customer) }

  /// Whether two accounts are the same currency of customers that were one.
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
