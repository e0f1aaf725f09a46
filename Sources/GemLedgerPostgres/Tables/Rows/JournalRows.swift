#if PostgreSQL
internal import GemLedger

// How the journal's rows are read; each list of columns and its reader belong together.

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

extension AllocationRow {
  static let columns = "entry, position, lot, amount"

  static func read(_ rows: PostgresRows, _ row: Int) -> AllocationRow {
    AllocationRow(
      entry: rows.integer(row, 0), position: rows.integer(row, 1), lot: rows.integer(row, 2),
      amount: rows.integer(row, 3))
  }
}

extension NoteRow {
  static let columns = "transaction_number, reference, reason, actor"

  static func read(_ rows: PostgresRows, _ row: Int) -> NoteRow {
    NoteRow(
      transaction: rows.integer(row, 0), reference: rows.optionalText(row, 1).map(Reference.init(unchecked:)),
      reason: rows.optionalText(row, 2).map(Reason.init(unchecked:)),
      actor: rows.optionalText(row, 3).map(ActorName.init(unchecked:)))
  }
}

extension ItemEntryRow {
  static let columns = "transaction_number, customer, item, quantity, owned"

  static func read(_ rows: PostgresRows, _ row: Int) -> ItemEntryRow {
    ItemEntryRow(
      transaction: rows.integer(row, 0), customer: rows.integer(row, 1), item: ItemID(unchecked: rows.text(row, 2)),
      quantity: rows.integer(row, 3), owned: rows.integer(row, 4))
  }
}

extension CheckpointRow {
  static let columns = "customer, currency, version, entry, transaction_number, created_at"

  static func read(_ rows: PostgresRows, _ row: Int) -> CheckpointRow {
    CheckpointRow(
      account: AccountNumber(customer: rows.integer(row, 0), currency: rows.integer(row, 1)),
      version: rows.integer(row, 2), entry: rows.integer(row, 3), transaction: rows.integer(row, 4),
      createdAt: Timestamp(milliseconds: rows.integer(row, 5)))
  }
}

extension LotAttributesRow {
  static let columns = "lot, source, environment, price, price_currency, purchase, expires_at, original_lot"

  static func read(_ rows: PostgresRows, _ row: Int) -> LotAttributesRow {
    LotAttributesRow(
      lot: rows.integer(row, 0), source: LotSource(rawValue: rows.integer(row, 1)) ?? .admin,
      environment: rows.integer(row, 2), price: rows.money(row, 3), purchase: rows.optionalInteger(row, 5),
      expiresAt: rows.integer(row, 6), originalLot: rows.integer(row, 7))
  }
}
#endif
