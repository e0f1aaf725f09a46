public import GemLedger

extension SimulatedStore {
  /// Makes the store misbehave, on top of what it does already.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where a fault could never strike; then none is taken.
  public func inject(_ plan: FaultPlan) throws(LedgerError) { try keeper.inject(plan) }

  /// Makes the store misbehave in one way more.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where the fault could never strike.
  public func inject(_ fault: StoreFault) throws(LedgerError) { try keeper.inject(FaultPlan([fault])) }

  /// The faults that can still strike.
  public var faults: [StoreFault] { keeper.look { $0.desk.faults.armed.map(\.fault) } }

  /// Ends all faults, or those of one API.
  public func clearFaults(on api: StoreAPI? = nil) throws(LedgerError) { try keeper.clearFaults(on: api) }

  /// What the store tells the backend from now on; each call starts a stream of its own, and takes nothing away.
  public func notices() -> AsyncStream<StoreNotice> { keeper.notices() }

  /// What waits for the backend, oldest first; it waits until it is taken, across processes, the last 10,000 at most.
  public func pendingNotices(limit: Int = 100) -> [NumberedNotice] { keeper.pendingNotices(limit: limit) }

  /// The backend has taken everything up to the notice with this number.
  public func settleNotices(through id: Int64) throws(LedgerError) { try keeper.settleNotices(through: id) }

  /// Takes what waits for the backend, oldest first.
  public func takeNotices(limit: Int = 100) throws(LedgerError) -> [StoreNotice] {
    try keeper.takeNotices(limit: limit)
  }
}
