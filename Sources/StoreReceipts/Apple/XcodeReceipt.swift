internal import GemLedger

/// A receipt of a StoreKit test in Xcode: JSON in base64 with the test's transactions.
///
/// Xcode signs them with a certificate of the local machine, so they prove nothing.
package struct XcodeReceipt: Sendable {
  /// The maximum number of transactions to read.
  static let transactionCountMax = 1000

  /// The signed transactions, in the form in which other apps post them one by one.
  package let transactions: [String]

  /// - Returns: Nil for any other text.
  package init?(_ text: String) {
    // A signed transaction has dots.
    guard text.hasPrefix("e"), !text.utf8.contains(UInt8(ascii: ".")),
      let bytes = Base64.decode(text.filter { !$0.isWhitespace })
    else {
      return nil
    }
    guard let object = Self.parse(bytes)?.object, object["environment"]?.text?.lowercased() == "xcode" else {
      return nil
    }
    transactions = object["transactions"]?.array?.prefix(Self.transactionCountMax).compactMap(\.text) ?? []
  }

  /// Returns whether a signed transaction claims to be of a test in Xcode, with any signature.
  package static func isClaimed(by text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Base64URL.decode(Array(parts[1].utf8)) else { return false }
    return parse(payload)?["environment"]?.text == "Xcode"
  }

  private static func parse(_ bytes: [UInt8]) -> JSONValue? {
    do throws(JSONError) { return try JSONValue.parse(bytes) } catch { return nil }
  }
}
