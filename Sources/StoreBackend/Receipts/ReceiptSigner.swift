public import GemLedger

/// Makes the evidence of transactions, as a store does: the other half of ``ReceiptVerifier``.
public protocol ReceiptSigner: Sendable {
  /// The receipt of a transaction as it is now.
  func receipt(for transaction: StoreTransaction) -> StoreReceipt

  /// The store's own notice about a transaction, with the signed transaction in it.
  ///
  /// - Parameters:
  ///   - type: The App Store's name of it, such as `REFUND`.
  ///   - id: Its identity, the same for every delivery.
  ///   - transaction: The transaction as it is now.
  ///   - instant: When it is signed.
  /// - Returns: Nil where the store signs no notices, as the default does.
  func signedNotice(_ type: String, id: String, about transaction: StoreTransaction, at instant: Timestamp) -> String?
}

extension ReceiptSigner {
  /// Nothing, for stores that sign no notices.
  public func signedNotice(
    _ type: String, id: String, about transaction: StoreTransaction, at instant: Timestamp
  ) -> String? { nil }
}

/// Makes receipts and reads its own again: all that a simulated store and its backend need.
public typealias SimulatedReceipts = ReceiptSigner & ReceiptVerifier

extension UnsignedReceipts: ReceiptSigner {}
