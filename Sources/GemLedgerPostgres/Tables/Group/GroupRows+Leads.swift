#if PostgreSQL
internal import GemLedger
internal import Synchronization

// Received rows refer to other rows: a transaction to its customer, an entry to its lot, a lot to its purchase. These
// look-ups are added to the next load, and never cause one.

extension GroupRows {
  /// Requests the customer's row and accounts, and these keys under all its numbers.
  func want(customer number: CustomerNumber, keys wanted: [IdempotencyKey] = []) {
    if isMade(number) { return }
    customers.want(number)
    if guess.wantsLots { firstLots.want(number) }
    if guess.wantsCounts { counts.want(number) }
    guard !wanted.isEmpty else { return }
    if guess.keysOfCustomers[number]?.append(contentsOf: wanted) == nil { guess.keysOfCustomers[number] = wanted }
    for key in wanted { keys.want(KeyAddress(customer: number, key: key)) }
    for member in members(of: number) {
      for key in wanted { keys.want(KeyAddress(customer: member, key: key)) }
    }
  }

  func want(allOf number: CustomerNumber) {
    guess.moved.insert(number)
    firstLots.want(number)
    holdsOf.want(number)
    heldEvents.want(number)
    counts.want(number)
    ownedItems.want(number)
    addedIDs.want(number)
    merges.want(number)
  }

  /// For a used key, requests the transaction for the replay.
  func arrived(key: KeyAddress, _ rows: [KeyRow]) {
    guard let booked = rows.first?.bookedTransaction else { return }
    guess.replayed.insert(booked)
    want(partsAt: RowAddress(booked, of: key.customer))
  }

  private func want(partsAt address: RowAddress) {
    transactions.want(address)
    entries.want(address)
    allocations.want(address)
    items.want(address)
  }

  /// For a replay, requests the effects of the transaction too.
  func arrived(transactionAt address: RowAddress, _ rows: [TransactionRow]) {
    guard let row = rows.first, row.kind.hasEvents, guess.replayed.contains(row.number) else { return }
    for owner in [row.customer] + members(of: row.customer) {
      ownEvents.want(RowAddress(row.number, of: owner))
      laterEvents.want(RowAddress(row.number, of: owner))
    }
  }

  func arrived(mergesInto customer: CustomerNumber, _ rows: [MergeRow]) {
    guard guess.splitsOff else { return }
    for row in rows { want(partsAt: RowAddress(row.transaction, of: customer)) }
  }

  func arrived(entriesUpTo address: RowAddress, _ rows: [EntryRow]) {
    guard let owner = address.customer else { return }
    for row in rows {
      entriesByAddress[RowAddress(row.number, of: owner)] = row
      if row.lot == 0 { allocations.want(RowAddress(row.transaction, of: owner)) }
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
      if guess.splitsOff {
        guess.lastEntries[customer.number] = max(guess.lastEntries[customer.number] ?? 0, account.lastEntry)
      }
      if account.openLots > 0 { memory.lotDemand.store(StorageCache.lotDemandMax, ordering: .relaxed) }
    }
    return (customer.number, customer)
  }

  func arrived(customer number: CustomerNumber, _ rows: [CustomerRow]) {
    guard let row = rows.first else { return }
    if row.merged > 0 { merged.want(number) }
    if row.mergedInto == 0, let last = guess.lastEntries[number] {
      entryPages.want(RowAddress(last, of: number))
    }
    let address = CustomerAddress(original: number, mergedInto: row.mergedInto)
    if row.mergedInto != 0 { want(customer: row.mergedInto, keys: guess.keysOfCustomers[number] ?? []) }
    for (transaction, place) in guess.places where place.original == number && place != address {
      memory.directory.correct(nil, to: address)
      lookAt(transaction, address)
    }
  }

  func arrived(mergedInto survivor: CustomerNumber, _ members: [MergedCustomerRow]) {
    for key in guess.keysOfCustomers[survivor] ?? [] {
      for member in members { keys.want(KeyAddress(customer: member.merged, key: key)) }
    }
    for (transaction, place) in guess.places where place.survivingCustomer == survivor { lookAt(transaction, place) }
  }

  func arrived(transaction number: TransactionNumber, _ found: [CustomerDirectory.LocatedTransaction]) {
    guard let found = found.first else { return }
    memory.directory.remember([found], since: epoch)
    locate(found)
  }

  func arrived(entriesOfLocated number: TransactionNumber, _ rows: [EntryRow]) {
    guard let address = address(ofLocated: number) else { return }
    entries.set(address, to: rows)
    arrived(entriesOf: address, rows)
  }

