internal import GemLedger
internal import StoreBackend

// Family sharing: each member has a separate transaction, which names no buyer and ends with the purchase.
extension AppleStoreState {
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
    for shared in lists.sharedRows(of: last) where shared.transaction.revocation == nil {
      share(row, with: shared.account, after: shared, now: now)
    }
  }

  /// Revokes the members' transactions after a full refund of the purchase, or restores them.
  mutating func revokeShares(of row: AppleRow, now: Timestamp) {
    let isRevoked = row.transaction.revocation?.extent == .full
    for var shared in lists.sharedRows(of: row) where (shared.transaction.revocation != nil) != isRevoked {
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
}
