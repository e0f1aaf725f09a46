public import GemLedger

/// Creates the evidence of transactions as a store does: the counterpart of ``ReceiptVerifier``.
public protocol ReceiptSigner: Sendable {
  /// Returns the receipt of a transaction in its present state.
  func receipt(for transaction: StoreTransaction) -> StoreReceipt

  /// Returns the store's notice about a transaction, with the signed transaction in it.
  ///
  /// - Parameters:
  ///   - type: The App Store's name of the notice, such as `REFUND`.
  ///   - id: Its identity, equal for every delivery.
  ///   - transaction: The transaction in its present state.
  ///   - instant: When it is signed.
  /// - Returns: The notice; nil if the store signs no notices, which is the default.
  func signedNotice(_ type: String, id: String, about transaction: StoreTransaction, at instant: Timestamp) -> String?
}

extension ReceiptSigner {
  /// Returns nil, for stores that sign no notices.
  public func signedNotice(
    _ type: String, id: String, about transaction: StoreTransaction, at instant: Timestamp
  ) -> String? { nil }
}

/// Creates receipts and reads them: the needs of a simulated store and its backend.
public typealias SimulatedReceipts = ReceiptSigner & ReceiptVerifier

extension UnsignedReceipts: ReceiptSigner {}
