/// What a currency gives by itself, and its caps; a class, so that the terms of other currencies carry one word.
package final class CurrencyPolicies: Sendable {
  package let initialBalance: Int64?
  package let recharge: Recharge?
  package let allowance: Allowance?
  package let spendLimit: WindowLimit?
  package let grantLimit: WindowLimit?

  /// Whether it gives something by itself.
  var givesByItself: Bool { initialBalance != nil || recharge != nil || allowance != nil }

  /// Nil where the currency has no such policy.
  package init?(of currency: Currency) {
    initialBalance = currency.initialBalance
    recharge = currency.recharge
    allowance = currency.allowance
    spendLimit = currency.spendLimit
    grantLimit = currency.grantLimit
    guard initialBalance != nil || recharge != nil || allowance != nil || spendLimit != nil || grantLimit != nil else {
      return nil
    }
  }
}

extension CurrencyPolicies: Hashable {
  package static func == (left: CurrencyPolicies, right: CurrencyPolicies) -> Bool {
    left === right
      || left.initialBalance == right.initialBalance && left.recharge == right.recharge
        && left.allowance == right.allowance && left.spendLimit == right.spendLimit
        && left.grantLimit == right.grantLimit
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(initialBalance)
    hasher.combine(recharge)
    hasher.combine(allowance)
    hasher.combine(spendLimit)
    hasher.combine(grantLimit)
  }
}
