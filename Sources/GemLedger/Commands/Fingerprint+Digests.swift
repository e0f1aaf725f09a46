// Digests of the parts of commands. Stored fingerprints consist of them, so none may ever change.

extension Fingerprint {
  // Adjustments are added up, not chained, so that their order does not matter and nothing needs sorting.
  static func sum(of amounts: [Adjustment]) -> UInt64 { amounts.reduce(0) { $0 &+ digest(of: $1) } }

  static func digest(of adjustment: Adjustment) -> UInt64 {
    var hash = StableHash()
    hash.combine(adjustment.currency.stableNumber)
    hash.combine(UInt64(bitPattern: adjustment.amount))
    return hash.value
  }

  /// Nil means all amounts, which no list expresses.
  static func digest(of amounts: [Adjustment]?) -> UInt64 {
    var hash = StableHash(seed: amounts == nil ? 1 : 2)
    hash.combine(sum(of: amounts ?? []))
    return hash.value
  }

  static func digest(of text: String) -> UInt64 {
    var hash = StableHash()
    hash.combine(text)
    return hash.value
  }

  static func digest(of number: UInt64) -> UInt64 {
    var hash = StableHash()
    hash.combine(number)
    return hash.value
  }

  static func digest(of number: Int64) -> UInt64 { digest(of: UInt64(bitPattern: number)) }
  static func digest(of number: Int64?) -> UInt64 { number.map { digest(of: $0) } ?? 0 }

  static func digest(of id: TransactionID) -> UInt64 {
    var hash = StableHash()
    hash.combine(id.high)
    hash.combine(id.low)
    return hash.value
  }

  static func digest(of environment: StoreEnvironment) -> UInt64 {
    var hash = StableHash(seed: UInt64(bitPattern: environment.kind.rawValue))
    hash.combine(0)
    if let session = environment.session { hash.combine(session) }
    return hash.value
  }

  static func digest(of claim: LedgerCommand.PurchaseClaim) -> UInt64 {
    var hash = StableHash()
    hash.combine(claim)
    return hash.value
  }

  static func digest(of conditions: [Condition]) -> UInt64 {
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

  static func digest(of reference: Reference?) -> UInt64 {
    guard let reference else { return 0 }
    return half(digest(of: reference.text))
  }

  // 0 means "none", so a digest is never 0.
  static func half(_ digest: UInt64) -> UInt64 { max(1, (digest ^ digest >> 32) & 0xFFFF_FFFF) }
}

extension StableHash {
  mutating func combine(_ claim: LedgerCommand.PurchaseClaim) {
    combine(claim.store.description)
    combine(claim.environment.description)
    combine(claim.environment.session ?? "")
    combine(claim.transactionID.text)
  }
}
