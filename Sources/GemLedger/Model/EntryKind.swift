/// Why a balance changed.
public enum EntryKind: Int64, CaseIterable, Sendable {
  /// Currency bought with real money.
  case purchase = 1
  /// Currency given: an admin grant, or the positive part of an adjustment.
  case grant = 2
  /// Currency spent: the negative part of an adjustment, or the price of an item.
  case spend = 3
  /// A spend undone.
  case reversal = 4
  /// The store gave real money back.
  case refund = 5
  /// A refund the store took back.
  case reversedRefund = 6
  /// Currency that expired.
  case expiry = 7
  /// Moved between customers.
  case transfer = 8
  /// Changed into another currency.
  case exchange = 9
  /// Moved because two customers became one.
  case merge = 10
  /// Regained with time.
  case recharge = 11
  /// The opening balance of an account, or an import.
  case initial = 12
  /// A transaction with entries of several kinds; no entry has it.
  case mixed = 13
  /// The customer may not spend from now on; no entry has it.
  case freeze = 14
  /// The customer may spend again; no entry has it.
  case unfreeze = 15
  /// Currency set aside; no entry has it.
  case hold = 16
  /// A hold that lasts longer; no entry has it.
  case extend = 17
  /// Currency on hold that is available again; no entry has it.
  case release = 18
  /// Currency on hold that was spent; its entries are of kind `spend`.
  case capture = 19
  /// The customer was erased; no entry has it.
  case erase = 20
  /// Moved back because a merge was undone.
  case unmerge = 21

  /// The kind's name in interfaces, such as `reversed_refund`.
  public var name: String {
    switch self {
    case .purchase: "purchase"
    case .grant: "grant"
    case .spend: "spend"
    case .reversal: "reversal"
    case .refund: "refund"
    case .reversedRefund: "reversed_refund"
    case .expiry: "expiry"
    case .transfer: "transfer"
    case .exchange: "exchange"
    case .merge: "merge"
    case .recharge: "recharge"
    case .initial: "initial"
    case .mixed: "mixed"
    case .freeze: "freeze"
    case .unfreeze: "unfreeze"
    case .hold: "hold"
    case .extend: "extend"
    case .release: "release"
    case .capture: "capture"
    case .erase: "erase"
    case .unmerge: "unmerge"
    }
  }

  /// Whether transactions of this kind have effects that a repeated answer must include.
  package var hasEvents: Bool {
    switch self {
    case .reversal, .hold, .extend, .release, .capture, .transfer, .exchange, .mixed, .merge, .unmerge: true
    case .purchase, .grant, .spend, .refund, .reversedRefund, .expiry, .recharge, .initial, .freeze, .unfreeze, .erase:
      false
    }
  }

  /// Whether it may leave more than the currency's maximum: a paid purchase is always credited.
  package var mayPassMaximum: Bool { self == .purchase || isReturn }

  /// Whether its credits were in this lot or another before: then they make the lot no larger.
  package var isReturn: Bool { self == .reversal || self == .reversedRefund || self == .merge || self == .unmerge }
}
