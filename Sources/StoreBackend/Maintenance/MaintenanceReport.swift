public import GemLedger

/// The result of one round of maintenance.
public struct MaintenanceReport: Sendable {
  /// The result of one job.
  public struct Job: Sendable {
    /// The job's name: `scheduled_effects`, `held_receipts`, `order_holds`, `deliveries`, or the name of a caller's
    /// job.
    public let name: String
    /// The counts of the work, by name; empty if the job failed.
    public let counts: [String: Int]
    /// The failure, after which the next round tries again; nil on success.
    public let error: LedgerError?
  }

  /// When the round began.
  public let startedAt: Timestamp
  /// The jobs that ran, in order; a cancelled round omits the remaining jobs.
  public let jobs: [Job]

  /// Whether no job failed.
  public var isOK: Bool { jobs.allSatisfy { $0.error == nil } }

  /// The jobs that failed.
  public var failures: [Job] { jobs.filter { $0.error != nil } }
}
