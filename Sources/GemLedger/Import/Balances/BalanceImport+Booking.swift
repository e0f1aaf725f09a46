extension Ledger {
  /// Takes over balances that another system kept.
  ///
  /// First every line is tried, and what would be refused is listed; only where nothing is, anything is booked. What an
  /// earlier import booked is known by its keys and not booked again, also where that import was interrupted.
  ///
  /// - Parameters:
  ///   - balances: What is to be booked.
  ///   - isDryRun: Whether only to try.
  ///   - progress: Hears how many of how many steps are done; a line is tried and booked.
  /// - Throws: ``LedgerError`` with `invalid_import`, every problem listed with its line up to a bound.
  @discardableResult
  public func book(
    _ balances: BalanceImport, isDryRun: Bool = false, progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> BalanceImport.Outcome {
    var trial = try BalanceTrial(self)
    var outcome = BalanceImport.Outcome(withoutChange: balances.withoutChange)
    var left: [BalanceImport.Line] = []
    let total = Int64(balances.lines.count) * (isDryRun ? 1 : 2)
    for (index, line) in balances.lines.enumerated() {
      switch try trial.look(at: line, isChange: balances.areChanges) {
      case .isNew: left.append(line)
      case .isBooked: outcome.replayed += 1
      case .isRefused: break
      }
      if index & 0xFF == 0 { progress(Int64(index), total) }
    }
    try trial.problems.check("The file")
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
        // Where no answer came the rest may not come either; importing again goes on there.
        guard error.code.exitStatus != 69 else { throw error }
        problems.add(line.number, error.message)
      }
    }
    guard !problems.isEmpty else { return }
    throw LedgerError(
      .invalidImport,
      "Somebody booked meanwhile, so that \(problems.count) lines were refused. All others up to there are booked; "
        + "importing again books none of them twice. \(problems.problems.first?.description ?? "")",
      details: problems.problems.enumerated().map { .text("problems[\($0)]", $1.description) })
  }
}

/// Tries lines without booking them.
private struct BalanceTrial {
  enum Finding {
    case isNew
    case isBooked
    case isRefused
  }

  private struct Account: Hashable {
    let customer: CustomerID
    let currency: CurrencyCode
  }

  private let ledger: Ledger
  var problems = ImportProblems()
  /// What the lines up to here leave.
  private var balances: [Account: Int64] = [:]
  /// The largest balances that the catalog allows.
  private let maximums: [CurrencyCode: Int64]

  init(_ ledger: Ledger) throws(LedgerError) {
    self.ledger = ledger
    let currencies = try ledger.currentCatalog().currencies
    maximums = Dictionary(uniqueKeysWithValues: currencies.map { ($0.code, $0.maximumBalance ?? Limits.amount) })
  }

  mutating func look(at line: BalanceImport.Line, isChange: Bool) throws(LedgerError) -> Finding {
    do throws(LedgerError) {
      if try ledger.preview(line.command).isReplayed { return .isBooked }
    } catch {
      if let answer = try judge(error, line, isChange: isChange) { return answer }
    }
    return isChange ? try follow(line) : .isNew
  }

  /// What a refusal means; nil where the lines before decide.
  private mutating func judge(
    _ error: LedgerError, _ line: BalanceImport.Line, isChange: Bool
  ) throws(LedgerError) -> Finding? {
    switch error.code {
    case .keyConflict:
      problems.add(line.number, "It was imported before and said something else then: \(error.message)")
      return .isRefused
    case _ where error.code.exitStatus == 69 || error.code.exitStatus == 74: throw error
    // The customer will be there, and have what the lines before bring.
    case .customerNotFound where isChange: return nil
    case .insufficientBalance where isChange, .overMaximum where isChange:
      guard error.isReplayed else { return nil }
      problems.add(line.number, "It was refused when it was imported before, and stays refused: \(error.message)")
      return .isRefused
    default:
      problems.add(line.number, error.message)
      return .isRefused
    }
  }

  private mutating func follow(_ line: BalanceImport.Line) throws(LedgerError) -> Finding {
    var after: [(Account, Int64)] = []
    for amount in line.amounts {
      let account = Account(customer: line.command.customer, currency: amount.currency)
      guard let maximum = maximums[amount.currency] else {
        problems.add(line.number, LedgerError.unknownCurrency(amount.currency).message)
        return .isRefused
      }
      let (sum, overflow) = try balance(of: account).addingReportingOverflow(amount.amount)
      guard !overflow, sum >= 0, amount.amount < 0 || sum <= maximum else {
        problems.add(
          line.number,
          "\(account.currency) of \"\(account.customer)\" would go from \(try balance(of: account)) by "
            + "\(amount.amount); a balance is never below zero and at most \(maximum).")
        return .isRefused
      }
      after.append((account, sum))
    }
    for (account, sum) in after { balances[account] = sum }
    return .isNew
  }

  private mutating func balance(of account: Account) throws(LedgerError) -> Int64 {
    if let known = balances[account] { return known }
    let balance: Int64
    do throws(LedgerError) {
      balance = try ledger.balance(of: account.currency, customer: account.customer).available
    } catch {
      guard error.code == .customerNotFound else { throw error }
      balance = 0
    }
    balances[account] = balance
    return balance
  }
}
