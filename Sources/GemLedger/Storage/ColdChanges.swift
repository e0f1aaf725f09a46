/// Changes to holds, items, identity rows and other rows that few groups touch.
///
/// They are separate, so that the other groups pay nothing for them.
package struct ColdChanges: Sendable {
  package var lotAttributes: [LotAttributesRow] = []
  /// Lots that moved to another account.
  package var movedLots: [LotRow] = []
  /// Customers with changed rows; they existed before, or this group made them.
  package var changedCustomers: [CustomerRow] = []
  package var addedIDs: [AddedIDRow] = []
  package var merges: [MergeRow] = []
  package var refunds: [RefundRow] = []
  package var refundParts: [RefundPartRow] = []
  /// They replace the stored evidence about the same refunds.
  package var evidence: [EvidenceRow] = []
  package var events: [JournalEventRow] = []
  /// Open holds that are new or changed.
  package var holds: [HoldRow] = []
  /// Holds that are no longer open; written after ``holds``.
  package var endedHolds: [HoldRow] = []
  /// They replace the stored counts of the same customer and key.
  package var counts: [CountRow] = []
  /// Counts of merged customers.
  package var endedCounts: [CountRow] = []
  package var erasures: [ErasureRow] = []
  package var idChanges = IDChanges()
  /// They replace the stored documents with the same names.
  package var documents: [DocumentRow] = []
  /// Removed documents, of which only the names are used; written after ``documents``.
  package var removedDocuments: [DocumentRow] = []

  package init() {}
}

/// A repair's changes to the ids of customers with inconsistent rows.
package struct IDChanges: Sendable {
  /// Ids that no longer name the customer; written before ``named``.
  package var removed: [AddedIDRow] = []
  /// Ids that name the customer from now on.
  package var named: [AddedIDRow] = []
  /// Customers with a new original id; ``named`` has the id too.
  package var renamed: [RenamedCustomer] = []

  package init() {}

  package var isEmpty: Bool { removed.isEmpty && named.isEmpty && renamed.isEmpty }
}

/// A customer with a new original id.
package struct RenamedCustomer: Sendable {
  /// The row before the change.
  package var row: CustomerRow
  package var id: CustomerID

  package init(row: CustomerRow, id: CustomerID) {
    self.row = row
    self.id = id
  }
}

extension ChangeSet {
  /// The rare changes; they are made at the first access.
  package var ownCold: ColdChanges {
    get { cold ?? ColdChanges() }
    // Modified in place: a getter and a setter would copy a list for each appended row.
    _modify {
      if cold == nil { cold = ColdChanges() }
      // The line above made it non-nil. Only the force unwrap modifies it in place.
      // swift-format-ignore: NeverForceUnwrap
      yield &cold!
    }
  }
}
