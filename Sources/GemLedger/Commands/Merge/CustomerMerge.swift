/// Merges two customers, or adds an id to a customer, for the commands that do so.
enum CustomerMerge {
  static func add(
    _ decider: inout Decider, _ id: CustomerID, to customer: FoundCustomer, command: LedgerCommand.Body
  ) throws(LedgerError) -> Booking {
    decider.books.plans.removeAll(keepingCapacity: true)
    try decider.books.work.customers.checkNotErased(id)
    decider.books.work.customers.add(id, to: customer.number)
    return try decider.books.book(.merge, command: command, customer: customer)
  }

  static func merge(
    _ decider: inout Decider, _ source: FoundCustomer, into target: FoundCustomer, isProven: Bool = true,
    command: LedgerCommand.Body
  ) throws(LedgerError) -> Booking {
    try readTogether(&decider.books.work, [source.number, target.number], decider.books.definitions)
    try planMerge(&decider.books, source, target)
    if !isProven { try UnprovenMerges.checkMovable(decider.books, source) }
    // Due amounts expire before anything moves.
    for index in decider.books.plans.indices where decider.books.plans[index].expiredAmount != 0 {
      decider.books.bookExpiry(
        of: index, customer: decider.books.work.accounts[decider.books.plans[index].slot].row.number.customer)
    }
    let pairs = stride(from: 0, to: decider.books.plans.count, by: 2).map {
      MergedAccount(
        from: decider.books.plans[$0].slot, into: decider.books.plans[$0 + 1].slot,
        currency: decider.books.plans[$0].currency)
    }
    decider.books.plans.removeAll(keepingCapacity: true)
    var booking = try decider.books.book(.merge, command: command, customer: target)
    let transaction = decider.books.work.journal.sequences.transaction
    if !isProven { UnprovenMerges.mark(&decider.books.work, transaction, from: source) }
    var posted: [PostedEntry] = []
    let holds = try MergedHolds.movingHolds(decider.books.work, of: source)
    for pair in pairs {
      posted += try MergedBalances.moveBalance(&decider.books, pair, holds: holds, transaction: transaction)
      posted += try MergedBalances.moveDebt(&decider.books, pair, transaction: transaction)
      MergedHolds.moveDue(&decider.books.work, pair)
      // This group's scheduled effects on the account were applied under other counts.
      decider.books.work.accounts[pair.into].isCurrent = false
      if decider.books.work.accounts[pair.into].row.balance > pair.currency.maximumBalance {
        booking.isOverMaximum = true
      }
    }
    // The transaction was booked as one without entries.
    if !posted.isEmpty { decider.books.work.journal.listNewestAsWithEntries() }
    booking.entries = CompactList(posted)
    try moveItems(&decider.books.work, from: source, to: target, &booking)
    for hold in holds { try MergedHolds.move(&decider.books.work, hold, from: source, to: target) }
    try MergedHolds.moveCounts(&decider.books, from: source, to: target, transaction: transaction)
    // The merged customer's recharge clocks stay stopped.
    decider.books.touched.removeAll { decider.books.work.accounts[$0.slot].row.number.customer == source.number }
    try becomeOne(&decider.books.work, source, target, transaction: transaction)
    var extras = BookingExtras()
    let taken = try decider.books.reclaimMerged(after: transaction, owner: target, &extras)
    guard !taken.isEmpty else { return booking }
    booking.entries = CompactList(Array(booking.entries) + taken)
    booking.extras = extras
    return booking
  }

  /// Reads the rows that a merge or an unmerge moves, in one load, before the rules need them one by one.
  static func readTogether(
    _ work: inout UnitOfWork, _ customers: [CustomerNumber], _ definitions: CurrencyDefinitions
  ) throws(LedgerError) {
    var reads = JointReads()
    for customer in customers {
      _ = try reads.read { () throws(LedgerError) in try work.holds.all(of: customer) }
      _ = try reads.read { () throws(LedgerError) in try work.counts.all(of: customer) }
      _ = try reads.read { () throws(LedgerError) in try work.items.all(of: customer) }
      for currency in definitions.currencies {
        _ = try reads.read { () throws(LedgerError) in
          let slot = try work.accounts.slot(of: AccountNumber(customer: customer, currency: currency.number))
          if work.accounts[slot].row.openLots > 0 { try work.accounts.loadAllLots(of: slot) }
        }
      }
    }
    try reads.end()
  }

  /// Opens two plans a currency, for the due expiries on either side.
  ///
  /// - Throws: `over_maximum` if the sum would pass the hard limit.
  private static func planMerge(
    _ books: inout Bookkeeper, _ source: FoundCustomer, _ target: FoundCustomer
  ) throws(LedgerError) {
    books.plans.removeAll(keepingCapacity: true)
    for currency in books.definitions.currencies {
      // The due effects of either side move, or count, as well.
      for customer in [source, target] {
        let number = AccountNumber(customer: customer.number, currency: currency.number)
        let slot = try books.work.accounts.slot(of: number)
        // An untouched account gets no scheduled grants: otherwise each merge of a new customer would bring them again.
        // An account that was only read has a row without entries, and exports leave it out.
        guard books.work.accounts[slot].row.version > 0, books.work.isDue(slot, currency) else {
          continue
        }
        try books.bookDueEffects(slot, currency, customer: customer)
      }
      let number = AccountNumber(customer: source.number, currency: currency.number)
      let row = books.work.accounts[try books.work.accounts.slot(of: number)].row
      guard row.balance != 0 || row.debt != 0 else { continue }
      try books.plan(.merge, currency.code, 0, customer: source)
      try books.plan(.merge, currency.code, 0, customer: target)
      let (from, into) = (books.plans[books.plans.count - 2], books.plans[books.plans.count - 1])
      let (one, other) = (books.work.accounts[from.slot].row, books.work.accounts[into.slot].row)
      try MergeRules.check(
        currency.code, one, expired: from.expiredAmount, into: other, expired: into.expiredAmount)
    }
  }

  private static func moveItems(
    _ work: inout UnitOfWork, from source: FoundCustomer, to target: FoundCustomer, _ booking: inout Booking
  ) throws(LedgerError) {
    let items = try work.items.all(of: source.number).filter { $0.1 != 0 }
    _ = try items.gather { (item) throws(LedgerError) in
      try work.items.owned(item.0, by: target.number)
    }
    for (item, quantity) in items {
      try work.items.add(-quantity, of: item, to: source.number, in: work.journal.sequences.transaction)
      try work.add([(item, quantity)], to: target, &booking)
    }
  }

  /// Updates the rows of the customers: ids and keys keep their rows and lead to the surviving customer.
  private static func becomeOne(
    _ work: inout UnitOfWork, _ source: FoundCustomer, _ target: FoundCustomer, transaction: TransactionNumber
  ) throws(LedgerError) {
    var survivor = try work.customers.known(target.number)
    let rows = try work.customers.numbers(of: source.number).gather { (number) throws(LedgerError) in
      try work.customers.known(number)
    }
    for var row in rows {
      if row.number == source.number {
        survivor.frozen = FreezeRules.frozen(survivor.frozen, and: row.frozen)
        survivor.frozenReason = survivor.frozenReason ?? row.frozenReason
        survivor.merged += 1 + row.merged
        (row.frozen, row.frozenReason, row.merged) = (0, nil, 0)
      }
      row.mergedInto = target.number
      work.customers.change(row)
    }
    work.customers.change(survivor)
    work.customers.add(
      MergeRow(transaction: transaction, from: source.number, into: target.number), isUnmerge: false)
  }
}
