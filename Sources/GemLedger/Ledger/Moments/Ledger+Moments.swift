extension Ledger {
  /// Returns the journal's newest instant, or the clock's if that is later.
  ///
  /// An instant that the journal has passed does not come again, even if the machine's clock goes back.
  package func now(in snapshot: any StorageSnapshot) throws(LedgerError) -> Timestamp {
    max(clock.now(), try snapshot.sequences().createdAt)
  }

  /// The instant meant; nil is now.
  ///
  /// - Throws: `invalid_request` for an instant in the future.
  package func instant(_ instant: Timestamp?, in snapshot: any StorageSnapshot) throws(LedgerError) -> Timestamp {
    let now = try now(in: snapshot)
    guard let instant else { return now }
    try Self.check(instant, isOverAt: now)
    return instant
  }

  /// Checks that an instant is over: its answer stays, while the next command would change one about the future.
  ///
  /// - Throws: `invalid_request`.
  static func check(_ instant: Timestamp, isOverAt now: Timestamp) throws(LedgerError) {
    guard instant <= now else {
      throw .invalid("The instant \(instant) is in the future: the time is \(now). Use a past instant.")
    }
  }
}
