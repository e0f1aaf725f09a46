/// A virtual currency: its name, its bounds and its policies.
public struct Currency: Hashable, Sendable {
  /// The code, such as `GEM`.
  public let code: CurrencyCode
  /// The currency's name for people, 1 to 50 characters.
  public package(set) var name: String
  /// More about it.
  public package(set) var description: String?
  /// The location of its picture: a URL, or a name that the app chose.
  public let icon: String?
  /// The most that one customer may have, or nil if only the hard limit holds.
  public let maximumBalance: Int64?
  /// Which lots a spend takes first.
  public let burnOrder: BurnOrder
  /// The policy for a refunded purchase that has been spent already.
  public let refundPolicy: RefundPolicy
  /// The amount that every customer starts with, including customers from before this was set; nil for nothing.
  public let initialBalance: Int64?
  /// How it recharges with time, or nil if it does not.
  public let recharge: Recharge?
  /// The amount that every customer gets in each period, or nil for none.
  public let allowance: Allowance?
  /// The most that one customer may spend in a period, or nil if there is no such limit.
  public let spendLimit: WindowLimit?
  /// The most that one customer may be granted in a period, or nil if there is no such limit.
  public let grantLimit: WindowLimit?
  /// Whether it may be granted, spent, held and moved.
  ///
  /// An inactive currency keeps its balances. Paid purchases of it are still credited. Refunds, reversals, captures,
  /// expiries, merges and scheduled grants continue too.
  public package(set) var isActive: Bool

  /// A currency as the catalog describes it; making the catalog checks it.
  public init(
    code: CurrencyCode, name: String, description: String? = nil, icon: String? = nil, maximumBalance: Int64? = nil,
    burnOrder: BurnOrder = .freeFirst, refundPolicy: RefundPolicy = .floor, initialBalance: Int64? = nil,
    recharge: Recharge? = nil, allowance: Allowance? = nil, spendLimit: WindowLimit? = nil,
    grantLimit: WindowLimit? = nil, isActive: Bool = true
  ) {
    self.code = code
    self.name = name
    self.description = description
    self.icon = icon
    self.maximumBalance = maximumBalance
    self.burnOrder = burnOrder
    self.refundPolicy = refundPolicy
    self.initialBalance = initialBalance
    self.recharge = recharge
    self.allowance = allowance
    self.spendLimit = spendLimit
    self.grantLimit = grantLimit
    self.isActive = isActive
  }
}
