public import GemLedger

/// A signed notice of the App Store to the backend: App Store Server Notifications V2.
public struct AppleNotification: Hashable, Sendable {
  /// All claims, as they were signed.
  public let claims: SignedClaims
  /// The identity of the notice, which may be sent several times.
  public let id: String
  /// The type of the event, such as `REFUND`.
  public let type: String
  /// When it was signed; of two notices about one purchase, the newer is valid.
  public let signedAt: Timestamp
  /// The notice's purchase, verified separately; nil if it has none.
  public let transaction: AppleTransaction?
  /// The renewal of the subscription, verified separately; nil if it has none.
  public let renewalInfo: AppleRenewalInfo?

  /// The subtype of the event, such as `INITIAL_BUY`.
  public var subtype: String? { claims.text("subtype") }
  /// The version of the format, such as `2.0`.
  public var version: String? { claims.text("version") }
  /// The claims of `data`, which a notice about one purchase has.
  public var data: SignedClaims? { claims.claims("data") }
  /// Why the customer requests a refund, in a `CONSUMPTION_REQUEST`, such as `UNINTENDED_PURCHASE`.
  public var consumptionRequestReason: String? { data?.text("consumptionRequestReason") }
  /// The state of a subscription: 1 active, 2 expired, 3 not paid, 4 not paid yet, 5 revoked.
  public var status: Int64? { data?.integer("status") }
}
