/// The definition of a currency that the rules use.
package struct CurrencyDefinition: Hashable, Sendable {
  package var number: Int64
  package var code: CurrencyCode
  package var maximumBalance: Int64
  package var burnsPaidFirst: Bool
  /// Whether it may be granted, spent, held and moved.
  package var isActive = true
  package var refundPolicy: RefundPolicy = .floor
  /// Nil for the common currency, which has no scheduled grants and no caps.
  package var policies: CurrencyPolicies?
}
