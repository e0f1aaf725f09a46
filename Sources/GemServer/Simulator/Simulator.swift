#if Server
package import GemLedger
package import SimulatedStores
internal import StoreBackend
internal import StoreClient
internal import Synchronization

/// The simulated store of a project, under control of its clients: for a developer's machine and for tests.
///
/// Controls run one at a time. After each, the store's signed notices go to the backend in order, and the store is told
/// of each that was taken; one that was not taken waits with all later ones, also for the next process.
package final class Simulator: Sendable {
  let shop: any LocalShop
  let project: ServerProject
  /// Makes the clock's next reading durable; nil where the clock cannot be moved.
  private let keepClock: (@Sendable (Int64) throws(LedgerError) -> Void)?
  /// What goes wrong with requests to the store's own API.
  let apiFaults = SimulatedAPIFaults()
  private let turns = SerialTurns()
  /// Takes each notice to somebody else, too.
  private let forward = Mutex<(@Sendable (NumberedNotice) async throws(LedgerError) -> Void)?>(nil)
  /// The version of the catalog that the store sells.
  private let catalogVersion = Mutex<Int64?>(nil)

  /// - Parameters:
  ///   - shop: The store; its clock has to be the ledger's.
  ///   - project: The project that its purchases are credited in.
  ///   - keepClock: Makes the clock's next reading durable, in milliseconds ahead, before the clock moves; nil where
  ///   others have their time from the same ledger, so that the clock cannot be moved.
  /// - Throws: `LedgerError` with `configuration` where the ledger has purchases of production.
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
  /// - Throws: `LedgerError` with `configuration` where the ledger has purchases of production.
  package static func checkBooks(of ledger: Ledger) throws(LedgerError) {
    guard try !ledger.hasProductionPurchases() else {
      throw LedgerError(
        .configuration,
        "This ledger has purchases of production: simulated ones never come into such books. Take a ledger of its own.")
    }
  }

  var clock: VirtualClock { shop.controls.clock }
  var canMoveClock: Bool { keepClock != nil }

  // MARK: Notices

  /// Takes the store's waiting notices to the backend.
  ///
  /// - Throws: `LedgerError` as `LocalBackend.apply(signedNotice:)`; the notice waits then, with all later ones.
  package func deliverNotices() async throws(LedgerError) {
    try await turns.run { () async throws(LedgerError) in try await self.deliver() }
  }

  /// Delivers the notices of effects that come about by themselves, such as renewals, until the task is cancelled.
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

  /// Has each notice taken to somebody else, too; one that is not taken there waits with all later ones.
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

  /// What a control answers with.
  struct Outcome<Value: Sendable>: Sendable {
    let value: Value
    /// Why a notice was not taken; nil where none waits.
    let noticeFailure: LedgerError?
  }

  /// Does something to the store, then takes its notices to the backend.
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

  /// What a way of the clock brought.
  struct Passage: Sendable {
    /// The purchases and renewals on the way, oldest first.
    var purchases: [ShopTransaction]
    /// For how many customers something was due in the ledger.
    var settled: Int
    /// Whether something is left on the way.
    var isStopped: Bool
  }

  /// Moves the time of the store and of the ledger, from effect to effect.
  ///
  /// - Throws: `LedgerError` with `not_available` where the clock cannot be moved, `limit_exceeded`.
  func advanceClock(by length: Duration) async throws(LedgerError) -> Outcome<Passage> {
    guard let keepClock else {
      throw LedgerError(
        .notAvailable, "This ledger is kept where others use it, and they have their own time: it is not moved.")
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
      // A refund that the work asked the store for has a notice.
      failure = await self.deliveryFailure() ?? failure
      let purchases = self.shop.transactions().filter { !known.contains($0.id) }
      return Outcome(
        value: Passage(purchases: purchases, settled: settled, isStopped: !isDone), noticeFailure: failure)
    }
  }

  /// How far the clock may be ahead in all, in days: ten years.
  private static let aheadDaysMax: Int64 = 3653

  private func checkRoom(for length: Duration) throws(LedgerError) {
    let most = Self.aheadDaysMax * 86_400_000
    guard clock.milliseconds(aheadOf: .system) + length.wholeMilliseconds <= most else {
      throw LedgerError(
        .limitExceeded, "The clock goes at most \(Self.aheadDaysMax) days ahead of the machine's time.")
    }
  }
}

extension VirtualClock {
  /// How far it is ahead of another clock, in milliseconds; 0 where it is behind.
  func milliseconds(aheadOf other: LedgerClock) -> Int64 { max(0, now.milliseconds - other.now().milliseconds) }
}

// MARK: The catalog

extension Simulator {
  /// Lets the store sell what the catalog has now.
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
  /// Whether it has a purchase of a store's production environment.
  ///
  /// - Complexity: O(purchases) where there is none.
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
