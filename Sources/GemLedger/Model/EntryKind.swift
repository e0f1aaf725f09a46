/// The reason why a balance changed.
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
  /// A paid purchase of the customer cannot be credited yet; no entry has it.
  case receiptHeld = 22

  /// The kind's name in interfaces, such as `reversed_refund`.
  public var name: String { traits.name }

  /// Whether transactions of this kind have effects that a repeated answer must include.
  package var hasEvents: Bool { traits.hasEvents }

  /// Whether an entry of this kind can have the amount.
  package func permits(_ amount: Int64) -> Bool {
    switch traits.entries {
    case .credits: amount >= 0
    case .debits: amount <= 0
    case .both: true
    case .none: false
    }
  }

  /// How to undo it other than by a reversal, as a sentence with a space at its end; empty if that is impossible.
  var undoing: String { traits.undoing }

  /// Whether the balance may exceed the currency's maximum: a paid purchase is always credited.
  package var mayPassMaximum: Bool { self == .purchase || isReturn }

  /// Whether its credits return currency to a lot, so that the lot's granted amount does not increase.
  package var isReturn: Bool { self == .reversal || self == .reversedRefund || self == .merge || self == .unmerge }

  // MARK: Traits

  /// The properties of a kind.
  private struct Traits {
    enum Entries {
      case credits
      case debits
      case both
      /// It touches no balance.
      case none
    }

    let name: String
    let entries: Entries
    var hasEvents = false
    var undoing = ""
  }

  /// The properties of each kind, one row each.
  private var traits: Traits {
    switch self {
    case .purchase: Traits(name: "purchase", entries: .credits, undoing: "Refund it at the store. ")
    case .grant: Traits(name: "grant", entries: .credits, undoing: "Spend the granted currency. ")
    case .spend: Traits(name: "spend", entries: .debits)
    case .reversal: Traits(name: "reversal", entries: .both, hasEvents: true, undoing: "Spend it again. ")
    case .refund: Traits(name: "refund", entries: .debits)
    case .reversedRefund: Traits(name: "reversed_refund", entries: .credits)
    case .expiry: Traits(name: "expiry", entries: .debits)
    case .transfer: Traits(name: "transfer", entries: .both, hasEvents: true, undoing: "Transfer it back. ")
    case .exchange: Traits(name: "exchange", entries: .both, hasEvents: true, undoing: "Exchange it back. ")
    case .merge: Traits(name: "merge", entries: .both, hasEvents: true, undoing: "Unmerge the customer. ")
    case .recharge: Traits(name: "recharge", entries: .credits)
    case .initial: Traits(name: "initial", entries: .credits)
    case .mixed: Traits(name: "mixed", entries: .none, hasEvents: true)
    case .receiptHeld: Traits(name: "receipt_held", entries: .none)
    case .freeze: Traits(name: "freeze", entries: .none)
    case .unfreeze: Traits(name: "unfreeze", entries: .none)
    case .hold: Traits(name: "hold", entries: .none, hasEvents: true, undoing: "Release the hold. ")
    case .extend: Traits(name: "extend", entries: .none, hasEvents: true, undoing: "Release the hold. ")
    case .release: Traits(name: "release", entries: .none, hasEvents: true)
    case .capture: Traits(name: "capture", entries: .none, hasEvents: true)
    case .erase: Traits(name: "erase", entries: .none)
    case .unmerge: Traits(name: "unmerge", entries: .both, hasEvents: true, undoing: "Merge the customers again. ")
    }
  }
}
