/// Makes the evidence of transactions, as a store does: the other half of ``ReceiptVerifier``.
public protocol ReceiptSigner: Sendable {
  /// The receipt of a transaction as it is now.
  func receipt(for transaction: StoreTransaction) -> StoreReceipt
}

/// Makes receipts and reads its own again: all that a simulated store and its backend need.
public typealias SimulatedReceipts = ReceiptSigner & ReceiptVerifier

extension UnsignedReceipts: ReceiptSigner {}
