/// A customer's number inside the ledger.
package typealias CustomerNumber = Int64

/// An entry's number: its position in the journal.
package typealias EntryNumber = Int64

/// A lot's number; lots are numbered in the order of their creation.
package typealias LotNumber = Int64

/// An order's number: orders are numbered in the order in which they were announced.
package typealias OrderNumber = Int64

/// A transaction's number: its position in the journal.
package typealias TransactionNumber = Int64
