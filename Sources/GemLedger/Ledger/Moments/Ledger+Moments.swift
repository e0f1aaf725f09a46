extension Ledger {
  /// Finds the customer that an id named at an instant; a customer that was merged later was still separate then.
  package static func customer(
    _ id: CustomerID, at instant: Timestamp?, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> CustomerNumber {
    let customer = try customer(id, in: snapshot)
    guard let instant, customer.original != customer.number else { return customer.number }
    var number = customer.original
    let scan = try snapshot.scan()
    while number != customer.number {
      guard let merge = try Self.merge(of: number, in: scan) else {
        throw LedgerError(.storageDamaged, "The journal lacks the merge of customer number \(number); run verify.")
      }
      guard let row = try snapshot.transaction(merge.transaction, of: merge.into), row.createdAt <= instant else {
        return number
      }
      number = merge.into
    }
    return number
  }

  private static func merge(
    of number: CustomerNumber, in scan: any StorageScan
  ) throws(LedgerError) -> MergeRow? {
    var last: TransactionNumber = 0
    while true {
      let page = try scan.merges(after: last, limit: ScanPage.size)
      if let row = page.first(where: { $0.from == number }) { return row }
      guard let end = page.last?.transaction else { return nil }
      last = end
    }
  }

  /// Returns the journal's newest instant, or the clock's where that is later.
  ///
  /// An instant that the journal has passed does not come again, even where the machine's clock goes back.
  package func now(in snapshot: any StorageSnapshot) throws(LedgerError) -> Timestamp {
    max(clock.now(), try snapshot.sequences().createdAt)
  }

  /// The instant meant; nil is now.
  ///
  /// - Throws: `invalid_request` for an instant in the future.
  package func instant(_ instant: Timestamp?, in snapshot: any StorageSnapshot) throws(LedgerError) -> Timestamp {
    let now = try now(in: snapshot)
    guard let instant else { return now }
    try Self.check(instant, isOverAt: now)
    return instant
  }

  /// Checks that an instant is over: its answer stays, while the next command would change one about the future.
  ///
  /// - Throws: `invalid_request`.
  static func check(_ instant: Timestamp, isOverAt now: Timestamp) throws(LedgerError) {
    guard instant <= now else {
      throw .invalid("The instant \(instant) lies in the future: it is \(now). Ask for one that is over.")
    }
  }
}
