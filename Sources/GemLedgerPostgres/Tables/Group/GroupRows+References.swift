#if PostgreSQL
internal import GemLedger
internal import Synchronization

// Rows refer to other rows: a key to a transaction, an entry to its lot, a lot to its purchase. The look-ups of
// referenced rows are added to the next load, and never cause one: a chain of reads takes few round trips.

extension GroupRows {
  // MARK: Rows that are read together

  /// Requests the rows that are nearly always read with those of the index.
  func wantMore(than index: ObjectIdentifier, at address: RowAddress) {
    switch index {
    case TransactionRow.byNumber.id, EntryRow.ofTransaction.id, ItemEntryRow.ofTransaction.id:
      want(transaction: address)
    case PurchaseRow.byNumber.id: want(purchase: address)
    case LotRow.byNumber.id: want(lot: address.number, of: address.customer)
    case HoldRow.ofCustomer.id where layout.cluster == nil: eventsOfHolds.want(address)
    default: break
    }
  }

  private func want(transaction address: RowAddress) {
    lookup(TransactionRow.byNumber).want(address)
    lookup(EntryRow.ofTransaction).want(address)
    lookup(ItemEntryRow.ofTransaction).want(address)
    lookup(JournalEventRow.about).want(address)
    allocations.want(address)
  }

  /// - Parameter address: The purchase with the customer that it was credited to.
  private func want(purchase address: RowAddress) {
    guard address.customer != nil else { return }
    lookup(PurchaseRow.byNumber).want(address)
    lookup(RefundRow.ofPurchase).want(address)
    partsOfPurchases.want(address)
  }

  private func want(lot: LotNumber, of customer: CustomerNumber?) {
    if lot == 0 || pools.contains(lot) { return }
    lookup(LotRow.byNumber).want(RowAddress(lot, of: customer))
    want(attributesOf: RowAddress(lot, of: customer))
  }

  /// Requests the attributes of a lot, and the purchase that its currency originates from.
  private func want(attributesOf lot: RowAddress, paidBy purchase: Int64? = nil) {
    if layout.cluster == nil {
      lineages.want(lot.number)
      payingPurchases.want(lot.number)
    } else {
      lookup(LotAttributesRow.byLot).want(lot)
      want(purchasePaying: purchase)
    }
  }

  /// Requests more about the first lots, which frequent commands do not need, once a group loads further rows.
  func wantMoreOfFirstLots() {
    for lot in firstLots.found.values.joined() where lot.source == .paid || lot.source == .bonus { wantMore(of: lot) }
  }

  private func wantMore(of lot: LotRow) {
    want(attributesOf: RowAddress(lot.number, of: lot.account.customer), paidBy: lot.purchase)
  }

  // MARK: References

  /// Notes the places of rows that the group may move, and requests the rows that received rows refer to.
  func received<Row>(_ rows: [Row]) {
    if rows.isEmpty { return }
    switch rows {
    case let rows as [HoldRow]: rows.forEach(keep)
    case let rows as [LotRow]:
      for lot in rows {
        lotOwners[lot.number] = lot.account.customer
        if isDeciding { wantMore(of: lot) }
      }
    case let rows as [PurchaseRow]: rows.forEach(keep)
    case let rows as [RefundRow]:
      for row in rows {
        guard let buyer = purchaseOwners[row.purchase] else { continue }
        want(transaction: RowAddress(row.transaction, of: buyer))
      }
    case let rows as [KeyRow]:
      for row in rows {
        if case .booked(let number) = row.outcome { want(transaction: RowAddress(number, of: row.customer)) }
      }
    case let rows as [EntitlementRow]: for row in rows { holders[row.purchase] = row.holder }
    case let rows as [MergedCustomerRow]:
      for row in rows {
        for key in guess.keysOfCustomers[row.customer] ?? [] {
          keys.want(KeyAddress(customer: row.merged, key: key))
        }
      }
    case let rows as [LotAttributesRow]: for row in rows { want(purchasePaying: row.purchase) }
    case let rows as [EntryRow]: for row in rows { want(lot: row.lot, of: row.account.customer) }
    case let rows as [ItemEntryRow]:
      for row in rows { lookup(OwnedItemRow.ofCustomer).want(RowAddress(row.customer, of: nil)) }
    case let rows as [JournalEventRow]:
      for row in rows {
        want(lot: row.lot, of: row.customer)
        // The amount that an earlier reversal gave back is needed.
        if row.kind == .reversal { want(transaction: RowAddress(row.transaction, of: row.customer)) }
      }
    default: break
    }
  }

  private func keep(_ hold: HoldRow) {
    holdsByNumber[hold.number] = hold
    holdOwners[hold.number] = hold.customer
    if let sole = hold.sole {
      want(lot: sole.lot, of: hold.customer)
    } else {
      lookup(JournalEventRow.about).want(RowAddress(hold.number, of: hold.customer))
    }
  }

  /// Requests the purchase that a lot's currency originates from, which any customer may own.
  private func want(purchasePaying number: Int64?) {
    if let number { lookup(PurchaseRow.byNumber).want(RowAddress(number, of: nil)) }
  }

