internal import GemLedger

/// The customers that were merged, by the journal.
struct MergedCustomers {
  /// The surviving customer of each merge.
  let survivorsOfMerges: [TransactionNumber: CustomerNumber]
  /// The final surviving customer of each merged customer.
  let survivors: [CustomerNumber: CustomerNumber]
  private var parts: [CustomerNumber: [CustomerNumber]] = [:]

  init(survivors: [CustomerNumber: CustomerNumber], survivorsOfMerges: [TransactionNumber: CustomerNumber]) {
    self.survivors = survivors
    self.survivorsOfMerges = survivorsOfMerges
    for (customer, survivor) in survivors { parts[survivor, default: []].append(customer) }
  }

  func survivor(of customer: CustomerNumber) -> CustomerNumber {
    survivors.isEmpty ? customer : survivors[customer] ?? customer
  }

  /// Whether a merge took the customer or ended with it.
  func isInvolved(_ customer: CustomerNumber) -> Bool { survivors[customer] != nil || parts[customer] != nil }

  /// The customers that are one with this one; the surviving customer comes first.
  func members(with customer: CustomerNumber) -> [CustomerNumber] {
    let survivor = survivor(of: customer)
    return [survivor] + (parts[survivor] ?? [])
  }

  /// How many customers were merged into this one.
  func partCount(of customer: CustomerNumber) -> Int64 { Int64(parts[customer]?.count ?? 0) }

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
  /// A customer and all customers merged into it are in one window.
  let merges: MergedCustomers

  func covers(_ customer: CustomerNumber) -> Bool { customers.contains(merges.survivor(of: customer)) }
  func covers(_ account: AccountNumber) -> Bool { covers(account.customer) }

  /// Whether two accounts are the same currency of merged customers.
  func areOne(_ one: AccountNumber, _ other: AccountNumber) -> Bool {
    one.currency == other.currency && merges.survivor(of: one.customer) == merges.survivor(of: other.customer)
  }

  /// The merged customers of this window that have numbers outside it.
  ///
  /// No other window covers them.
  var mergedFromOutside: [CustomerNumber] {
    merges.survivors.filter { customers.contains($0.value) && !customers.contains($0.key) }.keys.sorted()
  }
}
