#if Server
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#endif

/// An address of the internet protocol, of version 4 or 6.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// Four or sixteen bytes, the most significant one first.
  package let bytes: [UInt8]

  /// - Parameter bytes: Four or sixteen.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Reads four decimal numbers without leading zeros, or the text of a version 6 address without a zone.
  package init?(_ text: String) {
    if text.utf8.contains(UInt8(ascii: ":")) {
      guard text.utf8.count <= 45 else { return nil }
      var raw = [UInt8](repeating: 0, count: 16)
      guard raw.withUnsafeMutableBytes({ inet_pton(AF_INET6, text, $0.baseAddress) }) == 1 else { return nil }
      bytes = raw
    } else {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false).compactMap(Self.decimalByte)
      guard parts.count == 4, text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 3 else { return nil }
      bytes = parts
    }
  }

  private static func decimalByte(_ text: Substring) -> UInt8? {
    guard let byte = UInt8(text), String(byte) == text else { return nil }
    return byte
  }

  /// The address as in URLs, without brackets.
  package var description: String {
    guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard bytes.withUnsafeBytes({ inet_ntop(AF_INET6, $0.baseAddress, &text, socklen_t(text.count)) }) != nil else {
      return ""
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether the address is public, by the registries of special addresses (RFC 6890).
  package var isPublic: Bool {
    guard bytes.count == 16 else { return !Self.specialV4.contains { $0.contains(bytes) } }
    // Network translators map these to version 4 addresses (RFC 6052).
    if Self.translated.contains(bytes) { return NetworkAddress(bytes: Array(bytes[12...]))?.isPublic ?? false }
    return Self.globalV6.contains(bytes) && !Self.specialV6.contains { $0.contains(bytes) }
  }

  // MARK: Blocks

  private struct Block {
    let start: [UInt8]
    let bitCount: Int

    init(_ start: [UInt8], _ bitCount: Int) {
      self.start = start
      self.bitCount = bitCount
    }

    func contains(_ bytes: [UInt8]) -> Bool {
      for (index, byte) in start.enumerated() where index * 8 < bitCount {
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(8, bitCount - index * 8))
        guard bytes[index] & mask == byte & mask else { return false }
      }
      return true
    }
  }

  private static let specialV4 = [
    Block([0], 8), Block([10], 8), Block([100, 64], 10), Block([127], 8), Block([169, 254], 16), Block([172, 16], 12),
    Block([192, 0, 0], 24), Block([192, 0, 2], 24), Block([192, 88, 99], 24), Block([192, 168], 16),
    Block([198, 18], 15), Block([198, 51, 100], 24), Block([203, 0, 113], 24), Block([224], 4), Block([240], 4),
  ]

  /// The only block assigned to the public internet; all other addresses are refused.
  private static let globalV6 = Block([0x20], 3)

  private static let translated = Block([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96)

  /// Protocol assignments, Teredo among them; documentation; 6to4, which hides a version 4 address.
  private static let specialV6 = [
    Block([0x20, 0x01, 0x00], 23), Block([0x20, 0x01, 0x0D, 0xB8], 32), Block([0x20, 0x02], 16),
    Block([0x3F, 0xFF, 0x00], 20),
  ]
}
#endif
