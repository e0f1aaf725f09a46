internal import GemLedger

/// A genuine statement of a store about a store transaction.
struct Evidence: Sendable {
  let transaction: StoreTransaction
  /// The digest of the signed text, where there is one.
  var original: String?
  /// Whether the store sent it by itself, as a notification.
  var isNotice = false
  /// Whether it was verified when it came, and is read from what is kept.
  var isKept = false
  /// Whether a statement of this date says that nothing is given back; false where only a refund is known.
  var statesPurchase = true
  /// Whether its token is of a customer who was erased, so that nothing is kept that names the buyer.
  var namesErased = false

  /// All that was stated, for the ledger.
  var statement: StoreStatement {
    var transaction = transaction
    if namesErased { transaction.accountToken = nil }
    return StoreStatement(content: transaction.content, original: original, isNotice: isNotice)
  }
}

// The ledger keeps the payload of a receipt without the members that differ between two signatures of one state. The
// dates are columns, and the refund is a separate statement.

extension StoreTransaction {
  fileprivate var content: String {
    var state = self
    state.revocation = nil
    state.signedAt = Timestamp(milliseconds: 0)
    return String(decoding: ReceiptForm.payload(of: state), as: UTF8.self)
  }

  /// The transaction that a kept statement states, without a refund.
  ///
  /// - Throws: `LedgerError` with `receipt_malformed` where the content was erased in part, or never known.
  init(content: String, environment: StoreEnvironment, statedAt: Timestamp) throws(LedgerError) {
    self = try ReceiptForm.transaction(from: ReceiptFields(Array(content.utf8)), environment: environment)
    signedAt = statedAt
  }
}
