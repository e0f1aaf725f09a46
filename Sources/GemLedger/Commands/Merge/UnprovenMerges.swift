/// Merges that the surviving customer did not prove to want: logins with a public key alone.
///
/// An attacker could buy, spend, log in as another person, and have the store refund the purchase. So such a merge
/// moves no debt, freeze or hold, and a later refund takes only the rest of the merged currency.
enum UnprovenMerges {
  /// Checks that the customer has nothing that such a merge cannot move; call it after the merge's plans were made.
  ///
  /// - Throws: `condition_failed`.
  static func checkMovable(_ books: borrowing Bookkeeper, _ source: FoundCustomer) throws(LedgerError) {
    let row = try books.work.customers.known(source.number)
    let hasDebt = books.plans.contains { plan in
      let account = books.work.accounts[plan.slot].row
      return account.number.customer == source.number && account.debt > 0
    }
    let reason: String? =
      if row.isFrozen {
        "is frozen"
      } else if hasDebt {
        "has a debt"
      } else {
        try books.work.holds.all(of: source.number).isEmpty ? nil : "has open holds"
      }
    guard let reason else { return }
    throw LedgerError(
      .conditionFailed,
      "\"\(row.id)\" \(reason), which does not move with a login that is not proven; nothing was changed. Prove the "
        + "login, or try again afterwards.",
      details: [.text("condition", "movable")])
  }

  /// Marks the merge in the journal.
  static func mark(_ work: inout UnitOfWork, _ transaction: TransactionNumber, from source: FoundCustomer) {
    work.journal.add(
      JournalEventRow(
        transaction: transaction, position: 0, customer: source.number, kind: .unproven, createdAt: work.now))
  }

  /// Returns the unproven merges that brought a customer's purchase to its owner; mostly none, without a read.
  ///
  /// - Parameter customer: The buyer, by the number at the time of the purchase.
  static func merges(
    of customer: CustomerNumber, to owner: CustomerNumber, _ work: borrowing UnitOfWork
  ) throws(LedgerError) -> [TransactionNumber] {
    guard customer != owner else { return [] }
    let members = try work.customers.numbers(of: owner)
    var records: [CustomerNumber: [MergeRecord]] = [:]
    for number in members { records[number] = try work.customers.mergeRecords(of: number) }
    var (found, number): ([TransactionNumber], CustomerNumber) = ([], customer)
    // Each step leads to another member.
    for _ in members where number != owner {
      var merge: MergeRow?
      for survivor in members where merge == nil {
        merge = try MergeRules.merge(of: number, into: survivor) { (one) throws(LedgerError) in records[one] ?? [] }
      }
      guard let merge else { return found }
      let events = try work.journal.events(of: merge.transaction, ofAny: members)
      if events.contains(where: { $0.kind == .unproven }) { found.append(merge.transaction) }
      number = merge.into
    }
    return found
  }

  /// Returns the maximum units of an item that the merges moved.
  static func items(
    _ item: ItemID, by merges: [TransactionNumber], to owner: CustomerNumber, _ work: borrowing UnitOfWork
  ) throws(LedgerError) -> Int64 {
    let members = try work.customers.numbers(of: owner)
    var least = Int64.max
    for merge in merges {
      let parts = try work.parts(of: merge, ofAny: members)
      let moved = (parts?.items ?? []).filter { $0.item == item && $0.quantity > 0 }.reduce(0) { $0 + $1.quantity }
      least = min(least, moved)
    }
    return least
  }
}
