/// A family of identifiers, with its name and maximum length.
public protocol IdentifierKind: Sendable {
  /// The identifier's name in messages.
  static var word: String { get }
  /// The maximum length, in bytes of UTF-8.
  static var byteCountMax: Int { get }
}

/// A text that names something: at least one byte, no NUL or other control characters, compared byte by byte.
///
/// It is stored as given and never normalised: two encodings of `café` are two identifiers, but two equal `String`s.
public struct Identifier<Kind: IdentifierKind>: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The identifier as it was given.
  public let text: String

  /// Checks the text.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier` if it is empty, too long, or has a control character.
  public init(_ text: String) throws(LedgerError) {
    try Self.check(text)
    self.text = text
  }

  /// Makes an identifier from text that was checked when it was stored.
  package init(unchecked text: String) { self.text = text }

  /// The text itself.
  public var description: String { text }

  /// Byte by byte, unlike `String`.
  public static func == (left: Self, right: Self) -> Bool {
    left.text.hasBytes(of: right.text)
  }

  /// Orders identifiers by their bytes.
  public static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }

  /// Over the bytes.
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  private static func check(_ text: String) throws(LedgerError) {
    let count = text.utf8.count
    guard count > 0 else { throw refused("is empty") }
    guard count <= Kind.byteCountMax else {
      throw refused("has \(count) bytes; the most is \(Kind.byteCountMax)")
    }
    guard !ControlCharacters.occur(in: text) else { throw refused("holds a control character") }
  }

  private static func refused(_ what: String) -> LedgerError {
    LedgerError(.invalidIdentifier, "The \(Kind.word) \(what).", details: [.text("field", Kind.word)])
  }
}

extension String {
  /// Whether both have equal bytes; unlike `==`, which treats two encodings of `café` as equal.
  package func hasBytes(of other: String) -> Bool {
    if Bytes.areIdentical(self, other) { return true }
    // The counts are stored, and usually differ.
    guard utf8.count == other.utf8.count else { return false }
    let answer = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in Bytes.areEqual(left, right) }
    }
    // An Objective-C string may not be contiguous.
    return (answer ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}

/// Comparison of bytes, eight at a time.
package enum Bytes {
  /// Whether two strings share memory, or are equal and so short that they need no separate memory.
  ///
  /// This compares two words instead of two texts. Nearly every id that is found is such a pair.
  @inline(__always)
  static func areIdentical(_ left: String, _ right: String) -> Bool {
    guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return false }
    let (left, right) = (
      unsafeBitCast(left, to: (UInt64, UInt64).self), unsafeBitCast(right, to: (UInt64, UInt64).self)
    )
    return left == right
  }

  /// Whether the bytes are equal.
  @inline(__always)
  package static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count, let first = UnsafeRawPointer(left.baseAddress),
      let second = UnsafeRawPointer(right.baseAddress)
    else { return left.count == right.count }
    var offset = 0
    while offset + 8 <= left.count {
      let one = first.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if one != second.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
      offset += 8
    }
    while offset < left.count {
      if left[offset] != right[offset] { return false }
      offset += 1
    }
    return true
  }
}

/// The characters that no identifier may contain: U+0000 to U+001F, U+007F, and U+0080 to U+009F.
package enum ControlCharacters {
  package static func occur(in text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      for (index, byte) in bytes.enumerated() {
        if byte < 0x20 || byte == 0x7F { return true }
        // U+0080 to U+009F are C2 80 to C2 9F in UTF-8.
        if byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] < 0xA0 { return true }
      }
      return false
    }
  }
}

/// The id of a customer: an app user id, 1 to 1,500 bytes.
public typealias CustomerID = Identifier<CustomerIDKind>
/// The kind of ``CustomerID``.
public enum CustomerIDKind: IdentifierKind {
  /// The name in messages.
  public static let word = "customer id"
  /// 1,500.
  public static let byteCountMax = Limits.customerIDBytes
}

/// A caller's idempotency key, 1 to 255 bytes.
public typealias IdempotencyKey = Identifier<IdempotencyKeyKind>
/// The kind of ``IdempotencyKey``.
public enum IdempotencyKeyKind: IdentifierKind {
  /// The name in messages.
  public static let word = "key"
  /// 255.
  public static let byteCountMax = Limits.keyBytes
}

/// The project's code of a product, 1 to 255 bytes.
public typealias ProductCode = Identifier<ProductCodeKind>
/// The kind of ``ProductCode``.
public enum ProductCodeKind: IdentifierKind {
  /// The name in messages.
  public static let word = "product code"
  /// 255.
  public static let byteCountMax = Limits.catalogIDBytes
}

/// The id of an item, 1 to 255 bytes.
public typealias ItemID = Identifier<ItemIDKind>
/// The kind of ``ItemID``.
public enum ItemIDKind: IdentifierKind {
  /// The name in messages.
  public static let word = "item id"
  /// 255.
  public static let byteCountMax = Limits.catalogIDBytes
}

/// The id of an offering, 1 to 255 bytes.
public typealias OfferingID = Identifier<OfferingIDKind>
/// The kind of ``OfferingID``.
public enum OfferingIDKind: IdentifierKind {
  /// The name in messages.
  public static let word = "offering id"
  /// 255.
  public static let byteCountMax = Limits.catalogIDBytes
}

/// The store's id of a purchase, 1 to 4,096 bytes.
public typealias StoreTransactionID = Identifier<StoreTransactionIDKind>
/// The kind of ``StoreTransactionID``.
public enum StoreTransactionIDKind: IdentifierKind {
  /// The name in messages.
  public static let word = "store transaction id"
  /// 4,096.
  public static let byteCountMax = Limits.storeTransactionIDBytes
}

/// The caller's name for the subject of a transaction, such as an order number; 1 to 1,500 bytes.
public typealias Reference = Identifier<ReferenceKind>
/// The kind of ``Reference``.
public enum ReferenceKind: IdentifierKind {
  /// The name in messages.
  public static let word = "reference"
  /// 1,500.
  public static let byteCountMax = Limits.referenceBytes
}

/// The reason that a person gave for a change of a balance, 1 to 500 bytes.
public typealias Reason = Identifier<ReasonKind>
/// The kind of ``Reason``.
public enum ReasonKind: IdentifierKind {
  /// The name in messages.
  public static let word = "reason"
  /// 500.
  public static let byteCountMax = Limits.reasonBytes
}

/// The name of the person, service or key that sent a command; 1 to 255 bytes.
public typealias ActorName = Identifier<ActorKind>
/// The kind of the actor's name.
public enum ActorKind: IdentifierKind {
  /// The name in messages.
  public static let word = "actor"
  /// 255.
  public static let byteCountMax = Limits.actorBytes
}
