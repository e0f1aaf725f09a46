/// Splits off a customer that a merge made part of another.
///
/// The transaction is the split-off customer's, and has entries of both. The customer's number is used again, so rows
/// with that number, such as purchases, keys and history, need not move.
struct UnmergeCommand: Command {
  /// The survivor that the caller expects, if any.
  let survivor: CustomerID?

  var action: LedgerCommand.Action { .unmerge(self) }

  static let keyFields = KeyFields(rest: "from")
  var asked: Int64 { Fingerprint.asked(.unmerge, survivor.map { Fingerprint.digest(of: $0.text) } ?? 0) }
  var namedCustomers: NamedCustomers { survivor.map { .ownAnd([$0]) } ?? .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    LedgerCommand.Footprint(joining: survivor.map { [$0] } ?? [], splitsOff: true)
  }
  var independence: Independence { .none }

  /// - Throws: in order of precedence `customer_not_found`, `key_conflict`, `already_reversed`, `not_reversible`,
  ///   `condition_failed` (another survivor, or a later merge to undo first), `customer_frozen` (the survivor),
  ///   `condition_failed` (open holds).
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    guard let found = try decider.books.work.customers.find(command.customer) else {
      throw .customerNotFound(command.customer)
    }
    let row = try decider.books.work.customers.known(found.original)
    let part = FoundCustomer(row, original: row.number)
    return try KeyReplay.idempotently(&decider, command, customer: part) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      try Self.readTogether(&decider.books.work, row, decider.books.definitions)
      let split = try Self.split(decider.books.work, row, command: command, named: survivor)
      return try Self.unmerge(&decider, split, command: command)
    }
  }

  /// A customer that is part of another, and the merge that made it so.
  private struct Split {
    let part: FoundCustomer
    /// The customers that were part of it when it was merged.
    let followers: [CustomerNumber]
    let survivor: CustomerRow
    let merge: TransactionParts
    let history: MergeHistory

    var holder: FoundCustomer { FoundCustomer(survivor, original: survivor.number) }
  }

  // MARK: Refusals

  private static func split(
    _ work: borrowing UnitOfWork, _ row: CustomerRow, command: LedgerCommand.Body, named: CustomerID?
  ) throws(LedgerError) -> Split {
    let part = FoundCustomer(row, original: row.number)
    guard row.mergedInto != 0 else {
      throw try notMerged(work, part, command.customer)
    }
    let survivor = try work.customers.known(row.mergedInto)
    if let named, try work.customers.find(named)?.number != survivor.number {
      throw LedgerError(
        .conditionFailed,
        "\"\(command.customer)\" is part of \"\(survivor.id)\", not of \"\(named)\"; nothing was changed.",
        details: [.text("condition", "from"), .text("survivor", survivor.id.text)])
    }
    let merge = try MergeRules.merge(of: row.number, into: survivor.number) { (number) throws(LedgerError) in
      try work.customers.mergeRecords(of: number)
    }
    guard let merge else { throw try laterMerge(work, part, survivor, command.customer) }
    guard !survivor.isFrozen else {
      throw LedgerError(
        .customerFrozen,
        "\"\(survivor.id)\", of which \"\(command.customer)\" is part, is frozen. Unfreeze that customer first; freeze "
          + "either again afterwards.")
    }
    guard let parts = try work.parts(of: merge.transaction, ofAny: [survivor.number]) else {
      throw .lacksTransaction(merge.transaction)
    }
    let followers = try MergeRules.followers(of: row.number) { (number) throws(LedgerError) in
      try work.customers.mergeRecords(of: number)
    }
    return Split(
      part: part, followers: followers, survivor: survivor, merge: parts,
      history: try MergeHistory(around: merge, work))
  }

  /// Reads the merges of both customers, the survivor's newest entries, and the rows that may move, in one load.
  private static func readTogether(
    _ work: inout UnitOfWork, _ part: CustomerRow, _ definitions: CurrencyDefinitions
  ) throws(LedgerError) {
    let survivor = part.mergedInto
    guard survivor != 0 else { return }
    var reads = JointReads()
    _ = try reads.read { () throws(LedgerError) in
      try [part.number, survivor].gather { (number) throws(LedgerError) in
        try work.customers.mergeRecords(of: number)
      }
    }
    _ = try reads.read { () throws(LedgerError) in
      try definitions.currencies.gather { (currency) throws(LedgerError) in
        let account = try work.session.account(AccountNumber(customer: survivor, currency: currency.number))
        if let account, account.lastEntry != 0 { _ = try work.session.entry(account.lastEntry, of: survivor) }
      }
    }
    _ = try reads.read { () throws(LedgerError) in
      try CustomerMerge.readTogether(&work, [part.number, survivor], definitions)
    }
    try reads.end()
  }

  private static func notMerged(
    _ work: borrowing UnitOfWork, _ customer: FoundCustomer, _ id: CustomerID
  ) throws(LedgerError) -> LedgerError {
    let unmerges = try work.customers.unmerges(of: customer)
    if let last = unmerges.last {
      let survivor = try work.customers.known(last.from).id
      return LedgerError(
        .alreadyReversed, "\"\(id)\" was split off \"\(survivor)\" before and is a separate customer.",
        details: [.text("survivor", survivor.text)])
    }
    return LedgerError(
      .notReversible,
      "\"\(id)\" was never merged into another customer: it is the customer's original id, or an added id. "
        + "Name an id that the customer brought into the merge.")
  }

  /// Returns the refusal for a merge after which the survivor was merged itself.
  private static func laterMerge(
    _ work: borrowing UnitOfWork, _ part: FoundCustomer, _ survivor: CustomerRow, _ id: CustomerID
  ) throws(LedgerError) -> LedgerError {
    for number in try work.customers.numbers(of: survivor.number) where number != survivor.number {
      let merge = try MergeRules.merge(of: part.number, into: number) { (number) throws(LedgerError) in
        try work.customers.mergeRecords(of: number)
      }
      guard merge != nil else { continue }
      let between = try work.customers.known(number).id
      return LedgerError(
        .conditionFailed,
        "\"\(id)\" is part of \"\(between)\", which was merged into another customer since. Unmerge \"\(between)\" "
          + "first.",
        details: [.text("condition", "newest_merge"), .text("first", between.text)])
    }
    return LedgerError(.storageDamaged, "The journal lacks the merge of customer number \(part.number); run verify.")
  }

  /// Refuses if an open hold of the survivor moved with the merge, or took from a lot of the merged customer.
  ///
  /// - Throws: `condition_failed`.
  private static func checkHolds(
    _ books: inout Bookkeeper, _ split: Split, _ belongings: [UnmergedBalances.Belongings]
  ) throws(LedgerError) {
    let numbers = [split.part.number] + split.followers
    let lots = Set(belongings.flatMap(\.lots.keys))
    for hold in try MergedHolds.movingHolds(books.work, of: split.holder) {
      var begun = books.work.journal.own(hold.row.number)
      if begun == nil { begun = try books.work.session.transaction(hold.row.number) }
      guard let begun else { throw .lacksTransaction(hold.row.number) }
      let isOfMerge = numbers.contains(begun.customer)
      let pools = Set(
        try hold.parts.map { (part) throws(LedgerError) in
          books.work.accounts[try books.work.accounts.slot(of: part.account)].row.poolLot
        })
      guard isOfMerge || hold.parts.contains(where: { lots.contains($0.lot) && !pools.contains($0.lot) }) else {
        continue
      }
      let id = HoldID(books.definitions.transactionIDs.id(number: begun.number, createdAt: begun.createdAt))
      throw LedgerError(
        .conditionFailed,
        "The hold \(id) of \"\(split.survivor.id)\" has set currency aside that moved with the merge. Capture or "
          + "release it first.",
        details: [.text("condition", "holds"), .text("hold_id", id.description)])
    }
  }

  // MARK: Booking

  private static func unmerge(
    _ decider: inout Decider, _ split: Split, command: LedgerCommand.Body
  ) throws(LedgerError) -> Booking {
    let moved = MovedByMerge(split.merge, survivor: split.survivor.number)
    let currencies = try currencies(&decider.books.work.accounts, decider.books.definitions, split)
    decider.books.plans.removeAll(keepingCapacity: true)
    for currency in currencies {
      try decider.books.plan(.unmerge, currency.code, 0, customer: split.holder)
    }
    var belongings: [UnmergedBalances.Belongings] = []
    for currency in currencies {
      belongings.append(
        try UnmergedBalances.belongings(&decider.books.work, in: currency, split.history))
    }
    try checkHolds(&decider.books, split, belongings)
    // Due amounts expire before anything moves.
    for index in decider.books.plans.indices where decider.books.plans[index].expiredAmount != 0 {
      decider.books.bookExpiry(of: index, customer: split.survivor.number)
    }
    decider.books.plans.removeAll(keepingCapacity: true)
    var lost: [UnmergedCurrency] = []
    for own in belongings {
      if let part = try UnmergedBalances.takeOut(&decider.books.work, own) { lost.append(part) }
    }
    var booking = try decider.books.book(.unmerge, command: command, customer: split.part)
    let transaction = decider.books.booked
    var (own, others): ([PostedEntry], [PostedEntry]) = ([], [])
    for part in lost {
      let posted = try UnmergedBalances.move(&decider.books, part, to: split.part.number, transaction: transaction)
      own += posted.own
      others += posted.others
    }
    if !own.isEmpty { decider.books.work.journal.listNewestAsWithEntries() }
    booking.entries = CompactList(own)
    booking.isOverMaximum = own.contains { entry in
      currencies.contains { $0.code == entry.currency && entry.balance > $0.maximumBalance }
    }
    let items = try moveItems(&decider.books.work, moved.items, split, &booking)
    try copyCounts(&decider.books, split, transaction: transaction)
    try becomeTwo(&decider.books.work, split, transaction: transaction)
    booking.extras = try extras(decider.books, split, others, items, transaction: transaction)
    return booking
  }

  /// Returns the currencies that may move back: all that the survivor ever had.
  private static func currencies(_ accounts: inout AccountBook, _ definitions: CurrencyDefinitions, _ split: Split)
    throws(LedgerError) -> [CurrencyDefinition]
  {
    var found: [CurrencyDefinition] = []
    for currency in definitions.currencies {
      let number = AccountNumber(customer: split.survivor.number, currency: currency.number)
      let slot = try accounts.slot(of: number)
      if accounts[slot].row.lastEntry != 0 { found.append(currency) }
    }
    return found
  }

  /// Copies the survivor's counts, so that neither a limit nor an allowance starts again.
  private static func copyCounts(
    _ books: inout Bookkeeper, _ split: Split, transaction: TransactionNumber
  ) throws(LedgerError) {
    for row in try books.work.counts.all(of: split.survivor.number) where row.key.kind != .recharged {
      books.work.set(
        CountRow(customer: split.part.number, key: row.key, period: row.period, value: row.value), by: transaction)
    }
    for currency in books.definitions.currencies where currency.policies?.givesByItself == true {
      let number = AccountNumber(customer: split.part.number, currency: currency.number)
      let slot = try books.work.accounts.slot(of: number)
      books.startClock(slot, currency, by: transaction)
      // This group's scheduled effects on the account were applied under other counts.
      books.work.accounts[slot].isCurrent = false
    }
  }

  private static func extras(
    _ books: borrowing Bookkeeper, _ split: Split, _ entries: [PostedEntry], _ items: [PostedItem],
    transaction: TransactionNumber
  ) throws(LedgerError) -> BookingExtras {
    guard let parts = books.work.parts(of: transaction) else { throw .lacksTransaction(transaction) }
    var extras = BookingExtras()
    extras.parties = [
      BookingParty(
        customer: split.survivor.id,
        transactionID: books.definitions.transactionIDs.id(number: transaction, createdAt: books.work.now),
        entries: CompactList(entries), items: items)
    ]
    extras.unmerged = UnmergeReport(
      merge: split.merge, unmerge: parts, survivor: split.survivor.number, named: split.survivor.id,
      definitions: books.definitions)
    return extras
  }

  /// Moves the items that the survivor still owns.
  ///
  /// - Returns: The survivor's side.
  private static func moveItems(
    _ work: inout UnitOfWork, _ moved: [ItemID: Int64], _ split: Split, _ booking: inout Booking
  ) throws(LedgerError) -> [PostedItem] {
    var lost: [PostedItem] = []
    for (item, quantity) in moved.sorted(by: { $0.key < $1.key }) {
      let owned = try work.items.owned(item, by: split.survivor.number)
      let part = min(quantity, owned)
      guard part > 0 else { continue }
      let transaction = work.journal.sequences.transaction
      lost.append(try work.items.add(-part, of: item, to: split.survivor.number, in: transaction))
      try work.add([(item, part)], to: split.part, &booking)
    }
    return lost
  }

  /// Updates the rows of the customers: the numbers that the customer had at the merge lead to it again.
  private static func becomeTwo(
    _ work: inout UnitOfWork, _ split: Split, transaction: TransactionNumber
  ) throws(LedgerError) {
    for number in split.followers {
      var row = try work.customers.known(number)
      row.mergedInto = split.part.number
      work.customers.change(row)
    }
    var row = try work.customers.known(split.part.number)
    row.mergedInto = 0
    row.merged = Int64(split.followers.count) + 1
    work.customers.change(row)
    work.customers.add(
      MergeRow(transaction: transaction, from: split.survivor.number, into: split.part.number), isUnmerge: true)
  }
}

