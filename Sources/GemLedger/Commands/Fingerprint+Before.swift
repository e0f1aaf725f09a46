// The fingerprints that earlier versions made. A key kept by one of them answers the same request as it did then; in
// the fields that they left out it cannot see a difference.

extension Fingerprint {
  /// What an earlier version kept of the action; nil where it is what is kept now.
  static func askedBefore(_ action: LedgerCommand.Action) -> Int64? {
    var hash = StableHash()
    switch action {
    case .adjustOne(let adjustment): return asked(.adjustBefore, digest(of: adjustment))
    case .adjust(let adjust):
      let kind: FingerprintKind =
        adjust.isOpening ? .openingBefore : adjust.createsCustomer ? .grantBefore : .adjustBefore
      return asked(kind, digestBefore(of: adjust))
    case .refund(let refund):
      hash.combine(refund.identity)
      hash.combine(UInt64(bitPattern: refund.revokedAt.milliseconds))
      hash.combine(refund.extent)
      return asked(.refundBefore, hash.value)
    case .reverseRefund(let reversal):
      hash.combine(reversal.identity)
      if let revokedAt = reversal.revokedAt { hash.combine(UInt64(bitPattern: revokedAt.milliseconds)) }
      return asked(.reversedRefundBefore, hash.value)
    case .reverse(let id, let amounts):
      combine(id, amounts)
      return asked(.reverseBefore, hash.value)
    case .hold(let amounts, let milliseconds):
      return asked(.holdBefore, sum(of: amounts) &+ UInt64(bitPattern: milliseconds) &* 0x9E37_79B9_7F4A_7C15)
    case .capture(let capture):
      combine(capture.hold.transactionID, capture.amounts)
      hash.combine(capture.keepsOpen ? 1 : 0)
      return asked(.captureBefore, hash.value)
    case .extendHold(let id, let milliseconds):
      combine(id.transactionID, nil)
      hash.combine(UInt64(bitPattern: milliseconds))
      return asked(.extendBefore, hash.value)
    case .exchange(let exchange):
      hash.combine(digest(of: exchange.from))
      hash.combine(exchange.into.stableNumber)
      hash.combine(exchange.rate)
      return asked(.exchangeBefore, hash.value)
    case .buyItem, .buyStocked, .creditPurchase, .completeOrder, .merge, .createAlias, .freeze, .unfreeze, .release,
      .basket, .createCustomer, .openOrder, .advanceOrder, .registerToken, .holdEntitlement, .mergeAnonymous,
      .settle, .erase:
      return nil
    }

    func combine(_ id: TransactionID, _ amounts: [Adjustment]?) {
      hash.combine(id.high)
      hash.combine(id.low)
      if let amounts { hash.combine(sum(of: amounts)) }
    }
  }

  private static func digestBefore(of adjust: LedgerCommand.Adjust) -> UInt64 {
    guard let expiresAt = adjust.expiresAt else { return sum(of: adjust.adjustments) }
    var hash = StableHash(seed: 1)
    hash.combine(UInt64(bitPattern: expiresAt.milliseconds))
    return sum(of: adjust.adjustments) &+ hash.value
  }
}
