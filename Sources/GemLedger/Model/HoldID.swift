/// A hold's id, which is the id of the transaction that began it.
public struct HoldID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The transaction that began the hold.
  public let transactionID: TransactionID

  /// The hold that the transaction began.
  public init(_ transactionID: TransactionID) { self.transactionID = transactionID }

  /// Reads the form that ``description`` writes.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier` when the text is not of that form.
  public init(_ text: String) throws(LedgerError) {
    do throws(LedgerError) {
      transactionID = try TransactionID(text)
    } catch {
      throw LedgerError(
        .invalidIdentifier,
        "\"\(text.prefix(60))\" is not a hold id; one looks like 019aa3f2-6c1e-7000-8000-00000a51c7e4.",
        details: [.text("field", "hold id")])
    }
  }

  /// The transaction's id as text.
  public var description: String { transactionID.description }

  /// Orders holds by their beginning.
  public static func < (left: Self, right: Self) -> Bool { left.transactionID < right.transactionID }
}
