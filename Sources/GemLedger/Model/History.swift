/// A transaction in a customer's history.
public struct HistoryRecord: Hashable, Sendable {
  /// The booking.
  ///
  /// Currency that was returned and lost at once has separate transactions, and no entries here: the entries of a list
  /// add up to the balance.
  public let booking: Booking
  /// The caller's name for the subject of the transaction.
  public let reference: Reference?
  /// The reason that a person gave.
  public let reason: Reason?
  /// The person, service or key that sent the command.
  public let actor: ActorName?
  /// The purchase that the transaction credited or that a refund changed, with the share refunded after it; nil for all
  /// other transactions.
  public let purchase: FeedPurchase?
}

/// A page of a customer's history, newest first.
public struct HistoryPage: Hashable, Sendable {
  /// The transactions.
  public let transactions: [HistoryRecord]
  /// The cursor of the next page; nil on the last page.
  public let next: PageCursor?
}

/// A customer and the customer's balances.
public struct CustomerSummary: Hashable, Sendable {
  /// The requested id; in a list of customers the original id.
  public let id: CustomerID
  /// The original id, with which the customer was created.
  public let originalID: CustomerID
  /// All ids that name the customer, the original one first.
  public let ids: [CustomerID]
  /// When the customer was created.
  public let createdAt: Timestamp
  /// Whether the customer may not spend.
  public let isFrozen: Bool
  /// The reason of the freeze, if there is one.
  public let frozenReason: Reason?
  /// The balances in every currency that the customer ever had.
  public let balances: [Balance]
}

/// A page of customers, oldest first.
public struct CustomersPage: Hashable, Sendable {
  /// The customers.
  public let customers: [CustomerSummary]
  /// The cursor of the next page; nil on the last page.
  public let next: PageCursor?
}

/// The position of the next page of a list; only the ledger makes cursors, and it rejects forged ones.
public struct PageCursor: Hashable, Sendable, CustomStringConvertible {
  /// The cursor as text, to send back.
  public let description: String

  /// Makes a cursor from its text; the ledger checks it when it is used.
  public init(_ text: String) { description = text }

  package init(position: Int64, list: Int64, salt: UInt64) {
    description =
      HexForm.hex(UInt64(bitPattern: position), digits: 14)
      + HexForm.hex(Self.tag(position: position, list: list, salt: salt), digits: 10)
  }

  /// Returns the position, if this project made the cursor for that list.
  ///
  /// - Throws: `invalid_request`.
  package func position(list: Int64, salt: UInt64) throws(LedgerError) -> Int64 {
    let bytes = description.utf8
    guard bytes.count == 24, let position = Int64(description.prefix(14), radix: 16), position >= 0,
      Self(position: position, list: list, salt: salt) == self
    else {
      throw .invalid("\"\(description.prefix(60))\" is not a cursor of this list; take one that a page of it gave.")
    }
    return position
  }

  private static func tag(position: Int64, list: Int64, salt: UInt64) -> UInt64 {
    var hash = StableHash(seed: salt)
    hash.combine(UInt64(bitPattern: list))
    hash.combine(UInt64(bitPattern: position))
    return hash.value >> 24
  }
}
