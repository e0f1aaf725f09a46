/// What the ledger must know of a storage; the values suit one on the same machine with one writer at a time.
package struct StorageTraits: Sendable {
  /// Whether rows are stored with their customers.
  ///
  /// Entries are then numbered by their transactions, and a lot's attributes are stored with each past and present
  /// owner.
  package var isKeyedByCustomer = false
  /// How many lanes gather groups of commands of their own.
  package var laneCount = 1
  /// Whether a group that locks all lanes costs little more than a group of one lane.
  ///
  /// If callers are few, they then gather in such groups: one group in the place of one a lane.
  package var locksLanesTogether = false
  /// Whether a commit waits for another machine, so that no task's thread should be held up by it.
  package var isRemote = false
  /// Whether a reader may see one half of a commit that touched several customers before the other.
  package var showsHalves = false

  package init() {}
}
