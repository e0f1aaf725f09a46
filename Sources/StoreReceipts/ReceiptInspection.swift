#if Receipts
public import GemLedger
internal import StoreBackend

/// The contents of a receipt of any origin, and whether it verifies.
public struct ReceiptInspection: Sendable {
  /// The kinds of signed texts.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A purchase at the App Store.
    case transaction
    /// The renewal of a subscription.
    case renewalInfo = "renewal_info"
    /// The customer's download of the app.
    case appTransaction = "app_transaction"
    /// The App Store's notice to a backend.
    case notification
    /// A purchase at Google Play.
    case playPurchase = "play_purchase"
  }

  /// The kind, by its claims; nil if the text cannot be read.
  public let kind: Kind?
  /// The claims, proven or not; nil if the text cannot be read.
  public let claims: SignedClaims?
  /// The failure of the verification; nil on success.
  public let failure: LedgerError?

  /// Reads a receipt and verifies it.
  ///
  /// - Parameters:
  ///   - text: A signed text of the App Store, or a purchase of Google Play as ``PlayReceipt/text`` writes it.
  ///   - apple: Verifies signed texts of the App Store.
  ///   - play: Verifies purchases at Google Play; nil to trust none.
  public init(_ text: String, apple: AppleVerifier, play: PlayVerifier? = nil) {
    do throws(LedgerError) {
      let (kind, fields) = try Self.read(text)
      self.kind = kind
      claims = SignedClaims(fields)
      failure = Self.failure { () throws(LedgerError) in try Self.verify(text, kind, apple, play) }
    } catch {
      (kind, claims, failure) = (nil, nil, error)
    }
  }

  private static func failure(_ body: () throws(LedgerError) -> Void) -> LedgerError? {
    do throws(LedgerError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private static func read(_ text: String) throws(LedgerError) -> (Kind, ReceiptFields) {
    if text.utf8.first == UInt8(ascii: "{") {
      let receipt = try PlayReceipt(text, byteCountMax: PlayVerifier.byteCountMax)
      return (.playPurchase, try ReceiptFields(Array(receipt.data.utf8)))
    }
    let token = try SignedToken(text, byteCountMax: AppleVerifier.notificationByteCountMax)
    let fields = try ReceiptFields(token.payload)
    let kinds: [(String, Kind)] = [
      ("notificationType", .notification), ("receiptCreationDate", .appTransaction), ("autoRenewStatus", .renewalInfo),
    ]
    return (kinds.first { fields[$0.0].value != nil }?.1 ?? .transaction, fields)
  }

  private static func verify(
    _ text: String, _ kind: Kind, _ apple: AppleVerifier, _ play: PlayVerifier?
  ) throws(LedgerError) {
    switch kind {
    case .transaction: _ = try apple.transaction(text)
    case .renewalInfo: _ = try apple.renewalInfo(text)
    case .appTransaction: _ = try apple.appTransaction(text)
    case .notification: _ = try apple.notification(text)
    case .playPurchase:
      guard let play else { throw ReceiptCheck.signature.failure("no key of Google Play is trusted here") }
      _ = try play.verify(StoreReceipt(text))
    }
  }
}
#endif
