/// Decides commands over one snapshot, each on the result of those before it, and writes nothing.
package struct CommandTrial: ~Copyable {
  private var decider: Decider
  private let snapshot: any StorageSnapshot

  package init(of ledger: Ledger, at now: Timestamp, in snapshot: any StorageSnapshot) throws(LedgerError) {
    decider = Decider(catalog: ledger.catalog)
    self.snapshot = snapshot
    try decider.begin(snapshot, clock: now)
  }

  /// The answer that the command would get.
  package mutating func decide(_ command: LedgerCommand) throws(LedgerError) -> Booking {
    try decider.decide(command.body).booking()
  }
}
