/// A hold that was begun for something that happens elsewhere, and that no later step says the end of.
package struct UnfinishedHold: Sendable {
  package let id: HoldID
  /// By the id that the customer came with.
  package let customer: CustomerID
  package let amounts: [CurrencyAmount]
  package let reference: Reference
  /// From where the feed gives it.
  package let cursor: FeedCursor?
  /// Its place among those that were found.
  private let place: Int

  /// What the reference says, where it is a JSON text.
  package var document: JSONValue? {
    do throws(JSONError) {
      return try JSONValue.parse(reference.text)
    } catch {
      return nil
    }
  }

  /// Reads the feed from the cursor to its end for holds whose reference begins with the mark.
  ///
  /// All steps of one saga have the same reference, so a later transaction with it is the end. A hold that went by its
  /// deadline has none, and is found.
  ///
  /// - Complexity: O(transactions behind the cursor); memory for what is unfinished.
  package static func all(
    in ledger: Ledger, after cursor: FeedCursor?, mark: String
  ) throws(LedgerError) -> (holds: [Self], end: FeedCursor?) {
    var found: [Reference: Self] = [:]
    var (cursor, place) = (cursor, 0)
    while true {
      let page = try ledger.feed(after: cursor, limit: Limits.historyPage)
      for event in page.events {
        guard let reference = event.record.reference, reference.text.hasPrefix(mark) else { continue }
        let receipt = event.record.receipt
        if receipt.kind == .hold, let hold = receipt.hold, let id = hold.id {
          found[reference] = Self(
            id: id, customer: receipt.customer, amounts: hold.amounts, reference: reference, cursor: cursor,
            place: place)
          place += 1
        } else {
          found[reference] = nil
        }
      }
      if !page.events.isEmpty { cursor = page.next }
      // In the feed's order, so that the first of them has the earliest cursor: ids are in that of time.
      if !page.hasMore { return (found.values.sorted { $0.place < $1.place }, cursor) }
    }
  }
}
