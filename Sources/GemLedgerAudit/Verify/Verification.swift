public import GemLedger

/// The result of a proof of the books.
public struct Verification: Hashable, Sendable {
  /// One thing that does not add up.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// Which promise is broken, such as `lots_make_the_balance`; the page *Verification* of GemLedger lists them.
    public let equation: String
    /// The currency, where it is about one.
    public let currency: CurrencyCode?
    /// Where it is, with the expected and the found values.
    public let message: String

    /// Equation and message.
    public var description: String { "\(equation): \(message)" }
  }

  /// The sums of one currency.
  public struct Books: Hashable, Sendable {
    /// The currency.
    public let currency: CurrencyCode
    /// The sum of entries of each kind that occurs; expiries that are due count as booked.
    public let kinds: [EntryKind: Int64]
    /// The sum of balances, held included, debts apart.
    public let outstanding: Int64
    /// How much of it is on hold.
    public let held: Int64
    /// The sum of customers' debts.
    public let debt: Int64
  }

  /// The instant as of which the books were proved.
  public let asOf: Timestamp
  /// How many transactions the journal has.
  public let transactions: Int64
  /// How many customers there are.
  public let customers: Int64
  /// One for each currency, in the order of codes.
  public let currencies: [Books]
  /// The problems found: at most ``problemCountMax`` of them.
  public let problems: [Problem]
  /// How many problems there are, those left out included.
  public let problemCount: Int

  /// Whether all of it adds up.
  public var isOK: Bool { problemCount == 0 }

  /// How many problems are described; further ones are counted.
  public static let problemCountMax = 100
}
