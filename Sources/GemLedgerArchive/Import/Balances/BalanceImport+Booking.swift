public import GemLedger

extension Ledger {
  /// Imports balances of another system.
  ///
  /// It first tries all lines, grouped by customer, and lists the lines that would be refused. It books only if no line
  /// is refused. The keys identify lines that an earlier import booked, even an interrupted one; these are not booked
  /// again. Lines that an earlier import refused are tried again.
  ///
  /// - Parameters:
  ///   - balances: The balances to book.
  ///   - isDryRun: Whether to try the lines without booking them.
  ///   - progress: Called with the number of completed steps and their total; each line is tried, then booked.
  /// - Throws: ``LedgerError`` with `invalid_import`, every problem listed with its line up to a bound.
  @discardableResult
  public func book(
    _ balances: BalanceImport, isDryRun: Bool = false, progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> BalanceImport.Outcome {
    let total = Int64(balances.lines.count) * (isDryRun ? 1 : 2)
    var trial = BalanceTrial(balances, of: self)
    try trial.run { progress($0, total) }
    try trial.problems.check("The file")
    let left = trial.left
    var outcome = BalanceImport.Outcome(replayed: trial.replayed, withoutChange: balances.withoutChange)
    for line in left {
      outcome.booked += 1
      for amount in line.amounts { outcome.amounts[amount.currency, default: 0] &+= amount.amount }
    }
    if isDryRun { return outcome }
    if balances.areChanges { try makeCustomers(of: left) }
    for start in stride(from: 0, to: left.count, by: 8 * Limits.commandsPerGroup) {
      try book(left[start..<min(start + 8 * Limits.commandsPerGroup, left.count)])
      progress(total / 2 + Int64(start), total)
    }
    return outcome
  }

  private func makeCustomers(of lines: [BalanceImport.Line]) throws(LedgerError) {
    let customers = Set(lines.map(\.command.customer)).sorted()
    for answer in submit(customers.map(LedgerCommand.createCustomer)) { _ = try answer.get() }
  }

  private func book(_ lines: ArraySlice<BalanceImport.Line>) throws(LedgerError) {
    var problems = ImportProblems()
    for (line, answer) in zip(lines, submit(lines.map(\.command))) {
      do throws(LedgerError) {
        _ = try answer.get()
      } catch {
        // A storage failure is no fault of the line; importing again resumes here.
        guard !error.code.isStorageFailure else { throw error }
        problems.add(line.number, error.message)
      }
    }
    guard !problems.isEmpty else { return }
    throw LedgerError(
      .invalidImport,
      "\(problems.count) lines were refused because of concurrent bookings. All other lines up to there are booked. "
        + "Import again to retry the refused lines; no line is booked twice. "
        + (problems.problems.first?.description ?? ""),
      details: problems.problems.enumerated().map { .text("problems[\($0)]", $1.description) })
  }
}
