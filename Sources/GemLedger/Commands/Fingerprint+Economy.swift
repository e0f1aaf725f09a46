extension Fingerprint {
  /// What is asked of holds, reversals, baskets and exchanges.
  static func economy(_ action: LedgerCommand.Action) -> (kind: UInt64, digest: UInt64) {
    var hash = StableHash()
    switch action {
    case .reverse(let id, let amounts):
      combine(id, amounts)
      return (reverse, hash.value)
    case .hold(let amounts, let milliseconds):
      return (hold, sum(of: amounts) &+ UInt64(bitPattern: milliseconds) &* 0x9E37_79B9_7F4A_7C15)
    case .capture(let asked):
      combine(asked.hold.transactionID, asked.amounts)
      hash.combine(asked.keepsOpen ? 1 : 0)
      return (capture, hash.value)
    case .extendHold(let id, let milliseconds):
      combine(id.transactionID, nil)
      hash.combine(UInt64(bitPattern: milliseconds))
      return (extend, hash.value)
    case .release(let id):
      combine(id.transactionID, nil)
      return (release, hash.value)
    case .basket(let legs):
      for leg in legs { combine(leg) }
      return (basket, hash.value)
    case .exchange(let asked):
      hash.combine(digest(of: asked.from))
      hash.combine(asked.into.stableNumber)
      hash.combine(UInt64(bitPattern: asked.rate.numerator))
      hash.combine(UInt64(bitPattern: asked.rate.denominator))
      hash.combine(asked.rate.rounding.description)
      return (exchange, hash.value)
    // What these do is known by whom they name.
    default: return (order, 0)
    }

    func combine(_ id: TransactionID, _ amounts: [Adjustment]?) {
      hash.combine(id.high)
      hash.combine(id.low)
      if let amounts { hash.combine(sum(of: amounts)) }
    }

    func combine(_ leg: BasketLeg) {
      switch leg {
      case .transfer(let amounts, let from, let to):
        combine(1, sum(of: amounts), [from.text, to.text])
      case .item(let item, let quantity, let from, let to):
        combine(2, UInt64(bitPattern: quantity), [item.text, from.text, to.text])
      case .spend(let amounts, let customer): combine(3, sum(of: amounts), [customer.text])
      case .grant(let amounts, let customer, let source):
        combine(4, sum(of: amounts), [customer.text, source.name])
      }
    }

    func combine(_ tag: UInt64, _ number: UInt64, _ texts: [String]) {
      hash.combine(tag)
      hash.combine(number)
      for text in texts { hash.combine(text) }
    }
  }

  // Added up, so that their order does not matter.
  private static func sum(of amounts: [Adjustment]) -> UInt64 {
    amounts.reduce(0) { $0 &+ digest(of: $1) }
  }
}
