/// Reads one account's entries from new to old; account checkpoints give direct access to distant entries.
package struct AccountHistory {
  let snapshot: any StorageSnapshot
  let account: AccountRow

  package init(snapshot: any StorageSnapshot, account: AccountRow) {
    self.snapshot = snapshot
    self.account = account
  }

  /// The entry that made this version.
  package func entry(version: Int64) throws(LedgerError) -> EntryRow? {
    guard version >= 1, version <= account.version else { return nil }
    let checkpointVersion = (version + CheckpointRow.interval - 1) / CheckpointRow.interval * CheckpointRow.interval
    var current = try start(checkpointVersion: checkpointVersion)
    while let entry = current, entry.version > version { current = try previous(entry) }
    return current
  }

  /// The newest entry of a transaction below that number.
  package func newest(below transaction: TransactionNumber) throws(LedgerError) -> EntryRow? {
    try newest { (checkpoint) in
      checkpoint.transaction < transaction
    } fits: { (entry) in
      entry.transaction < transaction
    }.entry
  }

  /// The newest entry booked at or before the instant, and the one after it.
  func newest(at instant: Timestamp) throws(LedgerError) -> (entry: EntryRow?, successor: EntryRow?) {
    try newest { (checkpoint) in
      checkpoint.createdAt <= instant
    } fits: { (entry) throws(LedgerError) in
      try time(of: entry) <= instant
    }
  }

  /// When an entry of the account was booked.
  func time(of entry: EntryRow) throws(LedgerError) -> Timestamp {
    if let row = try snapshot.transaction(entry.transaction, of: account.number.customer) { return row.createdAt }
    // The merge that emptied the account belongs to the survivor; an unmerge belongs to the customer that it split off.
    let isOfTwo = entry.kind == .merge || entry.kind == .unmerge
    if isOfTwo, let row = try snapshot.transaction(entry.transaction) { return row.createdAt }
    throw LedgerError(.storageDamaged, "The journal lacks transaction \(entry.transaction); run verify.")
  }

  package func previous(_ entry: EntryRow) throws(LedgerError) -> EntryRow? {
    guard entry.previous != 0 else { return nil }
    let owner = account.number.customer
    guard let previous = try snapshot.entry(entry.previous, of: owner), previous.number < entry.number else {
      throw LedgerError(
        .storageDamaged, "The journal lacks entry \(entry.previous), which precedes \(entry.number); run verify.")
    }
    return previous
  }

  /// Finds the newest entry that matches; matching entries are older than the others.
  private func newest(
    checkpointFits: (CheckpointRow) -> Bool, fits: (EntryRow) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> (entry: EntryRow?, successor: EntryRow?) {
    // The first checkpoint that does not match is at most 64 entries after the sought entry.
    var (low, high) = (Int64(1), account.version / CheckpointRow.interval + 1)
    while low < high {
      let middle = (low + high) / 2
      guard let checkpoint = try checkpoint(version: middle * CheckpointRow.interval) else {
        throw LedgerError(
          .storageDamaged, "The history of account \(account.number.rawValue) lacks an anchor; run verify.")
      }
      if checkpointFits(checkpoint) { low = middle + 1 } else { high = middle }
    }
    var current = try start(checkpointVersion: low * CheckpointRow.interval)
    var successor: EntryRow?
    while let entry = current, try !fits(entry) {
      successor = entry
      current = try previous(entry)
    }
    return (current, successor)
  }

  private func checkpoint(version: Int64) throws(LedgerError) -> CheckpointRow? {
    try snapshot.row(CheckpointRow.byVersion, IndexKey(account.number.rawValue, version))
  }

  private func start(checkpointVersion: Int64) throws(LedgerError) -> EntryRow? {
    if checkpointVersion <= account.version,
      let checkpoint = try checkpoint(version: checkpointVersion)
    {
      return try snapshot.entry(checkpoint.entry, of: account.number.customer)
    }
    return account.lastEntry == 0 ? nil : try snapshot.entry(account.lastEntry, of: account.number.customer)
  }

  /// The newest transactions of one number: a merge of the histories of all accounts, and of the transactions that
  /// touched no balance.
  static func transactions(
    of customer: CustomerNumber, below start: TransactionNumber, limit: Int, in snapshot: some StorageSnapshot
  ) throws(LedgerError) -> [TransactionNumber] {
    var found = try snapshot.transactionsWithoutEntries(of: customer, below: start, limit: limit)
    for account in try snapshot.accounts(of: customer) {
      let history = AccountHistory(snapshot: snapshot, account: account)
      var entry = try history.newest(below: start)
      var count = 0
      while let current = entry, count < limit {
        found.append(current.transaction)
        count += 1
        entry = try history.previous(current)
      }
    }
    return found
  }
}