  private func keep(_ purchase: PurchaseRow) {
    purchaseOwners[purchase.number] = purchase.customer
    let address = RowAddress(purchase.number, of: purchase.customer)
    lookup(PurchaseRow.byNumber).set(RowAddress(purchase.number, of: nil), to: [purchase])
    lookup(PurchaseRow.byNumber).set(address, to: [purchase])
    want(purchase: address)
    if let grant = purchase.grant {
      want(lot: grant.lot, of: purchase.customer)
    } else {
      want(transaction: RowAddress(purchase.transaction, of: purchase.customer))
    }
  }

  /// Assigns the parts of a purchase to its refunds.
  func arrived(partsOf purchase: RowAddress, _ parts: [RefundPartRow]) {
    for (refund, parts) in Dictionary(grouping: parts, by: \.transaction) {
      lookup(RefundPartRow.ofTransaction).set(RowAddress(refund, of: purchase.customer), to: parts)
    }
    for part in parts { want(lot: part.lot, of: purchase.customer) }
  }

  /// Assigns the events about a customer's open holds to the holds.
  func arrived(eventsOfHolds customer: RowAddress, _ events: [JournalEventRow]) {
    for (hold, events) in Dictionary(grouping: events, by: \.target) {
      lookup(JournalEventRow.about).set(RowAddress(hold, of: customer.number), to: events)
    }
    received(events)
  }

  func arrived(allocationsOf address: RowAddress, _ rows: [AllocationRow]) {
    for row in rows { want(lot: row.lot, of: address.customer) }
  }

  /// Stores the lots that a lot was derived from.
  func arrived(lineageOf lot: LotNumber, _ rows: [LotAttributesRow]) {
    for row in rows { lineages.set(row.lot, to: [row]) }
    received(rows)
  }

  func arrived(entriesUpTo address: RowAddress, _ rows: [EntryRow]) {
    guard let owner = address.customer else { return }
    for row in rows {
      entriesByAddress[RowAddress(row.number, of: owner)] = row
      if row.lot == 0 { allocations.want(RowAddress(row.transaction, of: owner)) }
    }
  }

  // MARK: Customers and their transactions

  /// Requests the customer's row and accounts, and these keys under all its numbers.
  func want(customer number: CustomerNumber, keys wanted: [IdempotencyKey] = []) {
    if isMade(number) { return }
    customers.want(number)
    if guess.wantsLots { firstLots.want(number) }
    if guess.wantsCounts { lookup(CountRow.ofCustomer).want(RowAddress(number, of: nil)) }
    guard !wanted.isEmpty else { return }
    guess.keysOfCustomers[number, default: []] += wanted
    let merged = lookup(MergedCustomerRow.ofSurvivor).found[RowAddress(number, of: nil)] ?? []
    for owner in [number] + merged.map(\.merged) {
      for key in wanted { keys.want(KeyAddress(customer: owner, key: key)) }
    }
  }

  func keep(customer rows: PostgresRows, _ row: Int) -> (CustomerNumber, CustomerRow) {
    let customer = CustomerRow.read(rows, row)
    if rows.integer(row, 7) != 0 { erased.insert(customer.number) }
    // For a customer without accounts these columns are null.
    if !rows.isNull(row, 8) {
      let account = AccountRow.read(rows, row, at: 8)
      accounts[account.number] = account
      if account.poolLot != 0, customer.mergedInto == 0 { pools.insert(account.poolLot) }
      if account.openLots > 0 { memory.lotDemand.store(StorageCache.lotDemandMax, ordering: .relaxed) }
    }
    return (customer.number, customer)
  }

  func arrived(customer number: CustomerNumber, _ rows: [CustomerRow]) {
    guard let row = rows.first else { return }
    if row.merged > 0 { lookup(MergedCustomerRow.ofSurvivor).want(RowAddress(number, of: nil)) }
    if row.mergedInto != 0 { want(customer: row.mergedInto, keys: guess.keysOfCustomers[number] ?? []) }
    let address = CustomerAddress(original: number, mergedInto: row.mergedInto)
    for (transaction, found) in located.found {
      guard let found = found.first, found.row.customer == number, found.address != address else { continue }
      memory.directory.correct(nil, to: address, since: epoch)
      if guess.holds.contains(transaction) { want(hold: RowAddress(transaction, of: address.survivingCustomer)) }
    }
  }

  func arrived(transaction number: TransactionNumber, _ found: [CustomerDirectory.LocatedTransaction]) {
    guard let found = found.first else { return }
    memory.directory.remember([found], since: epoch)
    locate(found)
  }

  /// Stores a located transaction, and requests its rows, or those of the hold that it began.
  func locate(_ found: CustomerDirectory.LocatedTransaction) {
    let number = found.row.number
    located.set(number, to: [found])
    lookup(TransactionRow.byNumber).set(RowAddress(number, of: found.row.customer), to: [found.row])
    for owner in Set([found.address.original, found.address.survivingCustomer]) {
      want(customer: owner, keys: guess.keysOfTransactions[number] ?? [])
      let address = RowAddress(number, of: owner)
      if guess.holds.contains(number) { want(hold: address) } else { want(transaction: address) }
    }
  }

  private func want(hold address: RowAddress) { lookup(HoldRow.byNumber).want(address) }

  // MARK: Store transactions

  /// Stores the contents of the store transaction's row.
  func keep(_ claim: StoreClaim, of identity: PurchaseIdentity) {
    claims[identity] = claim
    if claim.purchase != 0 { want(purchase: RowAddress(claim.purchase, of: claim.customer)) }
  }
}
#endif
