internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

extension World {
  /// Finishes all pending work: no faults, all approvals answered, every app started, every notice delivered.
  func drain() async throws(LedgerError) {
    faulty.heal()
    outageEnd = 0
    for floor in drivers { try floor.clearFaults() }
    try completeCatalog()
    for (index, waiting) in pending.enumerated() {
      await attempt { () async throws(LedgerError) in
        let floor = drivers[waiting.floor]
        if index % 2 == 0 { try floor.approve(waiting.id) } else { try floor.decline(waiting.id) }
      }
    }
    pending = []
    for spend in openSpends {
      await attempt { () async throws(LedgerError) in
        try await recorder.spend(spend.amounts, customer: spend.customer, key: spend.key)
      }
    }
    openSpends = []
    // All postponed work becomes due: hidden transactions, held deliveries, back-offs.
    for _ in 0..<2 {
      clock.advance(by: .seconds(3700))
      try await finishWork()
    }
    // Again without a move of the clock, for the effects of the last hour.
    try await finishWork()
  }

  private func finishWork() async throws(LedgerError) {
    try await maintain()
    for app in everyApp {
      try await app.relaunch()
      let client = try app.client()
      await client.syncPurchases()
      for item in client.queueItems where item.status == .deadLettered {
        let isGivenBack = app.floor.transaction(item.storeTransactionID)?.revocation?.extent == .full
        guard item.lastError?.code != .receiptRevoked || !isGivenBack else { continue }
        await attempt { () async throws(LedgerError) in try await client.requeueReceipt(item.id) }
      }
    }
    try collectNotices()
    await deliverNotices(3)
    for app in everyApp { try await app.pump() }
  }
}
