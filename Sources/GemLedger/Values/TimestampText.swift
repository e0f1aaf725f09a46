/// Reads and writes instants as ISO 8601, in a few fixed forms.
///
/// Foundation's styles accept 25 o'clock as one o'clock of the next day, and 30 February as 2 March.
package enum TimestampText {
  /// Reads `2026-11-21T09:30:00Z`, with or without a fraction of the second, and with `Z` or another zone.
  ///
  /// A year beyond four digits has a sign and more digits, as in expanded ISO 8601.
  package static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    var reader = Reader(bytes: bytes)
    guard let day = reader.day(), reader.take(UInt8(ascii: "T")), let time = reader.timeOfDay(),
      let zone = reader.zone(), reader.isAtEnd
    else { return nil }
    // The first instant's day began before the first instant, so the sum needs more than 64 bits.
    let milliseconds = Int128(day) * Int128(CivilDate.dayMilliseconds) + Int128(time - zone)
    return Int64(exactly: milliseconds).map(Timestamp.init(milliseconds:))
  }

  /// Writes UTC with milliseconds, such as `2026-11-21T09:30:00.250Z`.
  static func write(_ instant: Timestamp) -> String {
    let (day, time) = instant.milliseconds.floorDivided(by: CivilDate.dayMilliseconds)
    let date = CivilDate(day: day)
    // The longest year has nine digits and a sign.
    return String(unsafeUninitializedCapacity: 32) { bytes in
      var writer = Writer(bytes: bytes)
      if (0...9999).contains(date.year) {
        writer.number(date.year, digits: 4)
      } else {
        writer.mark(date.year < 0 ? "-" : "+")
        writer.number(abs(date.year), digits: max(6, String(abs(date.year)).utf8.count))
      }
      writer.mark("-")
      writer.number(date.month, digits: 2)
      writer.mark("-")
      writer.number(date.dayOfMonth, digits: 2)
      writer.mark("T")
      writer.number(time / 3_600_000, digits: 2)
      writer.mark(":")
      writer.number(time / 60_000 % 60, digits: 2)
      writer.mark(":")
      writer.number(time / 1000 % 60, digits: 2)
      writer.mark(".")
      writer.number(time % 1000, digits: 3)
      writer.mark("Z")
      return writer.count
    }
  }

  private struct Writer {
    let bytes: UnsafeMutableBufferPointer<UInt8>
    var count = 0

    mutating func mark(_ mark: Unicode.Scalar) {
      bytes[count] = UInt8(ascii: mark)
      count += 1
    }

    mutating func number(_ number: Int64, digits: Int) {
      var rest = number
      for place in stride(from: count + digits - 1, through: count, by: -1) {
        bytes[place] = ASCII.zero + UInt8(rest % 10)
        rest /= 10
      }
      count += digits
    }
  }
}

extension TimestampText {
  private struct Reader {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ byte: UInt8) -> Bool {
      guard position < bytes.count, bytes[position] == byte else { return false }
      position += 1
      return true
    }

    mutating func number(digits: Int) -> Int64? {
      guard bytes.count - position >= digits else { return nil }
      var number: Int64 = 0
      for byte in bytes[position..<position + digits] {
        guard ASCII.isDigit(byte) else { return nil }
        number = number * 10 + Int64(byte - ASCII.zero)
      }
      position += digits
      return number
    }

    mutating func number(digits: Int, in range: ClosedRange<Int64>) -> Int64? {
      guard let number = number(digits: digits), range.contains(number) else { return nil }
      return number
    }

    private func digitCount() -> Int { bytes[position...].prefix(while: ASCII.isDigit).count }

    /// The day's number from 1970-01-01.
    mutating func day() -> Int64? {
      guard let year = year(), take(ASCII.minus), let month = number(digits: 2, in: 1...12), take(ASCII.minus),
        let day = number(digits: 2, in: 1...CivilDate.length(of: month, in: year))
      else { return nil }
      return CivilDate(year: year, month: month, dayOfMonth: day).day
    }

    private mutating func year() -> Int64? {
      let isNegative = take(ASCII.minus)
      guard isNegative || take(UInt8(ascii: "+")) else { return number(digits: 4) }
      // 64 bits of milliseconds cover less than 300 million years.
      let count = digitCount()
      guard (5...9).contains(count), let year = number(digits: count) else { return nil }
      return isNegative ? -year : year
    }

    /// Milliseconds since midnight.
    mutating func timeOfDay() -> Int64? {
      guard let hour = number(digits: 2, in: 0...23), take(ASCII.colon), let minute = number(digits: 2, in: 0...59),
        take(ASCII.colon), let second = number(digits: 2, in: 0...59), let fraction = fraction()
      else { return nil }
      return ((hour * 60 + minute) * 60 + second) * 1000 + fraction
    }

    /// The milliseconds after the decimal point; finer digits are cut off.
    private mutating func fraction() -> Int64? {
      guard take(ASCII.dot) else { return 0 }
      let count = digitCount()
      guard (1...9).contains(count), var fraction = number(digits: count) else { return nil }
      for _ in count..<max(3, count) { fraction *= 10 }
      for _ in 3..<max(3, count) { fraction /= 10 }
      return fraction
    }

    /// How many milliseconds the zone's clocks are ahead of UTC.
    mutating func zone() -> Int64? {
      if take(UInt8(ascii: "Z")) { return 0 }
      let isBehind = take(ASCII.minus)
      guard isBehind || take(UInt8(ascii: "+")), let hours = number(digits: 2, in: 0...23) else { return nil }
      _ = take(ASCII.colon)
      guard let minutes = number(digits: 2, in: 0...59) else { return nil }
      return (hours * 60 + minutes) * (isBehind ? -60_000 : 60_000)
    }
  }
}
