public import GemLedger

/// The result of a proof of the books.
public struct Verification: Hashable, Sendable {
  /// One difference in the books.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The broken promise, such as `lots_make_the_balance`; the page *Verification* of GemLedger lists them.
    public let equation: String
    /// The currency of the problem, if there is one.
    public let currency: CurrencyCode?
    /// The place of the problem, with the expected and the found values.
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
    /// The sum of balances, held amounts included, debts not subtracted.
    public let outstanding: Int64
    /// The held part of the balances.
    public let held: Int64
    /// The sum of customers' debts.
    public let debt: Int64
  }

  /// The instant as of which the books were proved.
  public let asOf: Timestamp
  /// The number of transactions in the journal.
  public let transactions: Int64
  /// The number of customers.
  public let customers: Int64
  /// The books of each currency, in the order of codes.
  public let currencies: [Books]
  /// The problems found: at most ``problemCountMax`` of them.
  public let problems: [Problem]
  /// The total number of problems, including omitted ones.
  public let problemCount: Int

  /// Whether there is no problem.
  public var isOK: Bool { problemCount == 0 }

  /// The maximum number of described problems; further problems are only counted.
  public static let problemCountMax = 100
}
