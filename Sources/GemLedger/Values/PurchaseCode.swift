/// The name of an order before its payment; 1 to 64 bytes.
public typealias PurchaseCode = Identifier<PurchaseCodeKind>
/// The kind of ``PurchaseCode``.
public enum PurchaseCodeKind: IdentifierKind {
  /// The name in messages.
  public static let word = "purchase code"
  /// 64.
  public static let byteCountMax = 64
}
