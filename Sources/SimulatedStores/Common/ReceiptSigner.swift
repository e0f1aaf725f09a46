public import StoreBackend

/// Makes the signed evidence of transactions; the simulated store's half of `ReceiptVerifier`.
public protocol ReceiptSigner: Sendable {
  /// The receipt of a transaction as it is now.
  func receipt(for transaction: StoreTransaction) -> StoreReceipt
}

extension UnsignedReceipts: ReceiptSigner {}
