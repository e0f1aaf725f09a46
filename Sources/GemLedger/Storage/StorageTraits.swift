/// A storage's properties that the ledger must know; the defaults suit a local storage with one writer at a time.
package struct StorageTraits: Sendable {
  /// Whether rows are stored with their customers.
  ///
  /// Entries are then numbered by their transactions, and a lot's attributes are stored with each past and present
  /// owner.
  package var isKeyedByCustomer = false
  /// The number of lanes that gather separate groups of commands.
  package var laneCount = 1
  /// Whether a group that locks all lanes costs little more than a group of one lane.
  ///
  /// If callers are few, one such group then replaces a group for each lane. Otherwise callers of one lane share its
  /// groups.
  package var locksLanesTogether = false
  /// Whether a commit waits for another machine, so that it must not block a task's thread.
  package var isRemote = false
  /// Whether a reader may see one half of a commit for several customers before the other half.
  package var showsHalves = false
  /// Whether the storage's integrity check compares the indexes with their tables.
  package var checksIndexes = false
  /// Whether a further reader takes no connection of a server, and waits for no other reader.
  package var hasFreeReaders = false

  package init() {}
}
