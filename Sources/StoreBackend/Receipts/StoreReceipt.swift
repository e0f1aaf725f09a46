public import GemLedger

/// The signed evidence of a store transaction, unchanged from the store: a JWS in compact form.
public struct StoreReceipt: Hashable, Sendable {
  /// The text, unchanged.
  public let text: String

  /// Wraps a text; nothing is checked.
  public init(_ text: String) { self.text = text }
}

/// Reads a receipt and proves that the store made it.
public protocol ReceiptVerifier: Sendable {
  /// Proves that the store made the receipt, and returns the transaction that it states.
  ///
  /// - Throws: `LedgerError` with `receipt_malformed`, or with `receipt_unverified` and the detail `check`, which names
  ///   the failed check.
  func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction

  /// Verifies a store's notice, and separately the transaction in it.
  ///
  /// - Parameter text: The notice as it was signed, such as `signedPayload` of the App Store's request.
  /// - Returns: The notice's transaction; nil if it contains none.
  /// - Throws: As ``verify(_:)``; `receipt_malformed` if the store signs no notices, which is the default.
  func transaction(inNotice text: String) throws(LedgerError) -> StoreTransaction?

  /// Whether verified receipts are signed by a store, so that a stated price was paid; true by default.
  ///
  /// If so, a price that differs from the catalog is a warning; otherwise it is an `amount_mismatch`.
  var provesPrices: Bool { get }

  /// Returns the SHA-256 of a text, 32 bytes; nil without cryptography, which is the default.
  ///
  /// It names signed texts in the ledger, and customers by tokens that are digests of ids. Without it, such tokens
  /// match no customer.
  func digest(of text: String) -> [UInt8]?
}

extension ReceiptVerifier {
  /// True: receipts of stores are signed.
  public var provesPrices: Bool { true }
  /// Nil.
  public func digest(of text: String) -> [UInt8]? { nil }

  /// Refuses every notice, for stores that sign no notices.
  public func transaction(inNotice text: String) throws(LedgerError) -> StoreTransaction? {
    throw LedgerError(.receiptMalformed, "Notices of this store are not signed: look the transaction up at the store.")
  }
}
