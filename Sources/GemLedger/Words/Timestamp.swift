#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An instant, in whole milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Milliseconds since 1970.
  public let milliseconds: Int64

  /// The instant that many milliseconds after 1970.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The millisecond that holds the date; a date out of reach becomes the nearest bound.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
    self.milliseconds = Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
  }

  /// Reads ISO 8601 with a time zone, such as `2026-11-21T09:30:00Z` or `2026-11-21T09:30:00.250+01:00`.
  public init?(_ text: String) {
    let whole = Date.ISO8601FormatStyle(timeZoneSeparator: .colon)
    let fractional = Date.ISO8601FormatStyle(timeZoneSeparator: .colon, includingFractionalSeconds: true)
    // The styles say no by throwing; which of them said no, and why, is of no use to anybody.
    guard let date = (try? fractional.parse(text)) ?? (try? whole.parse(text)) else { return nil }
    self.milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
  }

  /// The instant as a date.
  public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// ISO 8601 in UTC with milliseconds, such as `2026-11-21T09:30:00.250Z`.
  public var description: String {
    // The milliseconds apart: the style cuts off what a binary fraction falls short of, so that .004 would become .003.
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let fraction = rest < 0 ? rest + 1000 : rest
    let whole = Date(timeIntervalSince1970: Double(rest < 0 ? seconds - 1 : seconds))
    return whole.formatted(Date.ISO8601FormatStyle()).dropLast() + "." + "00\(fraction)".suffix(3) + "Z"
  }

  /// Earlier first.
  public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}

/// Where a ledger reads the time; tests give it their own.
public struct LedgerClock: Sendable {
  /// The instant now.
  public let now: @Sendable () -> Timestamp

  /// A clock that asks the closure.
  public init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

  /// The machine's clock.
  public static let system = LedgerClock { Timestamp(Date()) }
}
