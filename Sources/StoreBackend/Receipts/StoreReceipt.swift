public import GemLedger

/// The signed evidence of a store transaction, as the store gave it: a JWS in compact form.
public struct StoreReceipt: Hashable, Sendable {
  /// The text, unchanged.
  public let text: String

  /// Wraps a text; nothing is checked.
  public init(_ text: String) { self.text = text }
}

/// Reads a receipt and proves that the store made it.
public protocol ReceiptVerifier: Sendable {
  /// - Throws: `LedgerError` with `receipt_malformed`, or with `receipt_unverified` and the detail `check`, which names
  ///   the failed check.
  func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction
}
