internal import Foundation

/// Receipts of StoreKit 1 without a signature: what a reader of their ids looks at.
package enum StoreKit1Sample {
  /// How lengths are written.
  package enum Lengths: Sendable, CaseIterable {
    /// As DER has them.
    case known
    /// Up to a mark, and octets in parts, as some writers of BER have them.
    case unknown
  }

  /// The receipt in base64, as an app sends it.
  package static func text(_ purchases: [(id: String, date: String)], lengths: Lengths = .known) -> String {
    Data(receipt(purchases, lengths: lengths)).base64EncodedString()
  }

  package static func receipt(_ purchases: [(id: String, date: String)], lengths: Lengths = .known) -> [UInt8] {
    let items = purchases.map { purchase in
      let members = [
        field(1701, value(0x02, [1])), field(1702, value(0x0C, Array("gems_300".utf8))),
        field(1703, value(0x0C, Array(purchase.id.utf8))), field(1704, value(0x16, Array(purchase.date.utf8))),
        field(1705, value(0x0C, Array("1\(purchase.id)".utf8))), field(1712, []),
      ]
      return field(17, value(0x31, members.flatMap(\.self)))
    }
    let payload = value(
      0x31, field(2, value(0x0C, Array("com.example.gems".utf8))) + items.flatMap(\.self) + field(21, [0x16, 0]))
    let isKnown = lengths == .known
    func wrap(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      isKnown ? value(tag, content) : [tag, 0x80] + content + [0, 0]
    }
    let half = payload.count / 2
    let octets =
      isKnown
      ? value(0x04, payload) : wrap(0x24, value(0x04, Array(payload[..<half])) + value(0x04, Array(payload[half...])))
    let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    let content = wrap(0x30, data + wrap(0xA0, octets))
    // A chain of certificates, which makes real receipts long.
    let rest = wrap(0xA0, value(0x04, [UInt8](repeating: 7, count: 300)))
    return wrap(0x30, signedData + wrap(0xA0, wrap(0x30, [0x02, 1, 1] + value(0x31, []) + content + rest)))
  }

  private static func field(_ number: Int, _ content: [UInt8]) -> [UInt8] {
    let digits = [UInt8(number >> 8), UInt8(number & 0xFF)]
    return value(0x30, value(0x02, digits[0] == 0 ? [digits[1]] : digits) + value(0x02, [1]) + value(0x04, content))
  }

  private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    if count < 0x80 { return [tag, UInt8(count)] + content }
    if count < 0x100 { return [tag, 0x81, UInt8(count)] + content }
    return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + content
  }
}
