#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// Reads of effects, holds and counts.
protocol PostgresEventReads: PostgresReads {}

extension PostgresEventReads {
  func events(
    of transaction: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [JournalEventRow] {
    if let deciding {
      return try deciding.rows(deciding.ownEvents, transaction, ofAny: owners).sorted { $0.position < $1.position }
    }
    return try all(
      """
      SELECT \(JournalEventRow.columns) FROM journal_events WHERE customer = ANY($1) AND transaction_number = $2
      ORDER BY position
      """,
      {
        $0.add(owners, \.self)
        $0.add(transaction)
      }, JournalEventRow.read)
  }

  func events(
    about target: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [JournalEventRow] {
    if let deciding {
      return try deciding.rows(deciding.laterEvents, target, ofAny: owners).sorted {
        ($0.transaction, $0.position) < ($1.transaction, $1.position)
      }
    }
    return try all(
      """
      SELECT \(JournalEventRow.columns) FROM journal_events WHERE customer = ANY($1) AND target = $2 AND target <> 0
      ORDER BY transaction_number, position
      """,
      {
        $0.add(owners, \.self)
        $0.add(target)
      }, JournalEventRow.read)
  }

  func events(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [JournalEventRow] {
    guard limit > 0 else { return [] }
    // All of the transaction that the last one within the limit belongs to.
    return try all(
      """
      SELECT \(JournalEventRow.columns) FROM journal_events
      WHERE customer = $1 AND transaction_number < $2 AND kind BETWEEN 3 AND 6
        AND transaction_number >= coalesce((
          SELECT transaction_number FROM journal_events
          WHERE customer = $1 AND transaction_number < $2 AND kind BETWEEN 3 AND 6
          ORDER BY transaction_number DESC, position DESC OFFSET $3 LIMIT 1), 0)
      ORDER BY transaction_number DESC, position DESC
      """,
      {
        $0.add(customer)
        $0.add(below)
        $0.add(Int64(limit) - 1)
      }, JournalEventRow.read)
  }

  func events(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [JournalEventRow]] {
    let rows = try rows(
      at: transactions, JournalEventRow.columns, from: "journal_events", by: "transaction_number", JournalEventRow.read)
    return Dictionary(grouping: rows.sorted { $0.position < $1.position }, by: \.transaction)
  }

  func events(
    about targets: [TransactionNumber: [CustomerNumber]]
  ) throws(LedgerError) -> [TransactionNumber: [JournalEventRow]] {
    let addresses = targets.flatMap { target, owners in owners.map { RowAddress(target, of: $0) } }
    let rows = try rows(
      at: addresses, JournalEventRow.columns, from: "journal_events", by: JournalEventRow.byTarget, JournalEventRow.read
    )
    return Dictionary(
      grouping: rows.sorted { ($0.transaction, $0.position) < ($1.transaction, $1.position) }, by: \.target)
  }

  func hold(_ number: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> HoldRow? {
    if let deciding {
      return owners.isEmpty
        ? deciding.holdsByNumber[number] : try deciding.rows(deciding.holds, number, ofAny: owners).first
    }
    if owners.isEmpty { return nil }
    let hold = try first(
      "SELECT \(HoldRow.columns) FROM open_holds WHERE customer = ANY($1) AND hold = $2",
      {
        $0.add(owners, \.self)
        $0.add(number)
      }, HoldRow.read)
    // A write that moves or ends the hold removes it here.
    if let hold { prefetched?.holdOwners[number] = hold.customer }
    return hold
  }

  func holds(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] {
    if let deciding {
      if !deciding.isMade(customer) { deciding.heldEvents.want(customer) }
      return try deciding.rows(deciding.holdsOf, of: customer)
    }
    return try all(
      "SELECT \(HoldRow.columns) FROM open_holds WHERE customer = $1 ORDER BY deadline, hold", { $0.add(customer) },
      HoldRow.read)
  }

  func count(_ key: CountKey, of customer: CustomerNumber) throws(LedgerError) -> CountRow? {
    if deciding != nil { return try counts(of: customer).first { $0.key == key } }
    return try first(
      "SELECT \(CountRow.columns) FROM counters WHERE customer = $1 AND kind = $2 AND subject = $3",
      {
        $0.add(customer)
        $0.add(key.kind.rawValue)
        $0.add(key.subject)
      }, CountRow.read)
  }

  func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] {
    if let deciding {
      memory.countDemand.store(StorageCache.countDemandMax, ordering: .relaxed)
      return try deciding.rows(deciding.counts, of: customer).sorted { $0.key < $1.key }
    }
    return try all(
      "SELECT \(CountRow.columns) FROM counters WHERE customer = $1 ORDER BY kind, subject", { $0.add(customer) },
      CountRow.read)
  }
}
#endif
