/// The kind of request in a fingerprint, and the layout of its 59 bits of digest.
///
/// Fingerprints are kept for ever: numbers and layouts never change, and a new layout gets a new number. The numbers 1,
/// 2, 6, 7, 12 to 15, 18 and 30 are free.
enum FingerprintKind: UInt64, CaseIterable {
  case item = 3
  case purchase = 4
  case create = 5
  case merge = 8
  case alias = 9
  case freeze = 10
  case unfreeze = 11
  case release = 16
  case basket = 17
  case adjust = 19
  case grant = 20
  case opening = 21
  case reverse = 22
  case hold = 23
  case capture = 24
  case extend = 25
  case exchange = 26
  case refund = 27
  case reversedRefund = 28
  case unmerge = 29
  case order = 31

  /// How many of the 59 bits are a digest over all that was asked, where the others name fields.
  static let wholeBits: UInt64 = 35

  /// The kind with that number; a number of a later version is none of the others.
  init(number: UInt64) { self = Self(rawValue: number) ?? .order }

  /// The fields that have bits of their own, from the highest on; 24 bits in all.
  var fields: [(name: String, bits: UInt64)] {
    switch self {
    case .adjust, .grant, .opening: [("source", 3), ("environment", 10), ("expires_at", 11)]
    case .refund: [("refund", 8), ("revoked_at", 8), ("extent", 8)]
    case .reversedRefund: [("refund", 12), ("revoked_at", 12)]
    case .reverse: [("transaction", 12), ("adjustments", 12)]
    case .hold: [("adjustments", 12), ("duration", 12)]
    case .capture: [("hold", 11), ("adjustments", 12), ("keep_open", 1)]
    case .extend: [("hold", 12), ("duration", 12)]
    case .exchange: [("from", 8), ("into", 8), ("rate", 8)]
    case .item, .purchase, .create, .merge, .alias, .freeze, .unfreeze, .release, .basket, .unmerge, .order: []
    }
  }

  /// The field that two digests of this kind differ in, by the bits that differ.
  func differingField(_ difference: UInt64) -> String {
    var position: UInt64 = 59
    for field in fields {
      position -= field.bits
      if difference >> position & (1 << field.bits - 1) != 0 { return field.name }
    }
    return switch self {
    case .item: difference >> 32 == 0 ? "quantity" : "item"
    case .purchase: "purchase"
    case .refund, .reversedRefund: "refund"
    case .merge, .unmerge: "from"
    case .alias: "alias"
    case .extend, .release: "hold"
    case .basket: "legs"
    case .exchange: "from"
    case .adjust, .grant, .opening, .reverse, .hold, .capture: "adjustments"
    case .create, .freeze, .unfreeze, .order: "kind"
    }
  }
}
