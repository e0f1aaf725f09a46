/// The sizes of a storage's tables from which its rows are stored in another way.
package struct TableSizes: Sendable {
  /// The number of rows in a buffer's small table from which rows are moved to the large one.
  package var limit = 4096
  /// The number of rows moved by one statement; more if they have one key.
  ///
  /// SQLite keeps the earlier contents of the statement's pages, in memory only up to 64 KiB, then in a file.
  package var step = 15
  /// The number of customers from which accounts are buffered: fewer have few pages, which every group writes.
  package var customers: Int64 = 8192
  /// The number of transactions with as many entries before a run of plain transactions begins.
  package var runUp: Int64 = 16
  /// The number of ranges of neighbours that the writer reads before a transaction, which waits for them
  /// (``NeighbourRanges``).
  package var rangesPerTransaction = 64
  /// The number of ranges if their accounts are read too.
  package var rangesWithAccountsPerTransaction = 16

  package init() {}
}
