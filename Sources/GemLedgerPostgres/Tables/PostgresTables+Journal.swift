#if PostgreSQL
  internal import GemLedger

  // The journal of customers who are known.

  extension PostgresTables {
    func transaction(
      _ number: TransactionNumber, of owner: CustomerNumber
    ) throws(LedgerError) -> TransactionRow? {
      if let booked = prefetched?.booked, booked.knows(.row, of: number) { return booked.transactions[number] }
      return try first(
        "SELECT \(Self.transactionColumns) FROM transactions WHERE customer = $1 AND number = $2",
        {
          $0.add(owner)
          $0.add(number)
        }, Self.transaction)
    }

    func transactionsWithoutEntries(
      of customer: CustomerNumber, below: TransactionNumber, limit: Int
    ) throws(LedgerError) -> [TransactionNumber] {
      try all(
        """
        SELECT number FROM transactions WHERE customer = $1 AND NOT has_entries AND number < $2
        ORDER BY number DESC LIMIT $3
        """,
        {
          $0.add(customer)
          $0.add(below)
          $0.add(Int64(limit))
        }, { $0.integer($1, 0) })
    }

    func entry(_ number: EntryNumber, of owner: CustomerNumber) throws(LedgerError) -> EntryRow? {
      try first(
        "SELECT \(Self.entryColumns) FROM entries WHERE customer = $1 AND number = $2",
        {
          $0.add(owner)
          $0.add(number)
        }, Self.entry)
    }

    /// Anchors say between which entries a version lies: at most so many are looked at, in one round trip.
    func entry(of account: AccountRow, version: Int64) throws(LedgerError) -> EntryRow? {
      guard version >= 1, version <= account.version else { return nil }
      let before = version / AnchorRow.interval * AnchorRow.interval
      let found = try first(
        """
        SELECT \(Self.entryColumns) FROM entries WHERE customer = $1 AND currency = $2 AND version = $3
          AND number >= coalesce((
            SELECT entry FROM checkpoints WHERE customer = $1 AND currency = $2 AND version = $4), 0)
          AND number <= coalesce((
            SELECT entry FROM checkpoints WHERE customer = $1 AND currency = $2 AND version = $5), $6)
        """,
        {
          $0.add(account.number.customer)
          $0.add(account.number.currency)
          $0.add(version)
          $0.add(before)
          $0.add(before + AnchorRow.interval)
          $0.add(account.lastEntry)
        }, Self.entry)
      guard let found else {
        throw LedgerError(
          .storageDamaged, "\(place) lacks the entry that made version \(version) of an account. Run verify.")
      }
      return found
    }

    func entries(
      of transaction: TransactionNumber, of owner: CustomerNumber
    ) throws(LedgerError) -> [EntryRow] {
      let numbers = Numbering.entries(of: transaction)
      return try all(
        """
        SELECT \(Self.entryColumns) FROM entries WHERE customer = $1 AND number >= $2 AND number < $3 ORDER BY number
        """,
        {
          $0.add(owner)
          $0.add(numbers.lowerBound)
          $0.add(numbers.upperBound)
        }, Self.entry)
    }

    func allocations(of entry: EntryNumber, of owner: CustomerNumber) throws(LedgerError) -> [AllocationRow] {
      try all(
        "SELECT \(Self.allocationColumns) FROM allocations WHERE customer = $1 AND entry = $2 ORDER BY position",
        {
          $0.add(owner)
          $0.add(entry)
        }, Self.allocation)
    }

    func note(_ transaction: TransactionNumber, of owner: CustomerNumber) throws(LedgerError) -> NoteRow? {
      try first(
        "SELECT \(Self.noteColumns) FROM notes WHERE customer = $1 AND transaction_number = $2",
        {
          $0.add(owner)
          $0.add(transaction)
        }, Self.note)
    }

    func items(
      of transaction: TransactionNumber, of owner: CustomerNumber
    ) throws(LedgerError) -> [ItemEntryRow] {
      try all(
        """
        SELECT \(Self.itemEntryColumns) FROM item_entries WHERE customer = $1 AND transaction_number = $2 ORDER BY item
        """,
        {
          $0.add(owner)
          $0.add(transaction)
        }, Self.itemEntry)
    }

    func anchor(_ account: AccountNumber, version: Int64) throws(LedgerError) -> AnchorRow? {
      try first(
        "SELECT \(Self.anchorColumns) FROM checkpoints WHERE customer = $1 AND currency = $2 AND version = $3",
        {
          $0.add(account.customer)
          $0.add(account.currency)
          $0.add(version)
        }, Self.anchor)
    }
  }
#endif
