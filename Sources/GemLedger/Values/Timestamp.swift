#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An instant, in whole milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Milliseconds since 1970.
  public let milliseconds: Int64

  /// Makes the instant at this number of milliseconds since 1970.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Makes the millisecond that contains the date; a date out of range becomes the nearest bound.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
    self.milliseconds = Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
  }

  /// Reads ISO 8601 with a time zone, such as `2026-11-21T09:30:00Z` or `2026-11-21T09:30:00.250+01:00`.
  ///
  /// The year has four digits. The seconds may have a fraction of 1 to 9 digits, of which 3 count. The zone is `Z`,
  /// `+01:00` or `+0100`.
  ///
  /// - Returns: Nil if the text has another form, or a day or time that does not exist.
  public init?(_ text: String) {
    var text = text
    guard let read = text.withUTF8({ TimestampText.read($0) }) else { return nil }
    self = read
  }

  /// The instant as a date.
  public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// ISO 8601 in UTC with milliseconds, such as `2026-11-21T09:30:00.250Z`.
  public var description: String { TimestampText.write(self) }

  /// Orders instants by time.
  public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}

// Dates are untrusted input, and may be at the bounds of 64 bits: all arithmetic with them is in this extension.
extension Timestamp {
  /// Returns the instant that many milliseconds later; at most the last instant, and at least the first instant.
  package func advanced(milliseconds step: Int64) -> Timestamp {
    let (sum, overflow) = milliseconds.addingReportingOverflow(step)
    return Timestamp(milliseconds: overflow ? (step < 0 ? .min : .max) : sum)
  }

  /// Returns the instant that much later; at most the last instant, and at least the first instant.
  package func advanced(by duration: Duration) -> Timestamp { advanced(milliseconds: duration.wholeMilliseconds) }

  /// Returns the milliseconds from another instant to this instant; the nearest bound if they exceed 64 bits.
  package func milliseconds(since other: Timestamp) -> Int64 {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(other.milliseconds)
    return overflow ? (milliseconds < 0 ? .min : .max) : difference
  }

  /// The last instant before this one.
  package var before: Timestamp { advanced(milliseconds: -1) }

  /// The first instant after this one.
  package var after: Timestamp { advanced(milliseconds: 1) }
}

extension Duration {
  /// The whole milliseconds; the nearest bound if they exceed 64 bits.
  package var wholeMilliseconds: Int64 {
    // A duration can exceed 64 bits of seconds, and its components then trap.
    if self >= .seconds(Int64.max / 1000) { return .max }
    if self <= .seconds(Int64.min / 1000) { return .min }
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
