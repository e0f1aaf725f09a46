/// What a key was used for, short enough to keep for ever.
///
/// It covers what was asked, the conditions and the reference; not actor, time or transport. Its parts are kept apart,
/// so that a conflict can name the field. Two words: the action in five bits with 59 bits of digest over what was
/// asked, and 32 bits each for conditions and reference, 0 where there are none.
package struct Fingerprint: Hashable, Sendable {
  package let asked: Int64
  package let qualifiers: Int64

  package init(asked: Int64, qualifiers: Int64) {
    self.asked = asked
    self.qualifiers = qualifiers
  }

  package init(of command: LedgerCommand) { self = command.body.fingerprint }

  init(of action: LedgerCommand.Action, conditions: [Condition], reference: Reference?) {
    let kind: UInt64
    let digest: UInt64
    switch action {
    case .adjustOne(let adjustment):
      kind = Self.adjust
      digest = Self.digest(of: adjustment)
    case .adjust(let adjust):
      kind = adjust.isOpening ? Self.opening : adjust.createsCustomer ? Self.grant : Self.adjust
      digest = Self.digest(of: adjust)
    case .buyItem(let item, let quantity), .buyStocked(let item, let quantity):
      // The two halves stay apart so that a conflict can tell the item from the quantity.
      kind = Self.item
      var hash = StableHash()
      hash.combine(item.text)
      digest = (hash.value >> 37) << 32 | Self.half(UInt64(bitPattern: quantity))
    case .creditPurchase(let purchase):
      kind = Self.purchase
      digest = Self.digest(of: purchase)
    case .createCustomer:
      kind = Self.create
      digest = 0
    case .refund, .reverseRefund, .merge, .createAlias, .freeze, .unfreeze:
      (kind, digest) = Self.correction(action)
    case .completeOrder(let completion):
      kind = Self.purchase
      digest = Self.digest(of: completion.purchase)
    case .openOrder, .advanceOrder, .registerToken, .holdEntitlement, .mergeAnonymous:
      // These have no key: what they do is known by what they name.
      kind = Self.order
      digest = 0
    case .reverse, .hold, .capture, .extendHold, .release, .basket, .exchange, .settle, .erase:
      (kind, digest) = Self.economy(action)
    }
    asked = Int64(bitPattern: kind << 59 | digest & (1 << 59 - 1))
    qualifiers = Int64(bitPattern: Self.digest(of: conditions) << 32 | Self.digest(of: reference))
  }

  /// The field in which two requests under one key differ, or nil where they are the same request.
  package func differingField(from other: Self) -> String? {
    let (kind, otherKind) = (UInt64(bitPattern: asked) >> 59, UInt64(bitPattern: other.asked) >> 59)
    if kind != otherKind { return "kind" }
    if asked != other.asked {
      switch kind {
      case Self.item: return (asked ^ other.asked) >> 32 == 0 ? "quantity" : "item"
      case Self.purchase: return "purchase"
      case Self.refund, Self.reversedRefund: return "refund"
      case Self.merge: return "from"
      case Self.reverse: return "transaction"
      case Self.capture, Self.extend, Self.release: return "hold"
      case Self.basket: return "legs"
      case Self.exchange: return "exchange"
      default: return "adjustments"
      }
    }
    if qualifiers >> 32 != other.qualifiers >> 32 { return "conditions" }
    return qualifiers == other.qualifiers ? nil : "reference"
  }

  private static let adjust: UInt64 = 1
  private static let grant: UInt64 = 2
  private static let item: UInt64 = 3
  private static let purchase: UInt64 = 4
  private static let create: UInt64 = 5
  private static let refund: UInt64 = 6
  private static let reversedRefund: UInt64 = 7
  private static let merge: UInt64 = 8
  private static let alias: UInt64 = 9
  private static let freeze: UInt64 = 10
  private static let unfreeze: UInt64 = 11
  static let reverse: UInt64 = 12
  static let hold: UInt64 = 13
  static let capture: UInt64 = 14
  static let extend: UInt64 = 15
  static let release: UInt64 = 16
  static let basket: UInt64 = 17
  static let exchange: UInt64 = 18

  private static func correction(_ action: LedgerCommand.Action) -> (kind: UInt64, digest: UInt64) {
    var hash = StableHash()
    switch action {
    case .refund(let asked):
      combine(asked.store, asked.environment, asked.transactionID)
      hash.combine(UInt64(bitPattern: asked.revokedAt.milliseconds))
      switch asked.extent {
      case .full: hash.combine(1)
      case .milliPercent(let share):
        hash.combine(2)
        hash.combine(UInt64(bitPattern: share))
      case .quantity(let units):
        hash.combine(3)
        hash.combine(UInt64(bitPattern: units))
      case .totalQuantity(let units):
        hash.combine(4)
        hash.combine(UInt64(bitPattern: units))
      }
      return (refund, hash.value)
    case .reverseRefund(let asked):
      combine(asked.store, asked.environment, asked.transactionID)
      if let revokedAt = asked.revokedAt { hash.combine(UInt64(bitPattern: revokedAt.milliseconds)) }
      return (reversedRefund, hash.value)
    case .merge(let from):
      hash.combine(from.text)
      return (merge, hash.value)
    case .createAlias(let id):
      hash.combine(id.text)
      return (alias, hash.value)
    case .freeze: return (freeze, 0)
    case .unfreeze: return (unfreeze, 0)
    default: preconditionFailure("not a correction")
    }

    func combine(_ store: Store, _ environment: StoreEnvironment, _ id: StoreTransactionID) {
      hash.combine(store.description)
      hash.combine(environment.description)
      hash.combine(environment.session ?? "")
      hash.combine(id.text)
    }
  }
  static let opening: UInt64 = 30
  static let order: UInt64 = 31

  // Adjustments are added up, not chained, so that their order does not matter and nothing needs sorting.
  private static func digest(of adjust: LedgerCommand.Adjust) -> UInt64 {
    var sum: UInt64 = 0
    for adjustment in adjust.adjustments { sum &+= digest(of: adjustment) }
    if let expiresAt = adjust.expiresAt {
      var hash = StableHash(seed: 1)
      hash.combine(UInt64(bitPattern: expiresAt.milliseconds))
      sum &+= hash.value
    }
    return sum
  }

  static func digest(of adjustment: Adjustment) -> UInt64 {
    var hash = StableHash()
    hash.combine(adjustment.currency.stableNumber)
    hash.combine(UInt64(bitPattern: adjustment.amount))
    return hash.value
  }

  private static func digest(of purchase: StorePurchase) -> UInt64 {
    var hash = StableHash()
    hash.combine(purchase.store.description)
    hash.combine(purchase.environment.description)
    hash.combine(purchase.environment.session ?? "")
    hash.combine(purchase.transactionID.text)
    return hash.value
  }

  private static func digest(of conditions: [Condition]) -> UInt64 {
    guard !conditions.isEmpty else { return 0 }
    var sum: UInt64 = 0
    for condition in conditions {
      var hash = StableHash()
      switch condition {
      case .version(let currency, let number): combine(1, currency, number)
      case .minimum(let currency, let number): combine(2, currency, number)
      case .maximum(let currency, let number): combine(3, currency, number)
      }
      sum &+= hash.value

      func combine(_ tag: UInt64, _ currency: CurrencyCode, _ number: Int64) {
        hash.combine(tag)
        hash.combine(currency.stableNumber)
        hash.combine(UInt64(bitPattern: number))
      }
    }
    return half(sum)
  }

  private static func digest(of reference: Reference?) -> UInt64 {
    guard let reference else { return 0 }
    var hash = StableHash()
    hash.combine(reference.text)
    return half(hash.value)
  }

  // 0 stands for "none", so a digest is never 0.
  private static func half(_ digest: UInt64) -> UInt64 { max(1, (digest ^ digest >> 32) & 0xFFFF_FFFF) }
}
