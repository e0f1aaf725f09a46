/// The instants at which a ledger trusts its machine's clock; pure.
///
/// Journal time never goes back. A booking by a clock that is ten years ahead would move it there for good. Everything
/// with an expiry in those ten years would be gone, and a hold for an hour would last ten years.
enum ClockRules {
  /// - Parameter newest: The instant of the newest transaction; 0 if there is none.
  /// - Throws: `clock_implausible`.
  static func check(_ clock: Timestamp, newest: Timestamp) throws(LedgerError) {
    guard newest.milliseconds != 0 else { return }
    let ahead = clock.milliseconds(since: newest)
    if ahead > Limits.clockAhead.wholeMilliseconds {
      throw implausible(
        "\(days(ahead)) days after the newest transaction", clock, newest,
        "if it is correct and the ledger was idle that long, book once with --accept-clock")
    }
    if ahead < -Limits.clockBehind.wholeMilliseconds {
      throw implausible(
        "\(days(-ahead)) days before the newest transaction", clock, newest,
        "if it is correct, the newest transactions have wrong dates: see the page Time")
    }
  }

  /// Checks the clock against the newest instant of the loaded lanes, then against that of all lanes.
  ///
  /// A loaded lane may have been idle: that is no reason to doubt the clock if other lanes were not.
  static func check(_ clock: Timestamp, newest: Timestamp, in snapshot: any StorageSnapshot) throws(LedgerError) {
    do throws(LedgerError) {
      try check(clock, newest: newest)
    } catch {
      let newestOfAll = try snapshot.newestInstant()
      guard newestOfAll > newest else { throw error }
      try check(clock, newest: newestOfAll)
    }
  }

  private static func days(_ milliseconds: Int64) -> Int64 { milliseconds / CivilDate.dayMilliseconds }

  private static func implausible(
    _ distance: String, _ clock: Timestamp, _ newest: Timestamp, _ advice: String
  ) -> LedgerError {
    LedgerError(
      .clockImplausible,
      "This machine's clock is at \(clock), which is \(distance), of \(newest). Nothing was booked. Set the clock; "
        + "\(advice).",
      details: [.text("clock", clock.description), .text("newest", newest.description)])
  }
}
