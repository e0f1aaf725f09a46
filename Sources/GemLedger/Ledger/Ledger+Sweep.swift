extension Ledger {
  /// Books the due scheduled effects: expiries, ended holds, allowances, recharges.
  ///
  /// No result depends on it. It keeps the journal current for clients that read only the feed.
  ///
  /// A customer with damaged rows does not hold up the others: the error is thrown after all others are booked.
  ///
  /// - Parameter progress: Called with the number of customers checked.
  /// - Returns: The number of customers with due effects.
  /// - Throws: ``LedgerError`` with `storage_damaged` if rows of some customers are damaged, or an error of the
  ///   storage.
  @discardableResult
  public func sweep(progress: (Int) -> Void = { _ in }) throws(LedgerError) -> Int {
    var sweep = DueSweep(ledger: self)
    return try sweep.run(progress: progress)
  }
}