extension LedgerCommand {
  /// Undoes the merge that made a customer part of another.
  ///
  /// - Parameters:
  ///   - customer: Any id that the customer had at the merge.
  ///   - survivor: An id of the customer that it is part of, so that no other customer is split; nil for any.
  ///   - key: Send the same key with every retry.
  ///   - details: Reference, reason and actor.
  public static func unmerge(
    _ customer: CustomerID, from survivor: CustomerID? = nil, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(UnmergeCommand(survivor: survivor), customer: customer, key: key, details: details)
  }
}

extension Ledger {
  /// Undoes the merge that made a customer part of another, and makes the customer independent again.
  ///
  /// The customer gets back the ids, purchases, entitlements and history that it had at the merge, and those of its
  /// lots, debts and items that still exist. For each of them, ``Booking/unmerged`` reports the moved and the
  /// returned amount. Nothing else is taken from the survivor. Ids, purchases and currency added after the merge remain
  /// with the survivor. Undo nested merges from the newest to the oldest.
  ///
  /// - Parameters:
  ///   - customer: Any id that the customer had at the merge.
  ///   - survivor: An id of the customer that it is part of; nil for any.
  ///   - key: Send the same key with every retry.
  /// - Returns: The returned amounts and items; the survivor's side is in ``Booking/parties``.
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `key_conflict`, `already_reversed`
  ///   if the customer was split off before, `not_reversible` if it was never merged into another, `condition_failed`
  ///   if it is part of a customer other than the given survivor or if a later merge has to be undone first,
  ///   `customer_frozen` if the survivor is frozen, `condition_failed` if an open hold has set currency aside that
  ///   moved with the merge.
  @discardableResult
  public func unmerge(
    _ customer: CustomerID, from survivor: CustomerID? = nil, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.unmerge(customer, from: survivor, key: key))
  }
}
