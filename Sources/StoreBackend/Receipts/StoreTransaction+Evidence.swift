internal import GemLedger

/// A genuine statement of a store about a store transaction.
struct Evidence: Sendable {
  let transaction: StoreTransaction
  /// The digest of the signed text, if there is one.
  var original: String?
  /// Whether the store sent it as a notification.
  var isNotice = false
  /// Whether it was verified earlier and is read from the storage.
  var isKept = false
  /// Whether the store stated on this date that nothing is refunded; false if only a refund is known.
  var statesPurchase = true
  /// Whether its token belongs to an erased customer, so that nothing is stored that names the buyer.
  var namesErased = false

  /// The whole statement, for the ledger.
  var statement: StoreStatement {
    var transaction = transaction
    if namesErased { transaction.accountToken = nil }
    return StoreStatement(content: transaction.content, original: original, isNotice: isNotice)
  }
}

// The ledger stores the payload of a receipt without the members that differ between two signatures of one state. The
// dates are columns, and the refund is a separate statement.

extension StoreTransaction {
  fileprivate var content: String {
    var state = self
    state.revocation = nil
    state.signedAt = Timestamp(milliseconds: 0)
    return String(decoding: ReceiptForm.payload(of: state), as: UTF8.self)
  }

  /// Reads the transaction of a stored statement, without a refund.
  ///
  /// - Throws: `LedgerError` with `receipt_malformed` if the content was partly erased, or never known.
  init(content: String, environment: StoreEnvironment, statedAt: Timestamp) throws(LedgerError) {
    self = try ReceiptForm.transaction(from: ReceiptFields(Array(content.utf8)), environment: environment)
    signedAt = statedAt
  }
}
