/// A hold for an action elsewhere that no later step has ended.
package struct UnfinishedHold: Sendable {
  package let id: HoldID
  /// The original id of the customer.
  package let customer: CustomerID
  package let amounts: [CurrencyAmount]
  package let reference: Reference
  /// The cursor after which the feed returns it.
  package let cursor: FeedCursor?
  /// Its position among the found holds.
  private let position: Int

  /// The reference's document, if it is a JSON text.
  package var document: JSONValue? {
    do throws(JSONError) {
      return try JSONValue.parse(reference.text)
    } catch {
      return nil
    }
  }

  /// Reads the feed from the cursor to its end for holds with the saga's prefix in their reference.
  ///
  /// All steps of one saga have the same reference, so a later transaction with it is the end. A hold that ended by its
  /// deadline has no such transaction, and is found. A cancelled task stops after a page, and `end` is the cursor after
  /// it.
  ///
  /// - Complexity: O(transactions after the cursor); memory for the unfinished holds.
  package static func all(
    in ledger: Ledger, after cursor: FeedCursor?, mark: String
  ) throws(LedgerError) -> (holds: [Self], end: FeedCursor?) {
    var found: [Reference: Self] = [:]
    var (cursor, position) = (cursor, 0)
    while true {
      let page = try ledger.feed(after: cursor, limit: Limits.historyPage)
      for event in page.events {
        guard let reference = event.record.reference, reference.text.hasPrefix(mark) else { continue }
        let booking = event.record.booking
        if booking.kind == .hold, let hold = booking.hold, let id = hold.id {
          found[reference] = Self(
            id: id, customer: booking.customer, amounts: hold.amounts, reference: reference, cursor: cursor,
            position: position)
          position += 1
        } else {
          found[reference] = nil
        }
      }
      if !page.events.isEmpty { cursor = page.next }
      // In the feed's order, which is time order, so that the first hold has the earliest cursor.
      if !page.hasMore || Task.isCancelled { return (found.values.sorted { $0.position < $1.position }, cursor) }
    }
  }
}
