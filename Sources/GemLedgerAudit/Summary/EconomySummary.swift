package import GemLedger

/// The state of all customers' currency and its recent activity, from sums that a ``SummaryKeeper`` stores.
///
/// Expired amounts count until their expiry is booked, and ended holds until their end is booked.
package struct EconomySummary: Hashable, Sendable {
  /// The instant of the newest included transaction; the beginning of 1970 if there is none.
  package let asOf: Timestamp
  /// Whether the first build is over; until then ``currencies`` is empty and the activity lacks transactions.
  package let isComplete: Bool
  /// The completed part of the first build, from 0 to 1; it falls when bookings make the rest longer.
  package let progress: Double
  /// The currencies with an amount or a debt, in the order of codes.
  package let currencies: [Currency]
  /// The hours with transactions within the last 48 hours, oldest first.
  package let hours: [Activity]
  /// The UTC days with transactions within the last 31 days, oldest first.
  package let days: [Activity]

  /// The amounts of one currency.
  package struct Currency: Hashable, Sendable {
    package let currency: CurrencyCode
    /// The sum of customers' debts, which have no environment.
    package let debt: Int64
    /// Production first.
    package let environments: [Holdings]

    /// The sum of balances, held amounts included, debts not subtracted.
    package var outstanding: Int64 { environments.reduce(0) { $0 + $1.outstanding } }
    /// The held part of the balances.
    package var held: Int64 { environments.reduce(0) { $0 + $1.held } }
  }

  /// Amounts from one environment.
  package struct Holdings: Hashable, Sendable {
    /// The environment's name; all test sessions of one kind are added together.
    package let environment: String
    /// The unspent paid part, held amounts included.
    package let paid: Int64
    /// The unspent free part, held amounts included.
    package let free: Int64
    /// The held part of both.
    package let held: Int64
    /// The price of the paid part, by price currency; paid units without a known price are last.
    package let values: [Unspent.Value]

    package var outstanding: Int64 { paid + free }
  }

  /// The bookings of an hour or a day.
  package struct Activity: Hashable, Sendable {
    package let from: Timestamp
    /// Exclusive.
    package let until: Timestamp
    /// In the order of codes and kinds; movements between customers count only in their net amount.
    package let flows: [Flows.Flow]
    /// The number of transactions of each kind that occurs.
    package let transactions: [EntryKind: Int64]
    /// The credited purchases, by environment and price currency.
    package let purchases: [Purchases]

    /// The number of refund bookings; a purchase that is refunded in parts has several.
    package var refunds: Int64 { transactions[.refund] ?? 0 }
  }

  /// Credited purchases from one environment, with prices in one currency.
  package struct Purchases: Hashable, Sendable {
    /// The environment's name; all test sessions of one kind are added together.
    package let environment: String
    package let count: Int64
    /// The sum of the prices; nil for purchases without a known price.
    package let price: Money?
  }
}
