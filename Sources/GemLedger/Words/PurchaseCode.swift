/// Names an order before anybody pays; 1 to 64 bytes.
public typealias PurchaseCode = Identifier<PurchaseCodeKind>
/// The kind of ``PurchaseCode``.
public enum PurchaseCodeKind: IdentifierKind {
  /// What messages say.
  public static let word = "purchase code"
  /// 64.
  public static let byteCountMax = 64
}
