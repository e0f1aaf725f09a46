/// Counts how much was spent, granted and bought in a period, against caps.
enum UsageCounts {
  // MARK: Caps

  /// Counts the spends and grants of the plans against the currencies' caps.
  ///
  /// - Throws: `limit_reached`.
  static func checkCaps(_ decider: inout Decider) throws(LedgerError) {
    for plan in decider.plans {
      guard let policies = plan.currency.policies else { continue }
      let isGrant = plan.amount > 0
      let limit = isGrant ? plan.kind == .grant ? policies.grantLimit : nil : policies.spendLimit
      guard let limit, plan.amount != 0 else { continue }
      let customer = decider.work.accounts[plan.slot].row.number.customer
      let key = CountKey(isGrant ? .granted : .spent, plan.currency.code.description)
      let known = try decider.work.counts.count(key, of: customer)
      let row = known ?? CountRow(customer: customer, key: key, period: 0, value: 0)
      decider.pendingCounts.append(
        try WindowRules.counted(row, adding: abs(plan.amount), limit: limit, now: decider.work.now))
    }
  }

  static func bookCounts(_ decider: inout Decider, of customer: CustomerNumber, by transaction: TransactionNumber) {
    for row in decider.pendingCounts where row.customer == customer { decider.work.set(row, by: transaction) }
    decider.pendingCounts.removeAll { $0.customer == customer }
  }

  /// Subtracts from the amount counted as spent, if the spend was in the current period.
  static func uncount(
    _ decider: inout Decider, _ amount: Int64, since spentAt: Timestamp, slot: Int, by transaction: TransactionNumber
  ) throws(LedgerError) {
    let account = decider.work.accounts[slot].row.number
    guard let currency = decider.definitions.currency(number: account.currency), currency.policies?.spendLimit != nil
    else {
      return
    }
    let key = CountKey(.spent, currency.code.description)
    guard var row = try decider.work.counts.count(key, of: account.customer),
      row.period <= spentAt.milliseconds
    else { return }
    row.value = max(0, row.value - amount)
    decider.work.set(row, by: transaction)
  }

  /// Subtracts a returned item from the items counted as bought, if the purchase was in the current period.
  static func uncount(
    _ decider: inout Decider, _ item: ItemID, _ quantity: Int64, since boughtAt: Timestamp, _ customer: FoundCustomer
  ) throws(LedgerError) {
    let key = CountKey(.bought, item.text)
    guard var row = try decider.work.counts.count(key, of: customer.number),
      row.period <= boughtAt.milliseconds
    else { return }
    row.value = max(0, row.value - quantity)
    decider.work.set(row, by: decider.booked)
  }
}