  func arrived(allocationsOfLocated number: TransactionNumber, _ rows: [AllocationRow]) {
    guard let address = address(ofLocated: number) else { return }
    allocations.set(address, to: rows)
    arrived(allocationsOf: address, rows)
  }

  private func address(ofLocated number: TransactionNumber) -> RowAddress? {
    located.found[number]?.first.map { RowAddress(number, of: $0.row.customer) }
  }

  /// Stores a located transaction, and requests its rows.
  func locate(_ found: CustomerDirectory.LocatedTransaction) {
    located.set(found.row.number, to: [found])
    transactions.set(RowAddress(found.row.number, of: found.row.customer), to: [found.row])
    let keys = guess.named[found.row.number]?.keys ?? []
    want(customer: found.address.original, keys: keys)
    want(customer: found.address.survivingCustomer, keys: keys)
    if guess.named[found.row.number] != nil { lookAt(found.row.number, found.address) }
  }

  /// Requests the rows of a transaction, or about it, under all numbers of its customer.
  private func lookAt(_ number: TransactionNumber, _ place: CustomerAddress) {
    guess.places[number] = place
    for owner in owners(at: place) {
      let address = RowAddress(number, of: owner)
      if guess.named[number]?.isHold == true {
        holds.want(address)
        continue
      }
      if guess.named[number] != nil { laterEvents.want(address) }
      entries.want(address)
      allocations.want(address)
      items.want(address)
    }
  }

  private func owners(at place: CustomerAddress) -> Set<CustomerNumber> {
    Set([place.original, place.survivingCustomer] + members(of: place.survivingCustomer))
  }

  /// Returns the known customers that are part of the survivor.
  private func members(of survivor: CustomerNumber) -> [CustomerNumber] {
    (merged.found[survivor] ?? []).map(\.merged)
  }

  // MARK: Lots

  /// Requests the lot that a row of the transaction names.
  private func want(lot: LotNumber, namedBy namer: CustomerNumber, in transaction: TransactionNumber) {
    if layout.isDistributed { lotAttributes.want(RowAddress(lot, of: namer)) } else { lineages.want(lot) }
    guard let place = guess.places[transaction], !pools.contains(lot) else { return }
    for owner in owners(at: place) { lots.want(RowAddress(lot, of: owner)) }
    if !layout.isDistributed { purchasesOfLots.want(lot) }
  }

  /// Stores the lots that a lot was derived from.
  func arrived(lineageOf lot: LotNumber, _ rows: [LotAttributesRow]) {
    for row in rows { lineages.set(row.lot, to: [row]) }
  }

  func arrived(entriesOf address: RowAddress, _ rows: [EntryRow]) {
    for row in rows where row.lot != 0 { want(lot: row.lot, namedBy: row.account.customer, in: address.number) }
  }

  func arrived(allocationsOf address: RowAddress, _ rows: [AllocationRow]) {
    for row in rows { want(lot: row.lot, namedBy: address.customer ?? 0, in: address.number) }
  }

  /// For returned items, requests their price.
  func arrived(itemsOf address: RowAddress, _ rows: [ItemEntryRow]) {
    if let customer = guess.refunded[address.number] {
      for owner in owners(at: guess.places[address.number] ?? CustomerAddress(original: customer, mergedInto: 0)) {
        for row in rows { owned.want(OwnedItem(customer: owner, item: row.item)) }
      }
    }
    guard guess.named[address.number] != nil, let place = guess.places[address.number] else { return }
    for row in rows { owned.want(OwnedItem(customer: place.survivingCustomer, item: row.item)) }
    if !rows.isEmpty { counts.want(place.survivingCustomer) }
  }

  func arrived(heldEventsOf customer: CustomerNumber, _ rows: [JournalEventRow]) {
    for (hold, rows) in Dictionary(grouping: rows, by: \.target) {
      let address = RowAddress(hold, of: customer)
      guess.places[hold] = guess.places[hold] ?? CustomerAddress(original: customer, mergedInto: 0)
      laterEvents.set(address, to: rows)
      arrived(eventsAbout: address, rows)
    }
  }

  func arrived(eventsAbout address: RowAddress, _ rows: [JournalEventRow]) {
    for row in rows {
      if row.lot != 0 { want(lot: row.lot, namedBy: row.customer, in: row.target) }
      // The amount that an earlier reversal gave back is needed.
      guard row.kind == .reversal, let place = guess.places[row.target] else { continue }
      for owner in owners(at: place) { transactions.want(RowAddress(row.transaction, of: owner)) }
      lookAt(row.transaction, place)
    }
  }

  func arrived(hold address: RowAddress, _ rows: [HoldRow]) { rows.forEach(keep) }
  func arrived(holdsOf customer: CustomerNumber, _ rows: [HoldRow]) {
    for row in rows {
      guess.places[row.number] = guess.places[row.number] ?? CustomerAddress(original: customer, mergedInto: 0)
      keep(row)
    }
  }

