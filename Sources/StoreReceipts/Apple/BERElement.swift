/// One value in the basic encoding rules of ASN.1 (X.690), which include DER; invalid bytes result in nil.
struct BERElement {
  static let integer: UInt8 = 0x02
  static let octetString: UInt8 = 0x04
  static let objectIdentifier: UInt8 = 0x06
  static let utf8String: UInt8 = 0x0C
  static let ia5String: UInt8 = 0x16
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31
  /// `[0]`, constructed.
  static let context0: UInt8 = 0xA0

  /// The maximum nesting of values of unknown length, and of octets in parts.
  private static let depthMax = 8
  /// The bit of a constructed value.
  private static let constructed: UInt8 = 0x20

  /// The first byte; tags of several bytes are not read.
  let tag: UInt8
  let content: ArraySlice<UInt8>

  /// Removes the first value from the bytes.
  init?(_ bytes: inout ArraySlice<UInt8>) {
    guard let element = Self(&bytes, depth: 0) else { return nil }
    self = element
  }

  private init?(_ bytes: inout ArraySlice<UInt8>, depth: Int) {
    guard let tag = bytes.popFirst(), tag & 0x1F != 0x1F, let first = bytes.popFirst() else { return nil }
    self.tag = tag
    guard first != 0x80 else {
      guard tag & Self.constructed != 0, depth < Self.depthMax else { return nil }
      guard let content = Self.contentOfUnknownLength(&bytes, depth: depth) else { return nil }
      self.content = content
      return
    }
    var length = Int(first)
    if first > 0x80 {
      let count = Int(first & 0x7F)
      guard count <= 4, bytes.count >= count else { return nil }
      length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      bytes = bytes.dropFirst(count)
    }
    guard length <= bytes.count else { return nil }
    content = bytes.prefix(length)
    bytes = bytes.dropFirst(length)
  }

  /// Reads values up to two zero bytes.
  private static func contentOfUnknownLength(_ bytes: inout ArraySlice<UInt8>, depth: Int) -> ArraySlice<UInt8>? {
    let start = bytes
    while true {
      if bytes.starts(with: [0, 0]) {
        let content = start[start.startIndex..<bytes.startIndex]
        bytes = bytes.dropFirst(2)
        return content
      }
      guard Self(&bytes, depth: depth + 1) != nil else { return nil }
    }
  }

  /// Returns the contained values, up to the first invalid value; at most `countMax`.
  func parts(countMax: Int) -> [BERElement] {
    var (rest, parts) = (content, [BERElement]())
    while parts.count < countMax, !rest.isEmpty, let part = BERElement(&rest) { parts.append(part) }
    return parts
  }

  /// Returns the octets of an OCTET STRING, also of one in parts; nil for other values.
  func octets(depth: Int = 0) -> ArraySlice<UInt8>? {
    if tag == Self.octetString { return content }
    guard tag == Self.octetString | Self.constructed, depth < Self.depthMax else { return nil }
    var (rest, octets) = (content, [UInt8]())
    while !rest.isEmpty {
      guard let part = BERElement(&rest)?.octets(depth: depth + 1) else { return nil }
      octets += part
    }
    return octets[...]
  }

  /// A small number that is not negative; nil for other values.
  var smallInteger: Int? {
    guard tag == Self.integer, (1...4).contains(content.count), content.first.map({ $0 < 0x80 }) ?? false else {
      return nil
    }
    return content.reduce(0) { $0 << 8 | Int($1) }
  }

  /// A text; nil for other values and for invalid UTF-8.
  var text: String? {
    guard tag == Self.utf8String || tag == Self.ia5String else { return nil }
    return String(validating: content, as: UTF8.self)
  }
}
