// MARK: Rows by their keys

extension MemoryTables {
  @specialized(where Row == CustomerRow)
  @specialized(where Row == LotAttributesRow)
  @specialized(where Row == TransactionRow)
  @specialized(where Row == EntryRow)
  @specialized(where Row == AllocationRow)
  @specialized(where Row == ItemEntryRow)
  @specialized(where Row == JournalEventRow)
  @specialized(where Row == HoldRow)
  @specialized(where Row == CountRow)
  @specialized(where Row == OwnedItemRow)
  @specialized(where Row == PurchaseRow)
  @specialized(where Row == RefundRow)
  @specialized(where Row == EvidenceRow)
  func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    let keys = keys.withoutOwners
    switch index.name {
    case .customerByNumber: return try Row.rows(keys.compactMap { customer(number: $0.first) })
    case .mergedCustomers:
      return try Row.rows(
        keys.flatMap { key in
          (cold.mergedInto[key.first] ?? []).sorted().map { MergedCustomerRow(customer: key.first, merged: $0) }
        })
    case .customerByID: return try Row.rows(keys.compactMap(named))
    case .addedIDs:
      return try Row.rows(
        keys.flatMap { key in
          (cold.idsOfCustomers[key.first] ?? []).sorted().map { AddedIDRow(customer: key.first, id: $0) }
        })
    case .customerByToken:
      return try Row.rows(
        keys.compactMap { key in
          let token = TokenNumber(high: key.first, low: key.second)
          return orders.tokens[token].map { AccountTokenRow(token: token, customer: $0) }
        })
    case .mergeByTransaction: return try Row.rows(keys.compactMap { cold.merge($0.first) })
    case .mergesInto: return try Row.rows(keys.flatMap { key in cold.merges.filter { $0.into == key.first } })
    case .accountsOfCustomer: return try Row.rows(keys.flatMap { accounts(of: $0.first) })
    case .checkpointByVersion:
      return try Row.rows(
        keys.compactMap {
          checkpoints[CheckpointID(account: AccountNumber(rawValue: $0.first), version: $0.second)]
        })
    case .lotByNumber: return try Row.rows(keys.compactMap { lots[$0.first] })
    case .pooledLot: return try Row.rows(keys.compactMap(lots.pooled))
    case .attributesByLot: return try Row.rows(keys.compactMap { cold.lotAttributes[$0.first] })
    case .transactionByNumber: return try Row.rows(keys.compactMap { transaction($0.first) })
    case .transactionWithoutEntries: return try Row.rows(keys.compactMap(transactionWithoutEntries))
    case .entryByNumber: return try Row.rows(keys.compactMap { entry($0.first) })
    case .entriesOfTransaction: return try Row.rows(keys.flatMap { entries(of: $0.first) })
    case .allocationsOfEntry: return try Row.rows(keys.flatMap { allocations(of: $0.first) })
    case .noteOfTransaction: return try Row.rows(keys.compactMap { notes[$0.first] })
    case .itemsOfTransaction: return try Row.rows(keys.flatMap { itemEntries[$0.first] ?? [] })
    case .ownedItem: return try Row.rows(keys.compactMap { owned($0.first, ItemID(unchecked: $0.text)) })
    case .ownedItemsOfCustomer:
      return try Row.rows(
        keys.flatMap { key in
          (cold.itemsOfCustomers[key.first] ?? []).sorted().compactMap { owned(key.first, $0) }
        })
    case .keyOfCustomer: return try Row.rows(keys.compactMap(answer))
    case .eventsOfTransaction: return try Row.rows(keys.flatMap { cold.events.events(of: $0.first) })
    case .eventsAbout: return try Row.rows(keys.flatMap { cold.events.events(about: $0.first) })
    case .holdByNumber: return try Row.rows(keys.compactMap { cold.events.holds[$0.first] })
    case .holdsOfCustomer: return try Row.rows(keys.flatMap { cold.events.holds(of: $0.first) })
    case .countByKey: return try Row.rows(keys.compactMap(cold.events.count))
    case .countsOfCustomer: return try Row.rows(keys.flatMap { cold.events.counts(of: $0.first) })
    case .catalogOfKind: return try Row.rows(keys.flatMap { catalog.rows[$0.first] ?? [] })
    case .catalogByCode: return try Row.rows(keys.compactMap(catalog.row))
    case .documentByName:
      return try Row.rows(keys.compactMap { cold.documents[DocumentName(unchecked: $0.text)] })
    default: return try purchaseRows(index, keys)
    }
  }

  /// Rows of purchases, refunds and orders.
  private func purchaseRows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row] {
    switch index.name {
    case .purchaseByIdentity: return try Row.rows(keys.compactMap { purchases[PurchaseIdentity($0)] })
    case .purchaseByNumber: return try Row.rows(keys.compactMap { purchases[number: $0.first] })
    case .purchaseCreditedBy: return try Row.rows(keys.compactMap(purchaseCredited))
    case .entitlementByPurchase:
      return try Row.rows(
        keys.compactMap { key in
          orders.holders[key.first].map { EntitlementRow(purchase: key.first, holder: $0) }
        })
    case .refundByTransaction: return try Row.rows(keys.compactMap { purchases.refund(bookedBy: $0.first) })
    case .refundsOfPurchase: return try Row.rows(keys.flatMap { purchases.refunds(of: $0.first) })
    case .partsOfRefund: return try Row.rows(keys.flatMap { purchases.refundParts[$0.first] ?? [] })
    case .heldOfCustomer:
      return try Row.rows(keys.flatMap { key in purchases.held { $0.customer == key.first } })
    case .heldForSubject:
      return try Row.rows(keys.flatMap { key in purchases.held { $0.subject?.hasBytes(of: key.text) ?? false } })
    case .evidenceOfPurchase:
      return try Row.rows(keys.flatMap { purchases.evidence[PurchaseIdentity($0)] ?? [] })
    case .orderByCode: return try Row.rows(keys.compactMap { orders[PurchaseCode(unchecked: $0.text)] })
    case .orderByPurchase: return try Row.rows(keys.compactMap { orders[purchase: $0.first] })
    case .orderByKey:
      return try Row.rows(keys.compactMap { orders[IdempotencyKey(unchecked: $0.text), $0.first] })
    default: throw .defect("The rows of \(index.name) are read in pages")
    }
  }

  @specialized(where Row == LotRow)
  func page<Row>(
    _ index: RowIndex<Row>, _ key: IndexKey, after place: IndexPlace?, limit: Int
  ) throws(LedgerError) -> [Row] {
    // In a descending order, all lower numbers follow a place.
    let (customer, below) = (key.first, place?.first ?? .max)
    switch index.name {
    case .customersInOrder:
      return try Row.rows(
        MemoryScan.positions(after: place?.first ?? 0, limit: limit, count: customers.count).map { customers[$0] })
    case .environmentsInOrder:
      return try Row.rows(environmentRows.filter { $0.number > place?.first ?? .min }.prefix(limit).map(\.self))
    case .openFreeLots, .openPaidLots:
      return try Row.rows(
        lots.open(
          AccountNumber(rawValue: key.first), paid: index.name == .openPaidLots,
          after: place.map { LotPosition(expiresAt: $0.first, lot: $0.second) }, limit: limit))
    case .transactionsWithoutEntries:
      let numbers = (withoutEntries[customer] ?? []).reversed().lazy.filter { $0 < below }.prefix(limit)
      return try Row.rows(numbers.compactMap(transaction))
    case .eventsOfCustomer:
      return try Row.rows(cold.events.events(of: customer, before: place ?? IndexPlace(.max), limit: limit))
    case .purchasesOfCustomer: return try Row.rows(purchases.purchases(of: customer, below: below, limit: limit))
    case .entitlementsOfHolder:
      return try Row.rows(
        orders.entitlements(of: customer, below: below, limit: limit).map {
          EntitlementRow(purchase: $0, holder: customer)
        })
    case .heldDue:
      return try Row.rows(purchases.held(after: place, limit: limit) { $0.reason.rawValue == key.first })
    case .ordersOfCustomer: return try Row.rows(orders.orders(of: customer, below: below, limit: limit))
    case .ordersDue:
      let state = OrderRow.State(rawValue: key.first) ?? .success
      return try Row.rows(orders.orders(state, after: place ?? IndexPlace(.min), limit: limit))
    default: throw .defect("The rows of \(index.name) are not read in pages")
    }
  }

  private func named(_ key: IndexKey) -> AddedIDRow? {
    let id = CustomerID(unchecked: key.text)
    return customer(id).map { AddedIDRow(customer: $0.original, id: id) }
  }

  private func answer(_ key: IndexKey) -> KeyRow? {
    self.key(
      IdempotencyKey(unchecked: key.text), customer: key.first,
      hash: KeyHash.of(ByteHash.of(key.text), customer: key.first))
  }

  private func owned(_ customer: CustomerNumber, _ item: ItemID) -> OwnedItemRow? {
    ownedItems[OwnedID(customer: customer, item: item)].map {
      OwnedItemRow(customer: customer, item: item, quantity: $0)
    }
  }

  private func transactionWithoutEntries(_ key: IndexKey) -> TransactionRow? {
    let own = withoutEntries[key.first] ?? []
    let place = own.firstIndex { $0 >= key.second }
    return place.flatMap { own[$0] == key.second ? transaction(key.second) : nil }
  }

  private func purchaseCredited(_ key: IndexKey) -> PurchaseRow? {
    guard let customer = transaction(key.first)?.customer else { return nil }
    return purchases.purchase(of: customer, creditedBy: key.first)
  }
}
