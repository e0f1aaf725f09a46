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
  /// Proves that the store made the receipt, and returns the transaction that it states.
  ///
  /// - Throws: `LedgerError` with `receipt_malformed`, or with `receipt_unverified` and the detail `check`, which names
  ///   the failed check.
  func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction

  /// Verifies a store's own notice, and the transaction in it on its own.
  ///
  /// - Parameter text: The notice as it was signed, such as `signedPayload` of the App Store's request.
  /// - Returns: The transaction that it is about; nil where it is about none.
  /// - Throws: As ``verify(_:)``; `receipt_malformed` where the store signs no notices, as the default does.
  func transaction(inNotice text: String) throws(LedgerError) -> StoreTransaction?

  /// Whether a store signed the receipts that verify, so that a stated price was paid; true by default.
  ///
  /// A price that differs from the catalog is a warning then, and `amount_mismatch` otherwise.
  var provesPrices: Bool { get }

  /// The SHA-256 of a text, 32 bytes; nil without cryptography, as by default.
  ///
  /// It names signed texts in the ledger, and customers by tokens that are digests of ids. Without it such
  /// tokens match no customer.
  func digest(of text: String) -> [UInt8]?
}

extension ReceiptVerifier {
  /// True: receipts of stores are signed.
  public var provesPrices: Bool { true }
  /// Nil.
  public func digest(of text: String) -> [UInt8]? { nil }

  /// Refuses every notice, for stores that sign none.
  public func transaction(inNotice text: String) throws(LedgerError) -> StoreTransaction? {
    throw LedgerError(.receiptMalformed, "Notices of this store are not signed: look the transaction up at the store.")
  }
}
