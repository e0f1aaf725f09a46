// The rows of the journal. Numbers of entries are left out: a copy may draw others, and `verify` proves them.

extension RowDigest {
  /// - Parameter parts: The sum of the digests of all rows that were booked with the transaction.
  @inline(__always)
  package static func of(_ row: TransactionRow, parts: UInt64) -> UInt64 {
    var digest = RowDigest(.transaction)
    digest.add(row.number)
    digest.add(row.kind.rawValue)
    digest.add(row.customer)
    digest.add(row.createdAt)
    digest.add(row.erasable)
    digest.add(parts)
    return digest.value
  }

  /// - Parameter position: The entry's position within its transaction, from 0.
  @inline(__always)
  package static func of(_ row: EntryRow, position: Int64) -> UInt64 {
    var digest = RowDigest(.entry)
    digest.add(position)
    digest.add(row.account.rawValue)
    digest.add(row.kind.rawValue)
    digest.add(row.amount)
    digest.add(row.balance)
    digest.add(row.debt)
    digest.add(row.version)
    digest.add(row.lot)
    return digest.value
  }

  /// - Parameter position: The position of its entry.
  package static func of(_ row: AllocationRow, position: Int64) -> UInt64 {
    var digest = RowDigest(.allocation)
    digest.add(position)
    digest.add(row.position)
    digest.add(row.lot)
    digest.add(row.amount)
    return digest.value
  }

  package static func of(_ row: JournalEventRow) -> UInt64 {
    var digest = RowDigest(.event)
    digest.add(row.position)
    digest.add(row.customer)
    digest.add(row.kind.rawValue)
    digest.add(row.target)
    digest.add(row.currency)
    digest.add(row.lot)
    digest.add(row.amount)
    digest.add(row.value)
    digest.add(row.count?.kind.rawValue)
    digest.add(row.count?.subject)
    digest.add(row.period)
    digest.add(row.createdAt)
    digest.add(row.heldAfter)
    return digest.value
  }

  package static func of(_ row: ItemEntryRow) -> UInt64 {
    var digest = RowDigest(.item)
    digest.add(row.item.text)
    digest.add(row.customer)
    digest.add(row.quantity)
    digest.add(row.owned)
    return digest.value
  }

  package static func of(_ row: NoteRow) -> UInt64 {
    var digest = RowDigest(.note)
    digest.add(row.transaction)
    digest.add(row.reference?.text)
    digest.add(row.reason?.text)
    digest.add(row.actor?.text)
    return digest.value
  }

  /// The key of a booked command.
  @inline(__always)
  package static func of(_ row: borrowing KeyRow) -> UInt64 {
    var digest = RowDigest(.key)
    digest.add(row.bookedTransaction)
    digest.add(row.customer)
    digest.add(row.fingerprint.asked)
    digest.add(row.fingerprint.qualifiers)
    digest.add(row.key.text)
    return digest.value
  }

  package static func of(_ row: PurchaseRow) -> UInt64 {
    var digest = RowDigest(.purchase)
    digest.add(row.number)
    digest.add(row.identity.store.number)
    digest.add(row.identity.environment)
    digest.add(row.identity.transactionID.text)
    digest.add(row.customer)
    digest.add(row.product.text)
    digest.add(row.quantity)
    digest.add(row.price)
    digest.add(row.purchasedAt)
    digest.add(row.frozenProduct)
    digest.add(row.originalTransactionID?.text)
    digest.add(row.expiresAt?.milliseconds)
    digest.add(row.grant?.currency)
    digest.add(row.grant?.lot)
    digest.add(row.grant?.amount)
    return digest.value
  }

  package static func of(_ row: LotAttributesRow) -> UInt64 {
    var digest = RowDigest(.lotAttributes)
    digest.add(row.lot)
    digest.add(row.source.rawValue)
    digest.add(row.environment)
    digest.add(row.price)
    digest.add(row.purchase)
    digest.add(row.expiresAt)
    digest.add(row.originalLot)
    return digest.value
  }

  package static func of(_ row: MergeRow) -> UInt64 {
    var digest = RowDigest(.merge)
    digest.add(row.from)
    digest.add(row.into)
    return digest.value
  }

  package static func of(_ row: RefundRow) -> UInt64 {
    var digest = RowDigest(.refund)
    digest.add(row.purchase)
    digest.add(row.kind.rawValue)
    digest.add(row.revokedAt)
    digest.add(row.signedAt)
    let extent = row.extent?.stored
    digest.add(extent?.kind)
    digest.add(extent?.amount)
    digest.add(row.evidenceAt)
    digest.add(row.share.part)
    digest.add(row.share.whole)
    digest.add(row.freezes)
    return digest.value
  }

  package static func of(_ row: RefundPartRow) -> UInt64 {
    var digest = RowDigest(.refundPart)
    digest.add(row.position)
    digest.add(row.lot)
    digest.add(row.kind.rawValue)
    digest.add(row.source)
    digest.add(row.amount)
    return digest.value
  }
}
