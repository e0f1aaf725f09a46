extension Decider {
  /// Makes two customers one; an id that nobody has becomes one more id of the other's customer.
  ///
  /// - Throws: in order of precedence `invalid_identifier`, `customer_not_found`, `key_conflict`, `same_customer`,
  ///   `over_maximum` (the hard limit).
  mutating func decide(
    _ command: LedgerCommand.Body, mergeFrom from: CustomerID, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let source = try findSource(from, session: session)
    let target = try findCustomer(command.customer, session: session)
    guard let survivor = target ?? source else { throw .customerNotFound(from) }
    return try once(command, customer: survivor, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Receipt in
      guard source?.number != target?.number else {
        throw LedgerError(
          .sameCustomer, "\"\(from)\" and \"\(command.customer)\" name the same customer already.")
      }
      if let source, let target {
        return try decider.merge(source, into: target, command: command, session: session)
      }
      return try decider.add(
        source == nil ? from : command.customer, to: survivor, command: command, session: session)
    }
  }

  /// The customer that becomes part of another.
  ///
  /// Earlier versions let callers choose ids of the ledger's own kinds. A merge leads the customers of such ids out.
  ///
  /// - Throws: `invalid_identifier`.
  private mutating func findSource(
    _ id: CustomerID, session: any StorageSnapshot
  ) throws(LedgerError) -> FoundCustomer? {
    let found = try findCustomer(id, session: session)
    guard id.isReserved else { return found }
    guard let found, !id.isOfStock, id.numberOfErased(salt: terms.transactionIDs.salt) != found.origin else {
      try id.checkNotReserved()
      return nil
    }
    return found
  }

  /// Makes a customer who has nothing but anonymous ids one with another.
  ///
  /// - Throws: in order of precedence `customer_not_found`, `same_customer`, `condition_failed` (the customer has
  ///   another id), `over_maximum` (the hard limit).
  mutating func decide(
    _ command: LedgerCommand.Body, mergeAnonymous from: CustomerID, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let target = try findCustomer(command.customer, session: session)
    if let source = try findCustomer(from, session: session), source.number != target?.number {
      let named = try set.ids(of: source.number, session: session).filter { !$0.isAnonymous }
      guard named.isEmpty else {
        throw LedgerError(
          .conditionFailed, "\"\(from)\" is an id of a customer who has signed in; nothing was changed.",
          details: [.text("condition", "anonymous")])
      }
    }
    return try decide(command, mergeFrom: from, session: session)
  }

  /// - Throws: in order of precedence `customer_not_found`, `over_maximum` (the hard limit).
  mutating func decide(
    _ command: LedgerCommand.Body, alias: CustomerID, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    guard let customer = try findCustomer(command.customer, session: session) else {
      throw .customerNotFound(command.customer)
    }
    guard let other = try findCustomer(alias, session: session) else {
      return try add(alias, to: customer, command: command, session: session)
    }
    guard other.number != customer.number else {
      return Receipt(
        transactionID: nil, customer: command.customer, kind: .merge, createdAt: set.now, entries: CompactList([]),
        isReplayed: true)
    }
    return try merge(other, into: customer, command: command, session: session)
  }

  private mutating func add(
    _ id: CustomerID, to customer: FoundCustomer, command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    plans.removeAll(keepingCapacity: true)
    try set.checkNotErased(id)
    set.add(id, to: customer.number)
    return try book(.merge, command: command, customer: customer, session: session)
  }

  private mutating func merge(
    _ source: FoundCustomer, into target: FoundCustomer, command: LedgerCommand.Body,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try planMerge(source, target, session: session)
    // What is due is gone before anything moves.
    for index in plans.indices where plans[index].expiredAmount != 0 {
      bookExpiry(of: index, customer: set.accounts[plans[index].slot].row.number.customer)
    }
    let pairs = stride(from: 0, to: plans.count, by: 2).map {
      MergedAccount(from: plans[$0].slot, into: plans[$0 + 1].slot, currency: plans[$0].currency)
    }
    plans.removeAll(keepingCapacity: true)
    var receipt = try book(.merge, command: command, customer: target, session: session)
    let transaction = set.sequences.transaction
    var posted: [PostedEntry] = []
    let holds = try movingHolds(of: source, session: session)
    for pair in pairs {
      posted += try moveBalance(pair, holds: holds, transaction: transaction, session: session)
      posted += try moveDebt(pair, transaction: transaction, session: session)
      moveDue(pair)
      if set.accounts[pair.into].row.balance > pair.currency.maximumBalance { receipt.isOverMaximum = true }
    }
    // It was booked as one without entries.
    if !posted.isEmpty { set.changes.transactionsWithoutEntries.removeLast() }
    receipt.entries = CompactList(posted)
    try moveItems(from: source, to: target, &receipt, session: session)
    for hold in holds { try move(hold, from: source, to: target, session: session) }
    try moveCounts(from: source, to: target, transaction: transaction, session: session)
    // The clocks of who is nobody of their own any more stay still.
    touched.removeAll { set.accounts[$0.slot].row.number.customer == source.number }
    try becomeOne(source, target, transaction: transaction, session: session)
    var extras = ReceiptExtras()
    let taken = try reclaimMerged(after: transaction, owner: target, &extras, session: session)
    guard !taken.isEmpty else { return receipt }
    receipt.entries = CompactList(Array(receipt.entries) + taken)
    receipt.extras = extras
    return receipt
  }

  /// Opens two plans a currency, for what is due on either side.
  ///
  /// - Throws: `over_maximum` where the sum would pass the hard limit.
  private mutating func planMerge(
    _ source: FoundCustomer, _ target: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) {
    plans.removeAll(keepingCapacity: true)
    for currency in terms.currencies {
      // What has come about by itself on either side moves, or counts, as well.
      for customer in [source, target] {
        let number = AccountNumber(customer: customer.number, currency: currency.number)
        let slot = try set.slot(of: number, session: session)
        // An account that was never touched gives nothing: else every new customer who is merged brought it again.
        // One that was only looked at has a row without entries, which no export gives.
        guard set.accounts[slot].row.version > 0, isDue(slot, currency) else { continue }
        try settleDues(slot, currency, customer: customer, session: session)
      }
      let number = AccountNumber(customer: source.number, currency: currency.number)
      let row = set.accounts[try set.slot(of: number, session: session)].row
      guard row.balance != 0 || row.debt != 0 else { continue }
      try plan(.merge, currency.code, 0, customer: source, session: session)
      try plan(.merge, currency.code, 0, customer: target, session: session)
      let (from, into) = (plans[plans.count - 2], plans[plans.count - 1])
      let (one, other) = (set.accounts[from.slot].row, set.accounts[into.slot].row)
      let balance = one.balance - from.expiredAmount + other.balance - into.expiredAmount
      guard balance <= Limits.amount, one.debt + other.debt <= Limits.amount else {
        throw LedgerError(
          .overMaximum,
          "Together they would have \(balance) \(currency.code), more than the largest balance there can be, "
            + "\(Limits.amount). Nothing was changed.",
          details: [
            .text("currency", currency.code.description), .integer("balance", other.balance),
            .integer("amount", one.balance), .integer("maximum", Limits.amount),
          ])
      }
    }
  }

  private mutating func moveItems(
    from source: FoundCustomer, to target: FoundCustomer, _ receipt: inout Receipt, session: any StorageSnapshot
  ) throws(LedgerError) {
    for (item, quantity) in try set.ownedItems(of: source.number, session: session) where quantity != 0 {
      set.setOwned(item, customer: source.number, to: 0)
      let transaction = set.sequences.transaction
      set.changes.itemEntries.append(
        ItemEntryRow(transaction: transaction, customer: source.number, item: item, quantity: -quantity, owned: 0))
      try addItems([(item, quantity)], to: &receipt, target, session)
    }
  }

  /// The rows of the customers: ids and keys stay where they are and lead to who is left.
  private mutating func becomeOne(
    _ source: FoundCustomer, _ target: FoundCustomer, transaction: TransactionNumber, session: any StorageSnapshot
  ) throws(LedgerError) {
    var survivor = try set.knownCustomer(target.number, session: session)
    for number in try set.numbers(of: source.number, session: session) {
      var row = try set.knownCustomer(number, session: session)
      if number == source.number {
        survivor.frozen = FreezeRules.frozen(survivor.frozen, and: row.frozen)
        survivor.frozenReason = survivor.frozenReason ?? row.frozenReason
        (row.frozen, row.frozenReason, row.merged) = (0, nil, 0)
      }
      row.mergedInto = target.number
      survivor.merged += 1
      set.change(row)
    }
    set.change(survivor)
    set.changes.ownRare.merges.append(
      MergeRow(transaction: transaction, from: source.number, into: target.number))
  }
}

/// The two accounts of a currency that become one.
struct MergedAccount {
  let from: Int
  let into: Int
  let currency: CurrencyTerms
}
