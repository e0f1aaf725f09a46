#if PostgreSQL
  internal import GemLedger

  // Customers and what they have.

  extension PostgresTables {
    func customer(number: CustomerNumber) throws(LedgerError) -> CustomerRow? {
      if let prefetched, prefetched.fetched.contains(number) { return prefetched.customers[number] }
      return try first(
        "SELECT \(Self.customerColumns) FROM customers WHERE customer = $1", { $0.add(number) }, Self.customer)
    }

    func customers(after number: CustomerNumber, limit: Int) throws(LedgerError) -> [CustomerRow] {
      let page = try all(
        "SELECT \(Self.customerColumns) FROM customers WHERE customer > $1 ORDER BY customer LIMIT $2",
        {
          $0.add(number)
          $0.add(Int64(limit))
        }, Self.customer)
      if let end = page.last?.number, end <= number { throw .leadsBack("customers") }
      return page
    }

    func mergedCustomers(into number: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
      if let known = try mergedInGroup(into: number) { return known }
      return try all(
        "SELECT merged FROM merged_customers WHERE customer = $1 ORDER BY merged", { $0.add(number) },
        { $0.integer($1, 0) })
    }

    func addedIDs(of number: CustomerNumber) throws(LedgerError) -> [CustomerID] {
      if let known = try addedIDsInGroup(of: number) { return known }
      return try all(
        "SELECT id FROM added_ids WHERE customer = $1 ORDER BY id", { $0.add(number) },
        { CustomerID(unchecked: $0.text($1, 0)) })
    }

    func customer(token: TokenNumber) throws(LedgerError) -> CustomerNumber? {
      try first(
        "SELECT customer FROM account_tokens WHERE high = $1 AND low = $2",
        {
          $0.add(token.high)
          $0.add(token.low)
        }, { $0.integer($1, 0) })
    }

    func accounts(of customer: CustomerNumber) throws(LedgerError) -> [AccountRow] {
      try all(
        "SELECT \(Self.accountColumns) FROM accounts WHERE customer = $1 ORDER BY currency", { $0.add(customer) },
        Self.account)
    }

    // MARK: Lots

    func lot(_ number: LotNumber, of owner: CustomerNumber) throws(LedgerError) -> LotRow? {
      if prefetched?.booked.knows(lot: number, of: owner) == false { try fetchOpenHolds() }
      if let booked = prefetched?.booked, booked.knows(lot: number, of: owner) { return booked.lots[number] }
      prefetched?.lotOwners[number] = owner
      return try first(
        "SELECT \(Self.lotColumns) FROM lots WHERE customer = $1 AND lot = $2",
        {
          $0.add(owner)
          $0.add(number)
        }, Self.lot)
    }

    /// Looks through all lots.
    func lot(_ number: LotNumber) throws(LedgerError) -> LotRow? {
      try first("SELECT \(Self.lotColumns) FROM lots WHERE lot = $1", { $0.add(number) }, Self.lot)
    }

    func lotTerms(_ number: LotNumber, of owner: CustomerNumber) throws(LedgerError) -> LotTermsRow? {
      if prefetched?.booked.knows(termsOf: number, of: owner) == false { try fetchTermsOfBooked() }
      if let booked = prefetched?.booked, booked.knows(termsOf: number, of: owner) { return booked.terms[number] }
      return try first(
        "SELECT \(Self.lotTermsColumns) FROM lot_attributes WHERE customer = $1 AND lot = $2",
        {
          $0.add(owner)
          $0.add(number)
        }, Self.lotTerms)
    }

    /// Looks through the terms of all lots.
    func lotTerms(_ number: LotNumber) throws(LedgerError) -> LotTermsRow? {
      try first(
        "SELECT \(Self.lotTermsColumns) FROM lot_attributes WHERE lot = $1 LIMIT 1", { $0.add(number) }, Self.lotTerms)
    }

    // MARK: Items

    func owned(_ item: ItemID, customer: CustomerNumber) throws(LedgerError) -> Int64 {
      if let known = try ownedInGroup(item, by: customer) { return known }
      return try first(
        "SELECT quantity FROM owned_items WHERE customer = $1 AND item = $2",
        {
          $0.add(customer)
          $0.add(item.text)
        }, { $0.integer($1, 0) }) ?? 0
    }

    func ownedItems(of customer: CustomerNumber) throws(LedgerError) -> [OwnedItemRow] {
      try all(
        "SELECT \(Self.ownedItemColumns) FROM owned_items WHERE customer = $1 ORDER BY item", { $0.add(customer) },
        Self.ownedItem)
    }
  }
#endif
