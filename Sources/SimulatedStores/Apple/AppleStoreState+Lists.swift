internal import GemLedger
internal import StoreBackend

extension AppleStoreState {
  /// Returns at most `limit` unfinished transactions, oldest first.
  func unfinished(of account: String, after: StoreTransactionID?, limit: Int) -> [TransactionUpdate] {
    let start = after.flatMap { serial($0) }
    return updates(accounts[ByteString(account)]?.unfinished.page(after: start, limit: limit) ?? [])
  }

  /// The history: all but finished consumables that were not refunded, unless the app asked for those too.
  func all(of account: String) -> [TransactionUpdate] {
    let shown = accounts[ByteString(account)]?.shown.all ?? []
    return updates(
      shown.filter { serial in
        guard let row = rows[serial] else { return false }
        return row.transaction.productType != .consumable || !row.isFinished || row.transaction.revocation != nil
          || settings.includesFinishedConsumables
      })
  }

  /// Returns non-consumables, non-renewing subscriptions and running subscriptions, without refunded ones.
  func entitlements(of account: String) -> [TransactionUpdate] {
    let owned = accounts[ByteString(account)].map { Array($0.owned.values) } ?? []
    let running = subscriptions(of: account).filter(\.isEntitling)
    let shared = accounts[ByteString(account)]?.sharedPeriods.values.filter(isEntitling) ?? []
    return updates(
      (owned + running.map(\.latestSerial) + shared).sorted().filter { serial in
        rows[serial].map { $0.isShown && $0.transaction.revocation == nil } ?? false
      })
  }

  /// Returns the transactions that the next start of the app delivers.
  func launchDeliveries(of account: String) -> [TransactionUpdate] { unfinished(of: account, after: nil, limit: .max) }

  private func updates(_ serials: [UInt64]) -> [TransactionUpdate] { serials.compactMap { rows[$0]?.update } }

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
