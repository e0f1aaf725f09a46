/// Completes a replayed answer of an unmerge: the survivor's side, and the parts of the merge that were returned.
enum UnmergeAnswer {
  static func extras(
    _ work: borrowing UnitOfWork, of row: TransactionRow, definitions: CurrencyDefinitions
  ) throws(LedgerError) -> BookingExtras {
    let own = try work.customers.merges(into: row.customer).first { $0.transaction == row.number }
    guard let own, let merge = try merge(of: own, work),
      let unmerge = try work.parts(of: row.number, ofAny: [own.into, own.from])
    else { throw .lacksTransaction(row.number) }
    let survivor = try work.customers.known(own.from).id
    var side = unmerge
    side.row.customer = own.from
    let booking = try side.booking(customer: survivor, definitions: definitions)
    var extras = BookingExtras()
    extras.parties = [
      BookingParty(
        customer: survivor, transactionID: booking.transactionID, entries: booking.entries, items: booking.items)
    ]
    extras.unmerged = UnmergeReport(
      merge: merge, unmerge: unmerge, survivor: own.from, named: survivor, definitions: definitions)
    return extras
  }

  /// The newest merge before the unmerge, which undid it.
  private static func merge(of unmerge: MergeRow, _ work: borrowing UnitOfWork) throws(LedgerError) -> TransactionParts?
  {
    let merges = try work.customers.mergeRecords(of: unmerge.from)
    let merge = merges.last {
      !$0.isUnmerge && $0.row.from == unmerge.into && $0.row.transaction < unmerge.transaction
    }
    guard let merge else { return nil }
    return try work.parts(of: merge.row.transaction, ofAny: [unmerge.from])
  }
}
