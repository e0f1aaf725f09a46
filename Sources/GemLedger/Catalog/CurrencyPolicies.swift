/// The scheduled grants of a currency, and its caps; a class, so that definitions of other currencies hold one pointer.
package final class CurrencyPolicies: Sendable {
  package let initialBalance: Int64?
  package let recharge: Recharge?
  package let allowance: Allowance?
  package let spendLimit: WindowLimit?
  package let grantLimit: WindowLimit?
  /// The scheduled grants in each version of the catalog, from the first.
  let eras: [PolicyEra]

  /// Whether any version has scheduled grants: grants of an earlier version may not be booked yet.
  let givesByItself: Bool

  /// Nil if no version of the currency has scheduled grants and the current one has no caps.
  ///
  /// - Parameter eras: The versions of the currency; empty if the current definition has always been in force.
  package init?(of currency: Currency, eras: [PolicyEra] = []) {
    initialBalance = currency.initialBalance
    recharge = currency.recharge
    allowance = currency.allowance
    spendLimit = currency.spendLimit
    grantLimit = currency.grantLimit
    self.eras = eras.isEmpty ? [PolicyEra(from: 0, currency)] : eras
    givesByItself = self.eras.contains(where: \.givesByItself)
    guard givesByItself || spendLimit != nil || grantLimit != nil else { return nil }
  }
}

extension CurrencyPolicies: Hashable {
  package static func == (left: CurrencyPolicies, right: CurrencyPolicies) -> Bool {
    left === right
      || left.initialBalance == right.initialBalance && left.recharge == right.recharge
        && left.allowance == right.allowance && left.spendLimit == right.spendLimit
        && left.grantLimit == right.grantLimit && left.eras == right.eras
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(initialBalance)
    hasher.combine(recharge)
    hasher.combine(allowance)
    hasher.combine(spendLimit)
    hasher.combine(grantLimit)
    hasher.combine(eras)
  }
}

/// The scheduled grants of a currency in one version of the catalog.
package struct PolicyEra: Hashable, Sendable {
  /// When the version took effect, in milliseconds; it is in force until the next one.
  package let from: Int64
  package let initialBalance: Int64?
  package let recharge: Recharge?
  package let allowance: Allowance?
  package let maximumBalance: Int64

  package init(from: Int64, _ currency: Currency) {
    self.from = from
    initialBalance = currency.initialBalance
    allowance = currency.allowance
    let maximum = currency.maximumBalance ?? Limits.amount
    maximumBalance = maximum
    // A recharge fills an account no further than the currency lets it.
    recharge = currency.recharge.map { Recharge(amount: $0.amount, every: $0.every, upTo: min($0.upTo, maximum)) }
  }

  var givesByItself: Bool { initialBalance != nil || recharge != nil || allowance != nil }
}

/// A currency as the catalog had it from an instant on.
package struct CurrencyVersion: Sendable {
  /// The currency's number inside the ledger.
  package let number: Int64
  package let from: Timestamp
  package let currency: Currency
}
