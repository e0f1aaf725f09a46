#if Server
package import GemLedger
package import SimulatedStores
internal import StoreBackend
internal import StoreClient
internal import Synchronization

/// The simulated store of a project, controlled by its clients, for development and tests.
///
/// Controls run one at a time. After each, the store's signed notices go to the backend in order, and the store learns
/// which were accepted. If a notice is not accepted, it waits with all later notices, also across restarts.
package final class Simulator: Sendable {
  let shop: any LocalShop
  let project: ServerProject
  /// Makes the clock's next reading durable; nil if the clock cannot be moved.
  private let keepClock: (@Sendable (Int64) throws(LedgerError) -> Void)?
  /// The faults of requests to the store's API.
  let apiFaults = SimulatedAPIFaults()
  private let turns = SerialTurns()
  /// Forwards each notice to an additional receiver.
  private let forward = Mutex<(@Sendable (NumberedNotice) async throws(LedgerError) -> Void)?>(nil)
  /// The version of the catalog that the store sells.
  private let catalogVersion = Mutex<Int64?>(nil)

  /// - Parameters:
  ///   - shop: The store; it must use the ledger's clock.
  ///   - project: The project in which its purchases are credited.
  ///   - keepClock: Makes the clock's next reading durable, in milliseconds ahead, before the clock moves; nil if other
  ///     processes use the ledger with their own time, so that the clock cannot be moved.
  /// - Throws: `LedgerError` with `configuration` if the ledger has production purchases.
  package init(
    shop: any LocalShop, project: ServerProject,
    keepClock: (@Sendable (Int64) throws(LedgerError) -> Void)?
  ) throws(LedgerError) {
    try Self.checkBooks(of: project.ledger)
    self.shop = shop
    self.project = project
    self.keepClock = keepClock
  }

  /// Refuses a ledger in which simulated purchases would mix with real ones.
  ///
  /// - Throws: `LedgerError` with `configuration` if the ledger has production purchases.
  package static func checkBooks(of ledger: Ledger) throws(LedgerError) {
    guard try !ledger.hasProductionPurchases() else {
      throw LedgerError(
        .configuration,
        "This ledger has production purchases, and simulated purchases must not mix with them. Use a separate ledger.")
    }
  }

  var clock: VirtualClock { shop.controls.clock }
  var canMoveClock: Bool { keepClock != nil }

  // MARK: Notices

  /// Delivers the store's waiting notices to the backend.
  ///
  /// - Throws: `LedgerError` as `LocalBackend.apply(signedNotice:)`; the notice then waits, with all later notices.
  package func deliverNotices() async throws(LedgerError) {
    try await turns.run { () async throws(LedgerError) in try await self.deliver() }
  }

  /// Delivers the notices of automatic effects, such as renewals, until the task is cancelled.
  package func follow(onFailure: @escaping @Sendable (LedgerError) -> Void) -> Task<Void, Never> {
    let notices = shop.controls.notices()
    return Task {
      for await _ in notices {
        do throws(LedgerError) { try await self.deliverNotices() } catch { onFailure(error) }
      }
    }
  }

  private func deliver() async throws(LedgerError) {
    while true {
      let notices = shop.pendingNotices()
      guard !notices.isEmpty else { return }
      for notice in notices {
        try await apply(notice)
        if let forward = forward.withLock({ $0 }) { try await forward(notice) }
        try shop.acknowledgeNotices(through: notice.id)
      }
    }
  }

  /// Forwards each notice to an additional receiver; if it fails, the notice waits with all later notices.
  func forwardNotices(to taker: @escaping @Sendable (NumberedNotice) async throws(LedgerError) -> Void) {
    forward.withLock { $0 = taker }
  }

  private func apply(_ numbered: NumberedNotice) async throws(LedgerError) {
    switch numbered.notice {
    case .refunded(let evidence), .refundReversed(let evidence), .revoked(let evidence), .voided(_, let evidence),
      .renewed(let evidence):
      if let text = numbered.signedText {
        try await project.backend.apply(signedNotice: text)
      } else {
        try await project.backend.apply(evidence: evidence.receipt)
      }
    case .oneTimeCharge, .consumptionRequest, .refundDeclined, .oneTimePurchased, .oneTimeCanceled:
      // A first payment is credited when the client posts its receipt.
      return
    }
  }

  // MARK: Controls

  /// The result of a control.
  struct Outcome<Value: Sendable>: Sendable {
    let value: Value
    /// The reason why a notice was not accepted; nil if no notice is waiting.
    let noticeFailure: LedgerError?
  }

  /// Changes the store, then delivers its notices to the backend.
  func control<Value: Sendable>(
    _ change: @escaping @Sendable () async throws(LedgerError) -> Value
  ) async throws(LedgerError) -> Outcome<Value> {
    try await turns.run { () async throws(LedgerError) in
      let value = try await change()
      return Outcome(value: value, noticeFailure: await self.deliveryFailure())
    }
  }

  private func deliveryFailure() async -> LedgerError? {
    do throws(LedgerError) {
      try await deliver()
      return nil
    } catch { return error }
  }

  /// The effects of a move of the clock.
  struct Passage: Sendable {
    /// The purchases and renewals during the move, oldest first.
    var purchases: [ShopTransaction]
    /// The number of customers with due effects that the ledger booked.
    var settled: Int
    /// Whether the move ended before its target.
    var isStopped: Bool
  }

  /// Moves the time of the store and of the ledger, from effect to effect.
  ///
  /// - Throws: `LedgerError` with `not_available` if the clock cannot be moved, `limit_exceeded`.
  func advanceClock(by length: Duration) async throws(LedgerError) -> Outcome<Passage> {
    guard let keepClock else {
      throw LedgerError(
        .notAvailable, "The clock cannot be moved: other processes use this ledger, and their clocks would differ.")
    }
    return try await turns.run { () async throws(LedgerError) in
      try self.checkRoom(for: length)
      let known = Set(self.shop.transactions().map(\.id))
      var failure: LedgerError?
      let isDone = try await ClockWalk(self.clock).go(length) { (ahead) throws(LedgerError) in
        try keepClock(ahead)
      } atStop: {
        failure = await self.deliveryFailure()
      }
      let settled = try await self.project.backend.doDueWork()
      // A refund that the due work requested from the store has a notice.
      failure = await self.deliveryFailure() ?? failure
      let purchases = self.shop.transactions().filter { !known.contains($0.id) }
      return Outcome(
        value: Passage(purchases: purchases, settled: settled, isStopped: !isDone), noticeFailure: failure)
    }
  }

  /// The maximum lead of the clock, in days: ten years.
  private static let aheadDaysMax: Int64 = 3653

  private func checkRoom(for length: Duration) throws(LedgerError) {
    let most = Self.aheadDaysMax * 86_400_000
    guard clock.milliseconds(aheadOf: .system) + length.wholeMilliseconds <= most else {
      throw LedgerError(
        .limitExceeded, "The clock can be at most \(Self.aheadDaysMax) days ahead of the machine's time.")
    }
  }
}

