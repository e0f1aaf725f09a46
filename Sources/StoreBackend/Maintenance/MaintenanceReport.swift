public import GemLedger

/// The result of one round of maintenance.
public struct MaintenanceReport: Sendable {
  /// The result of one job.
  public struct Job: Sendable {
    /// The job's name: `scheduled_effects`, `held_receipts`, `order_holds`, `deliveries`, or the name of a job of the
    /// caller's own.
    public let name: String
    /// What it did, by name; empty where it failed.
    public let counts: [String: Int]
    /// Why it failed, so that the next round tries again; nil where it did not fail.
    public let error: LedgerError?
  }

  /// When the round began.
  public let startedAt: Timestamp
  /// The jobs that ran, in their order; a cancelled round leaves the rest out.
  public let jobs: [Job]

  /// Whether no job failed.
  public var isOK: Bool { jobs.allSatisfy { $0.error == nil } }

  /// The jobs that failed.
  public var failures: [Job] { jobs.filter { $0.error != nil } }
}
