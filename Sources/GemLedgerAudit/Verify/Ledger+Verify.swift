public import GemLedger

extension Ledger {
  /// Proves the books from the rows alone: rebuilds every projection from the journal and compares.
  ///
  /// Memory is bounded by the number of accounts and lots in one pass, not by the length of the history.
  ///
  /// - Parameter progress: Called with the number of rows read and their total.
  /// - Returns: The sums, and the problems found.
  /// - Throws: ``LedgerError`` if the storage cannot be read at all; a damaged row is a problem, not an error.
  public func verify(
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> Verification {
    try verify(customersPerWindow: Verifier.customersPerWindow, progress: progress)
  }

  /// Like ``verify(progress:)``, with windows of another size.
  package func verify(
    customersPerWindow: Int, progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> Verification {
    var verification = try attempt(customersPerWindow, progress)
    // A partly visible commit is complete by now; a wrong row stays wrong.
    for _ in 0..<2 where storage.traits.showsHalves && !verification.isOK {
      verification = try attempt(customersPerWindow, progress)
    }
    return verification
  }

  private func attempt(
    _ customersPerWindow: Int, _ progress: (Int64, Int64) -> Void
  ) throws(LedgerError) -> Verification {
    let now = clock.now()
    return try reading { (snapshot, definitions) throws(LedgerError) -> Verification in
      let asOf = max(now, try snapshot.sequences().createdAt)
      let context = try VerifyContext(self, snapshot: snapshot, definitions: definitions, asOf: asOf)
      var verifier = Verifier(context, customersPerWindow: customersPerWindow)
      return try verifier.run(progress: progress)
    }
  }
}