  private func keep(_ hold: HoldRow) {
    holdsByNumber[hold.number] = hold
    holdOwners[hold.number] = hold.customer
    guard let place = guess.places[hold.number] else { return }
    if let sole = hold.sole {
      want(lot: sole.lot, namedBy: hold.customer, in: hold.number)
    } else {
      for owner in owners(at: place) { laterEvents.want(RowAddress(hold.number, of: owner)) }
    }
  }

  func arrived(lotsOf customer: CustomerNumber, _ rows: [LotRow]) {
    for row in rows {
      keep(row)
      guard guess.moved.contains(customer), !layout.isDistributed else { continue }
      lineages.want(row.number)
      // A merge reclaims currency of refunded purchases.
      if row.purchase == nil, row.source == .paid || row.source == .bonus { purchasesOfLots.want(row.number) }
    }
  }
  func arrived(lot address: RowAddress, _ rows: [LotRow]) {
    for row in rows {
      keep(row)
      guard let purchase = row.purchase, purchasesByNumber[purchase] == nil else { continue }
      purchases.want(RowAddress(purchase, of: row.account.customer))
    }
  }

  private func keep(_ lot: LotRow) { lotOwners[lot.number] = lot.account.customer }

  // MARK: Purchases

  /// Stores the contents of the store transaction's row.
  func keep(_ claim: StoreClaim, of identity: PurchaseIdentity) {
    claims[identity] = claim
    guard claim.purchase != 0 else { return }
    purchases.want(RowAddress(claim.purchase, of: claim.customer))
    if let keys = guess.refunds[identity] { want(customer: claim.customer, keys: keys) }
  }

  func arrived(purchases address: RowAddress, _ rows: [PurchaseRow]) { rows.forEach(keep) }
  func arrived(purchasesOf lot: LotNumber, _ rows: [PurchaseRow]) { rows.forEach(keep) }
  func arrived(purchaseAnywhere number: Int64, _ rows: [PurchaseRow]) { rows.forEach(keep) }

  private func keep(_ purchase: PurchaseRow) {
    purchasesByNumber[purchase.number] = purchase
    purchaseOwners[purchase.number] = purchase.customer
    let isAsked = guess.refunds[purchase.identity] != nil
    guard purchase.refund != nil || isAsked else { return }
    let address = RowAddress(purchase.number, of: purchase.customer)
    refunds.want(address)
    if let refund = purchase.refund {
      if layout.isDistributed {
        refundParts.want(RowAddress(refund.transaction, of: purchase.customer))
      } else {
        partsOfPurchase.want(address)
      }
    }
    if isAsked {
      guess.refunded[purchase.transaction] = purchase.customer
      if let newest = purchase.refund?.transaction { want(refundBy: newest, of: purchase.customer) }
    }
    let place = guess.places[purchase.transaction] ?? CustomerAddress(original: purchase.customer, mergedInto: 0)
    if let grant = purchase.grant {
      guess.places[purchase.transaction] = place
      want(lot: grant.lot, namedBy: purchase.customer, in: purchase.transaction)
    } else {
      transactions.want(RowAddress(purchase.transaction, of: purchase.customer))
      lookAt(purchase.transaction, place)
    }
  }

  func arrived(refundsOf address: RowAddress, _ rows: [RefundRow]) {
    for row in rows {
      refundParts.want(RowAddress(row.transaction, of: address.customer))
      if let customer = address.customer, !guess.refunds.isEmpty {
        want(refundBy: row.transaction, of: customer)
      }
    }
    partsArrived(of: address)
  }
  /// For a changed or undone refund, requests the items that it took.
  private func want(refundBy transaction: TransactionNumber, of customer: CustomerNumber) {
    guess.refunded[transaction] = customer
    want(partsAt: RowAddress(transaction, of: customer))
  }

  func arrived(partsOf address: RowAddress, _: [RefundPartRow]) { partsArrived(of: address) }

  /// Assigns the parts of a purchase to its refunds, in any order of arrival; one of them may have no part.
  private func partsArrived(of purchase: RowAddress) {
    guard let refunds = refunds.found[purchase], let parts = partsOfPurchase.found[purchase] else { return }
    for refund in refunds {
      refundParts.set(
        RowAddress(refund.transaction, of: purchase.customer),
        to: parts.filter { $0.transaction == refund.transaction })
    }
  }

  func arrived(orderOf code: PurchaseCode, _ rows: [OrderRow]) {
    for row in rows { want(customer: row.customer) }
  }
}
#endif
