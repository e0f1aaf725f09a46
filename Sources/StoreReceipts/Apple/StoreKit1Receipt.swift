internal import GemLedger

/// A receipt of StoreKit 1: all purchases of a device in one PKCS #7 message.
///
/// Its signature is not checked, so it proves nothing: its ids are used only in requests to the App Store.
package struct StoreKit1Receipt: Sendable {
  /// The maximum number of purchases to read.
  private static let itemCountMax = 10_000
  /// PKCS #7 signed data, 1.2.840.113549.1.7.2.
  private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

  /// The numbers of the receipt's fields.
  private enum Field {
    static let purchase = 17
    static let transactionID = 1703
    static let purchaseDate = 1704
    static let originalTransactionID = 1705
  }

  /// The transactions in the receipt, newest first; empty if it has none or cannot be read.
  package let transactionIDs: [String]

  /// Reads a receipt.
  ///
  /// - Parameter text: The text from the app, in base64.
  /// - Returns: Nil for a text that is not a StoreKit 1 receipt; a damaged receipt has no ids.
  package init?(_ text: String) {
    guard Self.isForm(of: text) else { return nil }
    let bytes = Base64.decode(text.filter { !$0.isWhitespace }) ?? []
    transactionIDs = Self.content(of: bytes).map(Self.transactionIDs) ?? []
  }

  /// Returns whether a text starts as DER in base64 does, and has only base64 characters.
  package static func isForm(of text: String) -> Bool {
    text.hasPrefix("MI")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="), 0x0A, 0x0D,
          0x20:
          true
        default: false
        }
      }
  }

  /// Returns whether a text may be a transaction's id: the App Store's ids are digits.
  package static func isTransactionID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: false
        }
      }
  }

  /// The signed bytes of the message.
  private static func content(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
    var rest = bytes[...]
    guard let message = BERElement(&rest), message.tag == BERElement.sequence else { return nil }
    let parts = message.parts(countMax: 2)
    guard parts.count == 2, parts[0].tag == BERElement.objectIdentifier, parts[0].content.elementsEqual(signedData),
      parts[1].tag == BERElement.context0, let signed = parts[1].parts(countMax: 1).first
    else { return nil }
    // Version, digest algorithms, content.
    let members = signed.parts(countMax: 3)
    guard members.count == 3, members[2].tag == BERElement.sequence else { return nil }
    let content = members[2].parts(countMax: 2)
    guard content.count == 2, content[1].tag == BERElement.context0 else { return nil }
    return content[1].parts(countMax: 1).first?.octets()
  }

  private static func transactionIDs(in payload: ArraySlice<UInt8>) -> [String] {
    var purchases: [(id: String, date: String)] = []
    for field in fields(payload) where field.number == Field.purchase {
      var (id, originalID, date): (String?, String?, String) = (nil, nil, "")
      for member in fields(field.value) {
        var value = member.value
        guard let text = BERElement(&value)?.text else { continue }
        switch member.number {
        case Field.transactionID where isTransactionID(text): id = text
        case Field.originalTransactionID where isTransactionID(text): originalID = text
        case Field.purchaseDate: date = text
        default: break
        }
      }
      if let id = id ?? originalID { purchases.append((id, date)) }
    }
    // Dates are texts in one format, so their order is chronological; of equal dates the last is the newest.
    let ordered = purchases.enumerated().sorted { ($0.element.date, $0.offset) > ($1.element.date, $1.offset) }
    return ordered.map(\.element.id)
  }

  /// Returns the fields of a set, each with a number, a version and a value.
  private static func fields(_ bytes: ArraySlice<UInt8>) -> [(number: Int, value: ArraySlice<UInt8>)] {
    var rest = bytes
    guard let set = BERElement(&rest), set.tag == BERElement.set else { return [] }
    return set.parts(countMax: itemCountMax).compactMap { field in
      let parts = field.parts(countMax: 3)
      guard field.tag == BERElement.sequence, parts.count == 3, let number = parts[0].smallInteger,
        let value = parts[2].octets()
      else { return nil }
      return (number, value)
    }
  }
}
