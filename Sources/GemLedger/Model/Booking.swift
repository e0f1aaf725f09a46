/// The result of a command: the transaction and its entries, with the lots of each entry.
public struct Booking: Hashable, Sendable {
  /// The transaction's id; nil if the command booked none (a preview, or a customer created).
  public var transactionID: TransactionID?
  /// The customer with the changed balances.
  ///
  /// For a purchase credited earlier, this is its owner.
  public var customer: CustomerID
  /// The reason of the change.
  public var kind: EntryKind
  /// When it was booked.
  public var createdAt: Timestamp
  /// One entry for each currency, in the order of codes; two if a merge moves a balance and a debt.
  ///
  /// Currency that a reversal or a release returned and that was lost at once has entries after the others: see
  /// ``expired`` and ``reclaimed``.
  public var entries: CompactList<PostedEntry>
  /// The items gained or lost, in the order of their ids.
  public var items: [PostedItem] = []
  /// Whether this is the answer of an earlier call with the same key or store transaction.
  public var isReplayed = false
  /// Whether the credit exceeded a currency's maximum, as only a paid purchase or a merge may.
  public var isOverMaximum = false
  /// Whether this command itself found the order unpaid and completed it.
  package var completesOrder = false
  /// Whether this is a refund, or its reversal, that arrived before its purchase.
  ///
  /// It is stored, and booked with the purchase; ``customer`` names no customer yet.
  public var isAwaitingPurchase = false
  /// The extras of holds, reversals and baskets; nil for all others.
  public var extras: BookingExtras? {
    get { box?.extras }
    set { box = newValue.flatMap { $0.isEmpty ? nil : ExtrasBox($0) } }
  }
  var box: ExtrasBox?

  /// Returns the balance of a currency after the transaction; nil if the transaction did not change it.
  public func balance(_ currency: CurrencyCode) -> Int64? {
    entries.last { $0.currency == currency }?.balance
  }
}

/// Stores extras outside the booking.
final class ExtrasBox: Hashable, Sendable {
  let extras: BookingExtras

  init(_ extras: BookingExtras) { self.extras = extras }

  static func == (left: ExtrasBox, right: ExtrasBox) -> Bool { left.extras == right.extras }
  func hash(into hasher: inout Hasher) { hasher.combine(extras) }
}

/// A signed effect on one currency of one customer.
public struct PostedEntry: Hashable, Sendable {
  /// The currency.
  public let currency: CurrencyCode
  /// The reason of the change.
  public let kind: EntryKind
  /// The signed amount.
  public let amount: Int64
  /// The balance after it, held amounts included.
  public let balance: Int64
  /// The customer's debt after it.
  public let debt: Int64
  /// The account's version after it; each entry of an account increases it by one.
  public let version: Int64
  /// The parts of the entry on each lot; they add up to the change of the balance.
  ///
  /// That is the entry's amount, except if a debt changed: the part that repays a debt does not change the balance.
  public let allocations: CompactList<Allocation>
  /// The held amount after it, if this call booked the command.
  package var held = HeldAmount()
}

/// The held amount of an account; the journal does not store it, so it does not affect the equality of entries.
package struct HeldAmount: Hashable, Sendable {
  /// Nil in the answer of an earlier command.
  package var amount: Int64?

  package static func == (_: Self, _: Self) -> Bool { true }
  package func hash(into _: inout Hasher) {}
}

/// The part of an entry that fell on one lot.
public struct Allocation: Hashable, Sendable {
  /// The lot's number.
  public let lot: Int64
  /// The source of the lot.
  public let source: LotSource
  /// Negative when taken from the lot, positive when put into it.
  public let amount: Int64
}

/// A change of owned items: positive for a gain, negative for a loss.
public struct PostedItem: Hashable, Sendable {
  /// The item.
  public let item: ItemID
  /// The changed quantity.
  public let quantity: Int64
  /// The owned quantity after it.
  public let owned: Int64
}
