import GemLedger
import SimulatedStores
import StoreClient

/// The offset of a home's time from the machine's time. It has a separate file, which most homes do not need.
extension Home {
  /// The file of `clock advance`.
  var clockPath: String { "\(path)/clock" }

  /// Reads how far the home's time is ahead, in milliseconds.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `input_output`, `storage_damaged`.
  func clockAhead() throws(LedgerError) -> Int64 {
    guard FileAccess.exists(clockPath) else { return 0 }
    let text = String(decoding: try FileAccess.read(clockPath), as: UTF8.self)
    let words = text.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)
    guard words.count == 3, let ahead = Int64(words[1]), Self.clockText(ahead: ahead) == text else {
      throw LedgerError(
        .storageDamaged,
        "\(clockPath.quotedForPeople) cannot be understood; restore it from a backup. It has the offset of the home's "
          + "time is.", details: [.text("file", clockPath)])
    }
    return ahead
  }

  /// Makes the home's time durable, before anything is booked at it.
  func saveClock(ahead: Int64) throws(LedgerError) { try FileAccess.replace(clockPath, Self.clockText(ahead: ahead)) }

  private static func clockText(ahead: Int64) -> String {
    let words = "ahead_milliseconds \(ahead)"
    return "\(words) \(HexForm.hex(UInt64(Checksum.of(words.utf8)), digits: 8))\n"
  }
}

extension Invocation {
  /// The clock of the home, for its ledger, its store and its client.
  ///
  /// Only a home's private ledger has one: a shared ledger has the time of all its users.
  func homeClock() throws(LedgerError) -> VirtualClock? {
    guard try StorageChoice(settings.storage) == .home, FileAccess.exists(home.clockPath) else { return nil }
    let clock = VirtualClock(following: .system)
    clock.advance(by: .milliseconds(try home.clockAhead()))
    return clock
  }

  /// The time of the command: the home's.
  func now() throws(LedgerError) -> Timestamp {
    if let own = try homeClock() { return own.now }
    return clock.now()
  }
}
