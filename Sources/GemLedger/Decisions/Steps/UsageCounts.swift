/// Counts how much was spent, granted and bought in a period, against caps.
extension Bookkeeper {
  /// Counts the spends and grants of the plans against the currencies' caps.
  ///
  /// - Throws: `limit_reached`.
  mutating func checkCaps() throws(LedgerError) {
    for plan in plans {
      guard let policies = plan.currency.policies else { continue }
      let isGrant = plan.amount > 0
      let limit = isGrant ? plan.kind == .grant ? policies.grantLimit : nil : policies.spendLimit
      guard let limit, plan.amount != 0 else { continue }
      let customer = work.accounts[plan.slot].row.number.customer
      let key = CountKey(isGrant ? .granted : .spent, plan.currency.code.description)
      let known = try work.counts.count(key, of: customer)
      let row = known ?? CountRow(customer: customer, key: key, period: 0, value: 0)
      pendingCounts.append(
        try WindowRules.counted(row, adding: abs(plan.amount), limit: limit, now: work.now))
    }
  }

  mutating func bookCounts(of customer: CustomerNumber, by transaction: TransactionNumber) {
    for row in pendingCounts where row.customer == customer { work.set(row, by: transaction) }
    pendingCounts.removeAll { $0.customer == customer }
  }

  /// Subtracts from the amount counted as spent, if the spend was in the current period.
  mutating func uncount(
    _ amount: Int64, since spentAt: Timestamp, slot: Int, by transaction: TransactionNumber
  ) throws(LedgerError) {
    let account = work.accounts[slot].row.number
    guard let currency = definitions.currency(number: account.currency), currency.policies?.spendLimit != nil
    else {
      return
    }
    let key = CountKey(.spent, currency.code.description)
    guard var row = try work.counts.count(key, of: account.customer),
      row.period <= spentAt.milliseconds
    else { return }
    row.value = max(0, row.value - amount)
    work.set(row, by: transaction)
  }
}

extension UnitOfWork {
  /// Subtracts a returned item from the items counted as bought, if the purchase was in the current period.
  mutating func uncount(
    _ item: ItemID, _ quantity: Int64, since boughtAt: Timestamp, _ customer: FoundCustomer,
    by transaction: TransactionNumber
  ) throws(LedgerError) {
    let key = CountKey(.bought, item.text)
    guard var row = try counts.count(key, of: customer.number),
      row.period <= boughtAt.milliseconds
    else { return }
    row.value = max(0, row.value - quantity)
    set(row, by: transaction)
  }
}
