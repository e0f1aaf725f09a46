/// A change of somebody's balances or items, as the feed tells it: one transaction of the journal.
public struct FeedEvent: Hashable, Sendable {
  /// What was booked, with the resulting balances, and what was said about it.
  ///
  /// Its customer goes by the id that the customer came with, whatever ids were added and whoever they became part of
  /// since: an event never changes.
  public let record: HistoryRecord
  /// For a merge, what the same transaction did to the customer who became part of this one; nil for all others.
  public let merged: Receipt?
}

/// A page of the feed, oldest first.
public struct FeedPage: Hashable, Sendable {
  /// The events; those of one customer in the order in which they were booked.
  public let events: [FeedEvent]
  /// Behind these events; where there are none, the cursor that was asked with.
  public let next: FeedCursor
  /// Whether there were more events when the page was read.
  public let hasMore: Bool
}

/// How far a reader of the feed has come; only the ledger makes them, and a forged one is refused.
///
/// It is to be kept by who reads, together with what the events led to: reading on from it gives every later event and
/// none of the earlier ones.
public struct FeedCursor: Hashable, Sendable, CustomStringConvertible {
  /// The cursor as text, to keep and to send back: letters, digits, `-` and `_`, at most 900 characters.
  public let description: String

  /// Takes the text back; the ledger checks it when it is used.
  public init(_ text: String) { description = text }

  init(_ position: FeedPosition, salt: UInt64) {
    let bytes = position.bytes
    description = Base64URL.text(Self.tag(bytes, salt: salt) + bytes)
  }

  /// Where the cursor stands, where this project made it.
  ///
  /// - Throws: `invalid_request`.
  func position(salt: UInt64) throws(LedgerError) -> FeedPosition {
    guard description.utf8.count <= Self.lengthMax, let bytes = Base64URL.bytes(description),
      let position = FeedPosition(bytes: bytes.dropFirst(Self.tagLength)), Self(position, salt: salt) == self
    else {
      throw .invalid("\"\(description.prefix(60))\" is not a cursor of this feed; take one that a page of it gave.")
    }
    return position
  }

  private static let lengthMax = 900
  private static let tagLength = 5

  private static func tag(_ bytes: [UInt8], salt: UInt64) -> [UInt8] {
    // Another seed than that of other cursors and ids.
    var hash = StableHash(seed: salt ^ 0x6665_6564)
    for byte in bytes { hash.combine(UInt64(byte)) }
    return (0..<tagLength).map { UInt8(truncatingIfNeeded: hash.value >> (8 * UInt64($0))) }
  }
}
