extension LedgerClock {
  /// Returns the later of the journal's newest instant and the clock's time.
  ///
  /// Journal time never goes back, even if the machine's clock does.
  package func now(in snapshot: any StorageSnapshot) throws(LedgerError) -> Timestamp {
    max(now(), try snapshot.sequences().createdAt)
  }

  /// Returns the instant to read at; nil means now.
  ///
  /// - Throws: `invalid_request` for an instant in the future.
  package func instant(_ instant: Timestamp?, in snapshot: any StorageSnapshot) throws(LedgerError) -> Timestamp {
    let now = try now(in: snapshot)
    guard let instant else { return now }
    try Self.check(instant, isOverAt: now)
    return instant
  }

  /// Checks that an instant is not in the future: the next command could still change the answer for it.
  ///
  /// - Throws: `invalid_request`.
  static func check(_ instant: Timestamp, isOverAt now: Timestamp) throws(LedgerError) {
    guard instant <= now else {
      throw .invalid("The instant \(instant) is in the future; it is now \(now). Use a past instant.")
    }
  }
}
