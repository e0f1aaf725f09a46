/// A change of a customer's balances or items as an event of the feed: one transaction of the journal.
public struct FeedEvent: Hashable, Sendable {
  /// The transaction's booking, with the resulting balances, reference, reason and actor.
  ///
  /// It names the customer by the original id, after later aliases and merges too: an event never changes.
  public let record: HistoryRecord
  /// For a merge, the transaction's entries of the merged customer; for an unmerge those of the survivor.
  ///
  /// Nil for other transactions.
  public let merged: Booking?
  /// The purchase that the transaction credited or that a refund changed; nil for all other transactions.
  public var purchase: FeedPurchase? { record.purchase }

  /// The cause of the balance change.
  public var source: FeedSource {
    if purchase != nil { return .inAppPurchase }
    switch record.booking.kind {
    case .expiry, .recharge: return .ledger
    default: return .api
    }
  }
}

/// A page of the feed, oldest first.
public struct FeedPage: Hashable, Sendable {
  /// The events; those of one customer in the order in which they were booked.
  public let events: [FeedEvent]
  /// The cursor after these events; the request's cursor if there are none.
  public let next: FeedCursor
  /// Whether there were more events when the page was read.
  public let hasMore: Bool
  let path: FeedPath
}

extension FeedPage {
  /// The cursor after each of the events, in their order.
  package var cursors: [FeedCursor] {
    var position = path.start
    return path.numbers.map { number in
      position.advance(past: CollectionOfOne(number), isOrdered: path.isOrdered)
      return FeedCursor(position, salt: path.salt)
    }
  }
}

/// The transactions of a page and the position before them, from which the cursors within the page are made.
struct FeedPath: Hashable, Sendable {
  let start: FeedPosition
  let numbers: [TransactionNumber]
  let isOrdered: Bool
  let salt: UInt64
}

/// The position of a reader in the feed; only the ledger makes them, and a forged one is refused.
///
/// The reader keeps it together with the results of the events: reading on from it gives every later event and none of
/// the earlier ones.
public struct FeedCursor: Hashable, Sendable, CustomStringConvertible {
  /// The cursor as text, to keep and to send back: letters, digits, `-` and `_`, at most 900 characters.
  public let description: String

  /// Makes a cursor from its text; the ledger checks it when it is used.
  public init(_ text: String) { description = text }

  init(_ position: FeedPosition, salt: UInt64) {
    let bytes = position.bytes
    description = Base64URL.text(Self.tag(bytes, salt: salt) + bytes)
  }

  /// Returns the position of a cursor that this project made.
  ///
  /// - Throws: `invalid_request`.
  func position(salt: UInt64) throws(LedgerError) -> FeedPosition {
    guard description.utf8.count <= Self.lengthMax, let bytes = Base64URL.decode(description),
      let position = FeedPosition(bytes: bytes.dropFirst(Self.tagLength)), Self(position, salt: salt) == self
    else {
      throw .invalid("\"\(description.prefix(60))\" is not a cursor of this feed; take one that a page of it gave.")
    }
    return position
  }

  private static let lengthMax = 900
  private static let tagLength = 5

  private static func tag(_ bytes: [UInt8], salt: UInt64) -> [UInt8] {
    // A different seed from that of other cursors and ids.
    var hash = StableHash(seed: salt ^ 0x6665_6564)
    for byte in bytes { hash.combine(UInt64(byte)) }
    return (0..<tagLength).map { UInt8(truncatingIfNeeded: hash.value >> (8 * UInt64($0))) }
  }
}
