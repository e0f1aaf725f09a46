internal import GemLedger
internal import StoreBackend

/// The lists of transactions that the store shows to an account.
struct AppleLists {
  let state: AppleStoreState

  /// Returns at most `limit` unfinished transactions, oldest first.
  func unfinished(of account: String, after: StoreTransactionID?, limit: Int) -> [TransactionUpdate] {
    let start = after.flatMap { state.serial($0) }
    return updates(state.accounts[ByteString(account)]?.unfinished.page(after: start, limit: limit) ?? [])
  }

  /// The history: all but finished consumables that were not refunded, unless the app asked for those too.
  func all(of account: String) -> [TransactionUpdate] {
    let shown = state.accounts[ByteString(account)]?.shown.all ?? []
    return updates(
      shown.filter { serial in
        guard let row = state.rows[serial] else { return false }
        return row.transaction.productType != .consumable || !row.isFinished || row.transaction.revocation != nil
          || state.settings.includesFinishedConsumables
      })
  }

  /// Returns non-consumables, non-renewing subscriptions and running subscriptions, without refunded ones.
  func entitlements(of account: String) -> [TransactionUpdate] {
    let owned = state.accounts[ByteString(account)].map { Array($0.owned.values) } ?? []
    let running = state.subscriptions(of: account).filter(\.isEntitling)
    let shared = state.accounts[ByteString(account)]?.sharedPeriods.values.filter(isEntitling) ?? []
    return updates(
      (owned + running.map(\.latestSerial) + shared).sorted().filter { serial in
        state.rows[serial].map { $0.isShown && $0.transaction.revocation == nil } ?? false
      })
  }

  /// Returns the transactions that the next start of the app delivers.
  func launchDeliveries(of account: String) -> [TransactionUpdate] { unfinished(of: account, after: nil, limit: .max) }

  private func updates(_ serials: [UInt64]) -> [TransactionUpdate] { serials.compactMap { state.rows[$0]?.update } }

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

  /// Whether the shared period is the current period of its buyer's subscription.
  func isEntitling(_ serial: UInt64) -> Bool {
    guard let shared = state.rows[serial]?.sharedSerial, let bought = state.rows[shared] else { return false }
    return state.subscription(of: bought.transaction.id).map { $0.isEntitling && $0.latestSerial == shared } ?? false
  }

  func sharedRows(of row: AppleRow) -> [AppleRow] { (state.shares[row.serial] ?? []).compactMap { state.rows[$0] } }
}

extension AppleStoreState {
  var lists: AppleLists { AppleLists(state: self) }

  /// The app has credited the purchase of its account.
  mutating func finish(_ id: StoreTransactionID, by device: DeviceName) {
    guard let serial = serial(id), let row = rows[serial], row.isPurchased, !row.isFinished,
      row.account.hasBytes(of: device.account)
    else { return }
    record(.finished(serial))
  }

  /// Shows hidden transactions, and sends deliveries that were held back.
  mutating func sync(_ account: String, now: Timestamp) {
    for serial in hidden.sorted() {
      guard let row = rows[serial], row.account.hasBytes(of: account), let until = row.hiddenUntil else { continue }
      show(serial, at: until)
    }
    releaseAll(account: account)
  }
}
