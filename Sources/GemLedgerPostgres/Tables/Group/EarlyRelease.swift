#if PostgreSQL
internal import Synchronization

/// The release of a group's lanes before its commit is on disk.
///
/// If several processes write, each group would otherwise hold its lanes during its sync, and the others would wait for
/// one sync after the other. Instead, the group commits without a sync, which releases its lanes, and the process then
/// waits for the sync before it answers. Groups of all processes share syncs.
///
/// The server's log is in order. So a group that saw such a commit is on disk only together with it, and after a crash
/// either both are there or only the earlier one. Answers without a commit could be based on rows that a crash removes:
/// readers, and groups without writes, wait until the rows that they may have seen are on disk. The lanes' rows state
/// whether their last group released them early; otherwise everything visible in the lane is on disk.
enum EarlyRelease {
  /// Makes the transaction's commit return before its sync, if that is possible, and returns whether it will.
  ///
  /// With synchronous standbys, a sync on this server is not sufficient. A commit just before they are configured is
  /// like any earlier commit, which they may not have received either; its answer waits for them, since the sync after
  /// the commit does. The record that requests a sync needs a right.
  static let beginning = """
    set_config('synchronous_commit', CASE WHEN current_setting('synchronous_standby_names') = ''
      AND \(PostgresConnection.maySync)
      THEN 'off' ELSE 'on' END, true) = 'off'
    """

  private static let exists = "EXISTS (SELECT FROM lanes WHERE early)"

  /// Waits for a sync if the group that committed just before released its lanes early.
  ///
  /// If a later group or sync has cleared the mark, its own sync included this group. The transaction is explicit, so
  /// that the failure of its end is a failure of a statement.
  static let syncIfUsed = [
    PostgresRequest("BEGIN"), PostgresRequest("SELECT CASE WHEN \(exists) THEN \(LogSync.record) END"),
    PostgresRequest("COMMIT"),
  ]

  /// The commits that released lanes early, unless this role may not clear their marks.
  static let marks = PostgresRequest(
    """
    SELECT xmin::text::bigint FROM lanes WHERE early
      AND has_table_privilege('lanes', 'UPDATE') AND current_setting('transaction_read_only') = 'off'
    """)

  /// Clears the marks of commits that an earlier sync has covered, in lanes without a running group.
  ///
  /// Otherwise the mark of the last group in a lane would cost each reader a sync. Lanes in which groups follow each
  /// other are left alone: the sync that this transaction ends with would hold them.
  static func clearing(_ commits: [Int64]) -> PostgresRequest {
    PostgresRequest(
      """
      UPDATE lanes SET early = false WHERE early AND xmin::text::bigint = ANY($1) AND customer IN (
        SELECT customer FROM lanes WHERE early AND xmin::text::bigint = ANY($1) FOR UPDATE SKIP LOCKED)
      """, commits)
  }

  /// The position in the server's log up to which visible rows may not be on disk yet; 0 if all of them are.
  ///
  /// The position is read after the statement's snapshot is taken, so it includes all visible commits. A standby
  /// receives only what is on the primary's disk.
  static let unsyncedPosition = """
    CASE WHEN NOT \(exists) OR pg_is_in_recovery() THEN 0
      WHEN pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() THEN 0
      ELSE pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint END
    """

  static let check = PostgresRequest("SELECT \(unsyncedPosition)")

  /// The position up to which the server's log is on disk.
  static let syncedPosition = PostgresRequest("SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint")
}

/// The positions of lanes as this process left them, which detect groups of other processes.
final class LaneTurns: Sendable {
  /// The number of groups that release their lanes early after a group of another process was detected.
  private static let groupCountMax = 64

  private struct State {
    var positions: [Int: Int64] = [:]
    var groupsLeft = 0
  }

  private let state = Mutex(State())

  /// Returns whether other processes also write, of late; called with the lanes locked.
  func areShared(_ heads: [LaneHead]) -> Bool {
    state.withLock { state in
      let isForeign = heads.contains { (state.positions[$0.lane] ?? $0.last) != $0.last }
      state.groupsLeft = isForeign ? Self.groupCountMax : max(0, state.groupsLeft - 1)
      return state.groupsLeft > 0
    }
  }

  /// Records the position at which a group leaves its lanes; called before its commit releases them.
  func leave(_ heads: [LaneHead], at last: Int64) {
    state.withLock { state in for head in heads { state.positions[head.lane] = last } }
  }

  /// Forgets the positions of lanes in which a group failed.
  func forget(_ heads: [LaneHead]) {
    state.withLock { state in for head in heads { state.positions[head.lane] = nil } }
  }
}
#endif
