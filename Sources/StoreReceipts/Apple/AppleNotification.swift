public import GemLedger

/// A notice of the App Store to the backend, signed: App Store Server Notifications V2.
public struct AppleNotification: Hashable, Sendable {
  /// All claims, as they were signed.
  public let claims: SignedClaims
  /// The identity of the notice; the same one may be sent several times.
  public let id: String
  /// What happened, such as `REFUND`.
  public let type: String
  /// When it was signed; of two about one purchase, the later holds.
  public let signedAt: Timestamp
  /// The purchase that it is about, verified on its own; nil for those without one.
  public let transaction: AppleTransaction?
  /// How the subscription goes on, verified on its own; nil for those without one.
  public let renewalInfo: AppleRenewalInfo?

  /// What exactly happened, such as `INITIAL_BUY`.
  public var subtype: String? { claims.text("subtype") }
  /// The form's version, such as `2.0`.
  public var version: String? { claims.text("version") }
  /// The claims of `data`, which a notice about one purchase has.
  public var data: SignedClaims? { claims.claims("data") }
  /// Why the customer wants the money back, in a `CONSUMPTION_REQUEST`, such as `UNINTENDED_PURCHASE`.
  public var consumptionRequestReason: String? { data?.text("consumptionRequestReason") }
  /// The state of a subscription: 1 active, 2 expired, 3 not paid, 4 not paid yet, 5 revoked.
  public var status: Int64? { data?.integer("status") }
}
