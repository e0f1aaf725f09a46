extension IdempotencyKey {
  /// Makes a new key that sorts after all earlier keys, such as `019aa3f2-6c1e-7b41-9c35-6d4f1a0e27b8`.
  ///
  /// Make a key when the user taps, and send it with every retry of that tap. Keys in time order are added at the end
  /// of the index, which makes a commit more than twice as fast as with random keys. The form is a UUID of version 7:
  /// 48 bits of milliseconds and 74 random bits. Storages keep it in sixteen bytes.
  public static func timeOrdered(
    at instant: Timestamp = LedgerClock.system.now(), using generator: inout some RandomNumberGenerator
  ) -> Self {
    let milliseconds = UInt64(clamping: instant.milliseconds) & (1 << 48 - 1)
    let high = milliseconds << 16 | 7 << 12 | generator.next() & 0xFFF
    let low = 2 << 62 | generator.next() >> 2
    return Self(unchecked: HexForm.uuid(high: high, low: low))
  }

  /// Makes a new key that sorts after all earlier keys, with the system's random numbers.
  public static func timeOrdered(at instant: Timestamp = LedgerClock.system.now()) -> Self {
    var generator = SystemRandomNumberGenerator()
    return timeOrdered(at: instant, using: &generator)
  }
}