extension VirtualClock {
  /// Returns the lead over another clock, in milliseconds; 0 if this clock is not ahead.
  func milliseconds(aheadOf other: LedgerClock) -> Int64 { max(0, now.milliseconds - other.now().milliseconds) }
}

// MARK: The catalog

extension Simulator {
  /// Gives the store the current catalog.
  func sellCurrentCatalog() throws(LedgerError) {
    let (version, catalog) = try project.ledger.view { (view) throws(LedgerError) -> (Int64, Catalog?) in
      let version = try view.catalogVersion()
      let isSold = catalogVersion.withLock { $0 == version }
      return (version, isSold ? nil : try view.catalog())
    }
    guard let catalog else { return }
    try shop.controls.setCatalog(catalog)
    catalogVersion.withLock { $0 = version }
  }
}

extension Ledger {
  /// Returns whether the ledger has a purchase of a store's production environment.
  ///
  /// - Complexity: O(purchases) if it has none.
  func hasProductionPurchases() throws(LedgerError) -> Bool {
    try reading { (snapshot, _) throws(LedgerError) -> Bool in
      let scan = try snapshot.scan()
      var last: Int64 = 0
      while true {
        let page = try scan.purchases(after: last, limit: 1000)
        if page.contains(where: { $0.identity.environment == StoreEnvironment.Kind.production.rawValue }) {
          return true
        }
        guard let end = page.last?.number else { return false }
        last = end
      }
    }
  }
}
#endif
