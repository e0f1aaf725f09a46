/// A virtual-currency ledger: balances that add up, purchases that are credited once, and a history that never changes.
///
/// ```swift
/// let ledger = Ledger.inMemory()
/// try ledger.apply(catalog)
/// try ledger.creditPurchase(purchase, customer: alice)
/// try ledger.spend([Adjustment(gem, 50)], customer: alice, key: key)
/// ```
///
/// Every command is atomic and durable before it returns, and may be repeated under the same key. Commands that wait at
/// the same time share one commit. `book` has two forms: called from a task it suspends while it waits for a commit,
/// called elsewhere it blocks the thread. All other methods block; in a task, ``perform(_:)`` runs them on another
/// thread. All methods may be called concurrently.
public final class Ledger: Sendable {
  package let storage: any LedgerStorage
  package let catalog = CatalogCache()
  package let clock: LedgerClock
  private let router: LaneRouter
  /// Signals commits to readers that wait for the feed.
  let commits = CommitSignal()
  let listeners = SharedListener()

  /// Makes a ledger over a storage that is ready.
  package init(storage: some LedgerStorage, clock: LedgerClock = .system) {
    self.storage = storage
    self.clock = clock
    router = LaneRouter(storage: storage, clock: clock, catalog: catalog, commits: commits)
  }

  /// Makes a new ledger that lives in memory and ends with the process.
  ///
  /// - Parameters:
  ///   - clock: The source of the time.
  ///   - salt: Makes transaction ids specific to the project; the same salt makes the same ids.
  public static func inMemory(
    clock: LedgerClock = .system, salt: UInt64 = .random(in: 0 ... .max)
  ) -> Ledger {
    Ledger(storage: MemoryStorage(project: ProjectRow(salt: salt, createdAt: clock.now())), clock: clock)
  }

  /// Closes the storage; later calls answer `storage_unavailable`, and waits for the feed end.
  public func close() {
    commits.close()
    storage.close()
  }

  var lanes: [Lane] { router.lanes }

  // MARK: Booking

  /// Books one command.
  ///
  /// - Returns: The booking, or the earlier booking under the same key.
  /// - Throws: ``LedgerError``; see the method of that command for its codes in order of precedence.
  @discardableResult
  public func book(_ command: LedgerCommand) async throws(LedgerError) -> Booking {
    try await router.route(command)
  }

  /// Books one command.
  ///
  /// - Returns: The booking, or the earlier booking under the same key.
  /// - Throws: ``LedgerError``; see the method of that command for its codes in order of precedence.
  @discardableResult
  public func book(_ command: LedgerCommand) throws(LedgerError) -> Booking {
    try router.route(command)
  }

  /// Books many commands, up to ``Limits/commandsPerGroup`` to a commit; a refused command does not affect the others.
  ///
  /// - Returns: The result of each command, in order.
  public func submit(_ commands: [LedgerCommand]) -> [Result<Booking, LedgerError>] {
    router.route(commands)
  }

  /// Decides a command without booking it, by the same code up to the commit.
  ///
  /// - Returns: The booking that would result, without the ids of a new transaction or hold.
  /// - Throws: ``LedgerError`` as booking would.
  public func preview(_ command: LedgerCommand) throws(LedgerError) -> Booking {
    let (now, isBounded) = (clock.now(), !clock.isAccepted)
    let catalog = catalog
    // Nothing is written, so the lanes do not matter.
    let command = command.declaringStock
    return try storage.read { (snapshot) throws(LedgerError) -> Booking in
      var decider = Decider(catalog: catalog)
      try decider.begin(snapshot, clock: now, isBounded: isBounded)
      return try decider.decide(command.body).booking().asPreview
    }
  }
}
