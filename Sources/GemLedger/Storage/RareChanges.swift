/// What few groups change; it lies apart, so that the many that change none of it pay nothing for it.
package struct RareChanges: Sendable {
  package var lotTerms: [LotTermsRow] = []
  /// Lots whose account changed.
  package var movedLots: [LotRow] = []
  /// Customers who were there before, or were made by this group, and are now otherwise.
  package var changedCustomers: [CustomerRow] = []
  package var addedIDs: [AddedIDRow] = []
  package var merges: [MergeRow] = []
  package var refunds: [RefundRow] = []
  package var refundParts: [RefundPartRow] = []
  /// To be written over what is known about the same.
  package var refundEvidence: [RefundEvidenceRow] = []
  package var effects: [EffectRow] = []
  /// Open holds that are new, or of which something is other than before.
  package var holds: [HoldRow] = []
  /// Holds that are open no more; written after ``holds``.
  package var endedHolds: [HoldRow] = []
  /// To be written over what is known of the same customer and key.
  package var counts: [CountRow] = []
  /// Counts of customers who became part of another.
  package var endedCounts: [CountRow] = []
  package var erasures: [ErasureRow] = []
  package var idChanges = IDChanges()

  package init() {}
}

/// What a repair changes of customers' ids, where rows do not go together.
package struct IDChanges: Sendable {
  /// Ids that no longer name the customer; written before ``named``.
  package var removed: [AddedIDRow] = []
  /// Ids that name the customer from now on.
  package var named: [AddedIDRow] = []
  /// Customers whose own id becomes another, which is in ``named`` too.
  package var renamed: [RenamedCustomer] = []

  package init() {}

  package var isEmpty: Bool { removed.isEmpty && named.isEmpty && renamed.isEmpty }
}

/// A customer whose own id becomes another.
package struct RenamedCustomer: Sendable {
  /// As it was.
  package var row: CustomerRow
  package var id: CustomerID

  package init(row: CustomerRow, id: CustomerID) {
    self.row = row
    self.id = id
  }
}

extension ChangeSet {
  /// The rare changes, made where there are none yet.
  package var ownRare: RareChanges {
    get { rare ?? RareChanges() }
    // In place: a getter and a setter would copy a list for each row that is appended.
    _modify {
      if rare == nil { rare = RareChanges() }
      // It is there by the line above, and only so is it changed where it lies.
      // swift-format-ignore: NeverForceUnwrap
      yield &rare!
    }
  }
}
