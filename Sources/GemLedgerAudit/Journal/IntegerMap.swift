internal import GemLedger

/// Values by numbers, of which a replay looks up some with every entry and removes none.
///
/// A dictionary would spend as much on hashes as the replay does on everything else.
final class ReplayTable<Value>: Sequence {
  private var rows: [(number: Int64, value: Value)] = []
  private var index = HashIndex()

  /// Multiplied by the golden ratio, numbers that follow each other lie apart in the high bits.
  private static func hash(_ number: Int64) -> Int {
    Int(truncatingIfNeeded: (UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15) >> 32)
  }

  private func position(of number: Int64) -> Int? {
    index.find(Self.hash(number)) { rows[$0].number == number }
  }

  /// Setting nil leaves the value as it is.
  subscript(number: Int64) -> Value? {
    get { position(of: number).map { rows[$0].value } }
    set {
      guard let newValue else { return }
      if let position = position(of: number) {
        rows[position].value = newValue
      } else {
        index.insert(Self.hash(number), row: rows.count)
        rows.append((number, newValue))
      }
    }
  }

  /// Reads where the value lies, so that it is near when it is asked for.
  @inline(__always)
  func touch(_ number: Int64) -> Int64 { position(of: number).map { rows[$0].number } ?? 0 }

  subscript(account: AccountNumber) -> Value? {
    get { self[account.rawValue] }
    set { self[account.rawValue] = newValue }
  }

  func makeIterator() -> IndexingIterator<[(number: Int64, value: Value)]> { rows.makeIterator() }
}
