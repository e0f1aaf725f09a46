/// The result of a command: the transaction, its entries, and the lots that each entry took from or added to.
public struct Booking: Hashable, Sendable {
  /// Names the transaction; nil if the command booked none (a preview, or a customer made).
  public var transactionID: TransactionID?
  /// The customer with the changed balances.
  ///
  /// For a purchase credited before, this is its owner.
  public var customer: CustomerID
  /// The reason of the change.
  public var kind: EntryKind
  /// When it was booked.
  public var createdAt: Timestamp
  /// One entry a currency, in the order of their codes; two if a merge moves a balance and a debt.
  ///
  /// Currency that a reversal or a release returned and that was lost at once has its entries after the others: see
  /// ``expired`` and ``reclaimed``.
  public var entries: CompactList<PostedEntry>
  /// The items that came or went, in the order of their ids.
  public var items: [PostedItem] = []
  /// Whether this is the answer of an earlier call with the same key or store transaction.
  public var isReplayed = false
  /// Whether the credit passed a currency's maximum, as only a paid purchase or a merge may.
  public var isOverMaximum = false
  /// Whether this command itself found the order unpaid and completed it.
  package var completesOrder = false
  /// Whether this is a refund, or its reversal, that came before its purchase.
  ///
  /// It is kept, and booked with the purchase; ``customer`` names no customer yet.
  public var isAwaitingPurchase = false
  /// The extras of holds, reversals and baskets; nil for all others.
  public var extras: BookingExtras? {
    get { box?.extras }
    set { box = newValue.flatMap { $0.isEmpty ? nil : ExtrasBox($0) } }
  }
  var box: ExtrasBox?

  /// The balance of a currency after the transaction, if the transaction touched it.
  public func balance(_ currency: CurrencyCode) -> Int64? {
    entries.last { $0.currency == currency }?.balance
  }
}

/// Keeps extras apart from the booking.
final class ExtrasBox: Hashable, Sendable {
  let extras: BookingExtras

  init(_ extras: BookingExtras) { self.extras = extras }

  static func == (left: ExtrasBox, right: ExtrasBox) -> Bool { left.extras == right.extras }
  func hash(into hasher: inout Hasher) { hasher.combine(extras) }
}

/// A signed effect on one customer's one currency.
public struct PostedEntry: Hashable, Sendable {
  /// The currency.
  public let currency: CurrencyCode
  /// Why.
  public let kind: EntryKind
  /// By how much.
  public let amount: Int64
  /// The balance after it, held amounts included.
  public let balance: Int64
  /// The customer's debt after it.
  public let debt: Int64
  /// The account's version after it; each entry of an account counts one up.
  public let version: Int64
  /// The parts of the entry on each lot; they add up to the change of the balance.
  ///
  /// That is the entry's amount, unless a debt changed: the part that repays a debt comes and goes at once.
  public let allocations: CompactList<Allocation>
  /// What holds set aside after it, if the command was booked only just now.
  package var held = HeldAmount()
}

/// What holds set aside of an account; the journal does not keep it, so that it makes no two entries differ.
package struct HeldAmount: Hashable, Sendable {
  /// Nil in the answer of an earlier command.
  package var amount: Int64?

  package static func == (_: Self, _: Self) -> Bool { true }
  package func hash(into _: inout Hasher) {}
}

/// How much of an entry fell on one lot.
public struct Allocation: Hashable, Sendable {
  /// The lot's number.
  public let lot: Int64
  /// The origin of the lot.
  public let source: LotSource
  /// Negative when taken from the lot, positive when put into it.
  public let amount: Int64
}

/// Items that came (positive) or went (negative).
public struct PostedItem: Hashable, Sendable {
  /// Which item.
  public let item: ItemID
  /// How many.
  public let quantity: Int64
  /// How many the customer owns after it.
  public let owned: Int64
}
