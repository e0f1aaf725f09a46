#if PostgreSQL
internal import GemLedger

// Readers of the journal's rows; each list of columns and its reader must match.

extension TransactionRow {
  static let columns = "number, kind, customer, created_at, digest, erasable_digest"

  static func read(_ rows: PostgresRows, _ row: Int) -> TransactionRow {
    let number = rows.integer(row, 0)
    return TransactionRow(
      number: number, kind: EntryKind(rawValue: rows.integer(row, 1)) ?? .mixed, customer: rows.integer(row, 2),
      createdAt: Timestamp(milliseconds: rows.integer(row, 3)),
      firstEntry: Numbering.entries(of: number).lowerBound, digest: rows.integer(row, 4),
      erasable: rows.integer(row, 5))
  }
}

extension MergeRow {
  /// A merge is stored with the surviving customer.
  static let stored = "transaction_number, from_customer, customer AS into_customer"
}

extension EntryRow {
  static let columns = "number, customer, currency, kind, amount, balance, debt, version, previous, lot"

  static func read(_ rows: PostgresRows, _ row: Int) -> EntryRow {
    let number = rows.integer(row, 0)
    return EntryRow(
      number: number, transaction: Numbering.transaction(of: number),
      account: AccountNumber(customer: rows.integer(row, 1), currency: rows.integer(row, 2)),
      kind: EntryKind(rawValue: rows.integer(row, 3)) ?? .mixed, amount: rows.integer(row, 4),
      balance: rows.integer(row, 5), debt: rows.integer(row, 6), version: rows.integer(row, 7),
      previous: rows.integer(row, 8), lot: rows.integer(row, 9))
  }
}

extension JournalEventRow {
  /// Used instead of a table: the events about open holds whose rows lack their held amounts.
  static let aboutOpenHolds = """
    (
      SELECT h.customer AS owner, e.* FROM open_holds h
      JOIN journal_events e ON e.customer = h.customer AND e.target = h.hold
      WHERE h.lot IS NULL
    ) held
    """
}

extension KeyRow {
  static let columns = "customer, key, request_digest, qualifier_digest, transaction_number, refusal"

  static func read(_ rows: PostgresRows, _ row: Int) -> KeyRow {
    KeyRow(
      customer: rows.integer(row, 0), key: rows.withBytes(row, 1) { PostgresKey.key($0) },
      fingerprint: Fingerprint(asked: rows.integer(row, 2), qualifiers: rows.integer(row, 3)),
      outcome: Outcome(transaction: rows.optionalInteger(row, 4), refusal: rows.optionalText(row, 5)))
  }

  /// - Throws: `storage_damaged` for a key without an answer.
  static func readAnswered(_ rows: PostgresRows, _ row: Int, _ storageName: String) throws(LedgerError) -> KeyRow {
    let key = read(rows, row)
    if rows.isNull(row, 4), case .booked = key.outcome {
      throw LedgerError(.storageDamaged, "\(storageName) has a key without an answer. Run verify.")
    }
    return key
  }
}
#endif
