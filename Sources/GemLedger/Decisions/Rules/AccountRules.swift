/// The rules of one account's balance; pure.
enum AccountRules {
  /// - Throws: `condition_failed`.
  static func check(
    _ conditions: [Condition], plan: borrowing AccountPlan, account: borrowing AccountRow
  ) throws(LedgerError) {
    let change = plan.amount > 0 ? plan.amount - min(plan.amount, account.debt) : plan.amount
    let after = (account.balance - plan.expiredAmount).addingReportingOverflow(change).partialValue
    for condition in conditions where condition.currency == plan.currency.code {
      switch condition {
      case .version(_, let wanted) where account.version != wanted:
        throw failed("version", wanted: wanted, found: account.version, plan)
      case .minimum(_, let wanted) where after < wanted: throw failed("minimum", wanted: wanted, found: after, plan)
      case .maximum(_, let wanted) where after > wanted: throw failed("maximum", wanted: wanted, found: after, plan)
      case .version, .minimum, .maximum: continue
      }
    }
  }

  /// - Throws: in order of precedence `insufficient_balance`, `over_maximum`.
  static func check(_ plan: borrowing AccountPlan, account: borrowing AccountRow) throws(LedgerError) {
    try check(
      plan.amount, of: plan.currency, balance: account.balance - plan.expiredAmount, held: account.held,
      debt: account.debt)
  }

  /// - Throws: in order of precedence `insufficient_balance`, `over_maximum`.
  static func check(
    _ amount: Int64, of currency: CurrencyDefinition, balance: Int64, held: Int64, debt: Int64 = 0
  ) throws(LedgerError) {
    if amount < 0 {
      let available = balance - held
      guard available >= -amount else {
        throw insufficient(currency.code, needed: -amount, available: available, held: held)
      }
    } else {
      // Both are at most 2^53, so the sum cannot overflow. The part that repays a debt is not added.
      let after = balance + amount - min(amount, debt)
      guard after <= currency.maximumBalance else {
        throw overMaximum(currency, balance: balance, amount: amount)
      }
    }
  }

  /// - Throws: `not_available` if the currency is inactive.
  static func checkIsActive(_ currency: CurrencyDefinition) throws(LedgerError) {
    guard !currency.isActive else { return }
    throw LedgerError(
      .notAvailable, "The currency \(currency.code) is inactive: it is neither granted nor spent. Nothing was changed.",
      details: [.text("currency", currency.code.description)])
  }

  private static func failed(
    _ what: String, wanted: Int64, found: Int64, _ plan: borrowing AccountPlan
  ) -> LedgerError {
    let subject = what == "version" ? "The account's version" : "The balance afterwards"
    let relation = what == "version" ? "is not" : what == "minimum" ? "is below" : "is above"
    return LedgerError(
      .conditionFailed, "\(subject) of \(plan.currency.code), \(found), \(relation) \(wanted); nothing was changed.",
      details: [
        .text("condition", what), .text("currency", plan.currency.code.description), .integer("wanted", wanted),
        .integer("found", found),
      ])
  }

  private static func insufficient(
    _ currency: CurrencyCode, needed: Int64, available: Int64, held: Int64
  ) -> LedgerError {
    let heldNote = held > 0 ? " (\(held) more on hold)" : ""
    return LedgerError(
      .insufficientBalance,
      "Not enough \(currency): \(needed) needed, \(available) available\(heldNote). Nothing was changed.",
      details: [
        .text("currency", currency.description), .integer("needed", needed), .integer("available", available),
        .integer("held", held),
      ])
  }

  private static func overMaximum(_ currency: CurrencyDefinition, balance: Int64, amount: Int64) -> LedgerError {
    LedgerError(
      .overMaximum,
      "\(amount) more \(currency.code) would pass the most a balance may be, \(currency.maximumBalance): it is "
        + "\(balance) now. Nothing was changed.",
      details: [
        .text("currency", currency.code.description), .integer("balance", balance), .integer("amount", amount),
        .integer("maximum", currency.maximumBalance),
      ])
  }
}
