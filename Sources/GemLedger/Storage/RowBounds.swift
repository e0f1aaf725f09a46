/// The bounds of numbers in rows that a storage reads.
///
/// A file is outside input. A storage checks its rows if it reads them, and rules add numbers up without a check of
/// each sum: within these bounds no sum of a few columns passes 64 bits. A ledger writes nothing that is outside.
package enum RowBounds {
  /// Numbers of customers, lots, purchases, orders and versions; an account's number is its customer's, ten bits up.
  @inlinable package static var number: Int64 { 1 << 53 - 1 }
  /// A currency's number takes the ten bits beside its customer's.
  @inlinable package static var currency: Int64 { 1 << 10 - 1 }
  /// Numbers of transactions; if they are sparse an entry's number is its transaction's, ``Numbering/entryBits`` up.
  @inlinable package static var transaction: Int64 { 1 << 51 - 2 }
  @inlinable package static var entry: Int64 { (1 << 51 - 1) << Numbering.entryBits - 1 }
  /// Amounts, balances, quantities and counts, of either sign: far above the hard limit, and far below 64 bits.
  @inlinable package static var amount: Int64 { 1 << 56 }
  /// Milliseconds before and after 1970.
  @inlinable package static var instant: Int64 { 1 << 62 - 1 }

  /// Whether the number is between 0 and the bound; one comparison.
  @inlinable @inline(__always)
  package static func isNumber(_ value: Int64, upTo bound: Int64) -> Bool {
    UInt64(bitPattern: value) <= UInt64(bitPattern: bound)
  }

  /// Whether the number is between the bound below and above 0; one comparison.
  @inlinable @inline(__always)
  package static func isWithin(_ value: Int64, _ bound: Int64) -> Bool {
    UInt64(bitPattern: value &+ bound) <= UInt64(bitPattern: bound) << 1
  }
}

extension Int64 {
  /// Adds a number from one of many rows: each number is within its bounds, but their sum need not be.
  @inlinable
  package mutating func add(_ other: Int64) throws(LedgerError) {
    let (sum, overflow) = addingReportingOverflow(other)
    guard !overflow else {
      throw LedgerError(.storageDamaged, "The sum of amounts of the ledger exceeds 64 bits. Run verify.")
    }
    self = sum
  }
}
