#if Receipts
/// The distinguished encoding of ASN.1 (X.690), as far as certificates and keys need it.
enum DER {
  enum Tag {
    static let boolean: UInt8 = 0x01
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let utf8String: UInt8 = 0x0C
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
    /// Tags that a structure gives its parts.
    static func part(_ number: UInt8, isPrimitive: Bool = false) -> UInt8 { (isPrimitive ? 0x80 : 0xA0) | number }
  }

  // MARK: Writing

  static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
    var length: [UInt8] = []
    var rest = content.count
    while rest > 0 {
      length.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }

  static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(Tag.sequence, Array(parts.joined())) }

  /// A number that is not negative.
  ///
  /// - Parameter bytes: The highest first.
  static func integer(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var digits = Array(bytes.drop { $0 == 0 })
    if (digits.first ?? 0x80) & 0x80 != 0 { digits.insert(0, at: 0) }
    return element(Tag.integer, digits)
  }

  static func bitString(_ bytes: [UInt8], unusedBitCount: UInt8 = 0) -> [UInt8] {
    element(Tag.bitString, [unusedBitCount] + bytes)
  }

  /// - Parameter dotted: Such as 1.2.840.10045.4.3.2.
  static func objectIdentifier(_ dotted: String) -> [UInt8] {
    let numbers = dotted.split(separator: ".").compactMap { UInt64($0) }
    precondition(numbers.count >= 2, "An object identifier of the code is wrong.")
    return element(
      Tag.objectIdentifier, ([numbers[0] * 40 + numbers[1]] + numbers[2...]).flatMap(base128))
  }

  /// Returns seven bits per byte, the highest first; the top bit is set if more follow.
  private static func base128(_ number: UInt64) -> [UInt8] {
    var bytes = [UInt8(number & 0x7F)]
    var rest = number >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }

  /// An instant in the form that RFC 5280 asks for: two digits of the year until 2049, then four.
  ///
  /// - Parameter seconds: Since 1970.
  static func time(_ seconds: Int64) -> [UInt8] {
    let (days, second) = (Int(seconds / 86_400), Int(seconds % 86_400))
    let (year, month, day) = date(days)
    let rest = [month, day, second / 3600, second / 60 % 60, second % 60].map { digits($0, 2) }.joined() + "Z"
    return year < 2050
      ? element(Tag.utcTime, Array((digits(year % 100, 2) + rest).utf8))
      : element(Tag.generalizedTime, Array((digits(year, 4) + rest).utf8))
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }

  /// The Gregorian date of a day since 1970, counted in years that begin with March.
  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let day = days + 719_468
    let (era, dayOfEra) = (day / 146_097, day % 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
  }
}

// MARK: Reading

extension DER {
  /// One value of a text in DER.
  struct Element {
    let tag: UInt8
    let content: ArraySlice<UInt8>
    /// Tag, length and content.
    let bytes: ArraySlice<UInt8>

    /// The nested elements; nil if the content is not constructed of elements.
    var parts: [Element]? {
      var (rest, parts) = (content, [Element]())
      while !rest.isEmpty {
        guard let part = DER.next(&rest) else { return nil }
        parts.append(part)
      }
      return parts
    }
  }

  /// The one element of the bytes; nil for anything else.
  static func read(_ bytes: some Sequence<UInt8>) -> Element? {
    var rest = Array(bytes)[...]
    let element = next(&rest)
    return rest.isEmpty ? element : nil
  }

  private static func next(_ rest: inout ArraySlice<UInt8>) -> Element? {
    let start = rest
    guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let count = Int(first & 0x7F)
      guard (1...4).contains(count), rest.count >= count else { return nil }
      length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(count)
    }
    guard rest.count >= length else { return nil }
    let content = rest.prefix(length)
    rest = rest.dropFirst(length)
    return Element(tag: tag, content: content, bytes: start[start.startIndex..<content.endIndex])
  }
}
#endif
