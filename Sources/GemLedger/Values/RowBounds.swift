/// The bounds of numbers in rows that a storage reads.
///
/// A file is untrusted input. A storage checks its rows when it reads them, so that rules can add numbers without
/// checking each sum: within these bounds no sum of a few columns exceeds 64 bits. A ledger writes no number outside
/// the bounds.
package enum RowBounds {
  /// Numbers of customers, lots, purchases, orders and versions; an account number is its customer's, shifted by ten
  /// bits.
  @inlinable package static var number: Int64 { 1 << 53 - 1 }
  /// A currency's number takes the ten bits after its customer's number in an account number.
  @inlinable package static var currency: Int64 { 1 << 10 - 1 }
  /// Transaction numbers; a sparse entry number is its transaction number, shifted by ``Numbering/entryBits``.
  @inlinable package static var transaction: Int64 { 1 << 51 - 2 }
  @inlinable package static var entry: Int64 { (1 << 51 - 1) << Numbering.entryBits - 1 }
  /// Amounts, balances, quantities and counts, of either sign: far above the hard limit, and far below 64 bits.
  @inlinable package static var amount: Int64 { 1 << 56 }
  /// Milliseconds before or after 1970.
  @inlinable package static var instant: Int64 { 1 << 62 - 1 }

  /// Whether the number is between 0 and the bound, by one comparison.
  @inlinable @inline(__always)
  package static func isNumber(_ value: Int64, upTo bound: Int64) -> Bool {
    UInt64(bitPattern: value) <= UInt64(bitPattern: bound)
  }

  /// Whether the number is between the negative and the positive bound, by one comparison.
  @inlinable @inline(__always)
  package static func isWithin(_ value: Int64, _ bound: Int64) -> Bool {
    UInt64(bitPattern: value &+ bound) <= UInt64(bitPattern: bound) << 1
  }
}

extension Int64 {
  /// Adds a number from one of many rows: each number is within its bounds, but their sum may not be.
  @inlinable
  package mutating func add(_ other: Int64) throws(LedgerError) {
    let (sum, overflow) = addingReportingOverflow(other)
    guard !overflow else {
      throw LedgerError(.storageDamaged, "A sum of the ledger's amounts exceeds 64 bits; run verify.")
    }
    self = sum
  }
}
