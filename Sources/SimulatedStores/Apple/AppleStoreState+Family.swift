internal import GemLedger
internal import StoreBackend

// Family sharing: each member has a separate transaction, which names no buyer and ends with the purchase.
extension AppleStoreState {
  /// Returns the reason why the purchase cannot be shared with the account; nil if it can.
  func obstacle(toSharing row: AppleRow, with account: String) -> String? {
    let type = row.transaction.productType
    guard row.isPurchased, row.transaction.revocation?.extent != .full else { return "It is not paid for." }
    guard type == .nonConsumable || type == .autoRenewableSubscription else {
      return "Families share non-consumables and subscriptions only."
    }
    guard row.sharedSerial == nil else { return "It is shared itself." }
    guard !row.account.hasBytes(of: account) else { return "This account bought it." }
    guard !sharedRows(of: row).contains(where: { $0.account.hasBytes(of: account) }) else {
      return "It is shared with this account already."
    }
    return nil
  }

  /// Gives a family member the purchase.
  ///
  /// - Parameter last: The member's last period of the same subscription.
  @discardableResult
  mutating func share(_ row: AppleRow, with account: String, after last: AppleRow? = nil, now: Timestamp) -> AppleRow {
    var transaction = row.transaction
    transaction.id = id(lastSerial + 1)
    transaction.originalID = last?.transaction.originalID ?? transaction.id
    transaction.purchasedAt = now
    transaction.originalPurchasedAt = last?.transaction.originalPurchasedAt ?? now
    transaction.ownership = .familyShared
    transaction.accountToken = nil
    transaction.offer = nil
    transaction.revocation = nil
    transaction.signedAt = now
    let shared = AppleRow(
      serial: lastSerial + 1, account: account, state: .purchased, transaction: transaction, sharedSerial: row.serial)
    record(.row(shared))
    send(shared.update, now: now)
    if transaction.reason == .renewal {
      post(.renewed, transaction, of: account, now: now)
    } else if settings.sendsOneTimeChargeNotices {
      post(.oneTimeCharge, transaction, of: account, now: now)
    }
    return shared
  }

  /// Shares the next period of a subscription with the accounts that shared the last period.
  mutating func shareAgain(_ last: AppleRow, as row: AppleRow, now: Timestamp) {
    for shared in sharedRows(of: last) where shared.transaction.revocation == nil {
      share(row, with: shared.account, after: shared, now: now)
    }
  }

  /// Revokes the members' transactions after a full refund of the purchase, or restores them.
  mutating func revokeShares(of row: AppleRow, now: Timestamp) {
    let isRevoked = row.transaction.revocation?.extent == .full
    for var shared in sharedRows(of: row) where (shared.transaction.revocation != nil) != isRevoked {
      let stamp = shared.nextStamp(now)
      shared.transaction.signedAt = stamp
      shared.transaction.revocation = isRevoked ? StoreTransaction.Revocation(revokedAt: stamp) : nil
      record(.row(shared))
      if shared.isShown {
        send(TransactionUpdate(transaction: shared.transaction, account: shared.account), now: now)
      }
      post(isRevoked ? .revoked : .refundReversed, shared.transaction, of: shared.account, now: now)
    }
  }

  /// Whether the shared period is the current period of its buyer's subscription.
  func isEntitling(_ serial: UInt64) -> Bool {
    guard let shared = rows[serial]?.sharedSerial, let bought = rows[shared] else { return false }
    return subscription(of: bought.transaction.id).map { $0.isEntitling && $0.latestSerial == shared } ?? false
  }

  private func sharedRows(of row: AppleRow) -> [AppleRow] { (shares[row.serial] ?? []).compactMap { rows[$0] } }
}
