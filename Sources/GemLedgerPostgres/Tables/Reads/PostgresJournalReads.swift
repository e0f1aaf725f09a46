#if PostgreSQL
internal import GemLedger

/// Reads of keys, and of the journal of known customers.
protocol PostgresJournalReads: PostgresReads {}

extension PostgresJournalReads {
  func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow? {
    let storageName = storageName
    if let deciding {
      if deciding.isMade(customer) { return nil }
      return try deciding.keys.first(GroupRows.KeyAddress(customer: customer, key: key))
    }
    return try first(
      """
      SELECT request_digest, qualifier_digest, transaction_number, refusal FROM keys WHERE customer = $1 AND key = $2
      """,
      {
        $0.add(customer)
        $0.add(bytes: PostgresKey.bytes(key))
      },
      { (rows, row) throws(LedgerError) in
        KeyRow(
          customer: customer, key: key,
          fingerprint: Fingerprint(asked: rows.integer(row, 0), qualifiers: rows.integer(row, 1)),
          outcome: try rows.keyOutcome(row, 2, storageName))
      })
  }

  func transaction(
    _ number: TransactionNumber, of owner: CustomerNumber
  ) throws(LedgerError) -> TransactionRow? {
    if let deciding { return try deciding.rows(deciding.transactions, number, ofAny: [owner]).first }
    return try first(
      "SELECT \(TransactionRow.columns) FROM transactions WHERE customer = $1 AND number = $2",
      {
        $0.add(owner)
        $0.add(number)
      }, TransactionRow.read)
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
      "SELECT \(EntryRow.columns) FROM entries WHERE customer = $1 AND number = $2",
      {
        $0.add(owner)
        $0.add(number)
      }, EntryRow.read)
  }

  /// Checkpoints say between which entries a version lies: at most so many are looked at, in one round trip.
  func entry(of account: AccountRow, version: Int64) throws(LedgerError) -> EntryRow? {
    guard version >= 1, version <= account.version else { return nil }
    let before = version / CheckpointRow.interval * CheckpointRow.interval
    let found = try first(
      """
      SELECT \(EntryRow.columns) FROM entries WHERE customer = $1 AND currency = $2 AND version = $3
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
        $0.add(before + CheckpointRow.interval)
        $0.add(account.lastEntry)
      }, EntryRow.read)
    guard let found else {
      throw LedgerError(
        .storageDamaged, "\(storageName) lacks the entry that made version \(version) of an account. Run verify.")
    }
    return found
  }

  func entries(
    of transaction: TransactionNumber, of owner: CustomerNumber
  ) throws(LedgerError) -> [EntryRow] {
    let numbers = Numbering.entries(of: transaction)
    return try all(
      """
      SELECT \(EntryRow.columns) FROM entries WHERE customer = $1 AND number >= $2 AND number < $3 ORDER BY number
      """,
      {
        $0.add(owner)
        $0.add(numbers.lowerBound)
        $0.add(numbers.upperBound)
      }, EntryRow.read)
  }

  func allocations(of entry: EntryNumber, of owner: CustomerNumber) throws(LedgerError) -> [AllocationRow] {
    try all(
      "SELECT \(AllocationRow.columns) FROM allocations WHERE customer = $1 AND entry = $2 ORDER BY position",
      {
        $0.add(owner)
        $0.add(entry)
      }, AllocationRow.read)
  }

  func note(_ transaction: TransactionNumber, of owner: CustomerNumber) throws(LedgerError) -> NoteRow? {
    try first(
      "SELECT \(NoteRow.columns) FROM notes WHERE customer = $1 AND transaction_number = $2",
      {
        $0.add(owner)
        $0.add(transaction)
      }, NoteRow.read)
  }

  func items(
    of transaction: TransactionNumber, of owner: CustomerNumber
  ) throws(LedgerError) -> [ItemEntryRow] {
    try all(
      """
      SELECT \(ItemEntryRow.columns) FROM item_entries WHERE customer = $1 AND transaction_number = $2 ORDER BY item
      """,
      {
        $0.add(owner)
        $0.add(transaction)
      }, ItemEntryRow.read)
  }

  func checkpoint(_ account: AccountNumber, version: Int64) throws(LedgerError) -> CheckpointRow? {
    try first(
      "SELECT \(CheckpointRow.columns) FROM checkpoints WHERE customer = $1 AND currency = $2 AND version = $3",
      {
        $0.add(account.customer)
        $0.add(account.currency)
        $0.add(version)
      }, CheckpointRow.read)
  }
}
#endif
