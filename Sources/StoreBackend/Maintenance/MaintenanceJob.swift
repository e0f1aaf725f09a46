public import GemLedger

/// A job that a service repeats as long as it runs.
///
/// ```swift
/// let prune = MaintenanceJob("prune") { _ in ["removed": try archive.prune()] }
/// let runner = MaintenanceRunner(backend: backend, jobs: [prune])
/// ```
public struct MaintenanceJob: Sendable {
  /// The name in reports.
  public let name: String
  let work: @Sendable (Timestamp) async throws(LedgerError) -> [String: Int]

  /// A job.
  ///
  /// - Parameters:
  ///   - name: The name in reports.
  ///   - work: Does the work that is due at an instant, and counts it. It may be called again after any failure.
  public init(_ name: String, work: @escaping @Sendable (Timestamp) async throws(LedgerError) -> [String: Int]) {
    self.name = name
    self.work = work
  }
}

extension MaintenanceJob {
  /// Returns the standing jobs of a backend, in order.
  static func standing(of backend: LocalBackend) -> [Self] {
    [
      .scheduledEffects(of: backend.ledger), .heldReceipts(of: backend), .orderHolds(of: backend),
      .deliveries(of: backend),
    ]
  }

  /// Books the due scheduled effects of all customers: expiries, ended holds, allowances, recharges.
  ///
  /// It counts `customers` (checked) and `settled` (with due effects).
  static func scheduledEffects(of ledger: Ledger) -> Self {
    Self("scheduled_effects") { _ throws(LedgerError) in
      var seen = 0
      let settled = try ledger.sweep { seen = $0 }
      return ["customers": seen, "settled": settled]
    }
  }

  /// Decides again about held purchases that are due or that a new catalog may concern; counts `decided` and
  /// `credited`.
  static func heldReceipts(of backend: LocalBackend) -> Self {
    Self("held_receipts") { now throws(LedgerError) in
      let (due, others) = (
        try await backend.held.decideDue(now: now), try await backend.held.decideAfterCatalogChange()
      )
      return ["decided": due.decided + others.decided, "credited": due.credited + others.credited]
    }
  }

  /// Completes the holds of orders; it counts `found`, `resolved` and `failed`.
  static func orderHolds(of backend: LocalBackend) -> Self {
    Self("order_holds") { _ throws(LedgerError) in
      let found = try await backend.resolveOrders()
      let failed = found.count { if case .failure = $0.result { true } else { false } }
      return ["found": found.count, "resolved": found.count(where: \.isResolved), "failed": failed]
    }
  }

  /// Tries the due deliveries, and issues the due refunds, until there are none.
  ///
  /// It counts `tried`, `confirmed`, `exhausted` and `refunded`.
  static func deliveries(of backend: LocalBackend) -> Self {
    Self("deliveries") { now throws(LedgerError) in
      var sum = DeliveryRound()
      var round = DeliveryRound()
      repeat {
        round = try await backend.retryDeliveries(now: now, limit: Limits.historyPage)
        sum.tried += round.tried
        sum.confirmed += round.confirmed
        sum.exhausted += round.exhausted
        sum.refunded += round.refunded
      } while round.tried + round.refunded == Limits.historyPage && !Task.isCancelled
      return ["tried": sum.tried, "confirmed": sum.confirmed, "exhausted": sum.exhausted, "refunded": sum.refunded]
    }
  }
}
