#if Receipts
internal import GemLedger

/// A JSON Web Signature in compact form (RFC 7515, section 7.1), split into segments but not verified.
struct SignedToken {
  /// The bytes of the whole text.
  private let bytes: [UInt8]
  private let payloadEnd: Int
  /// The first segment as it was sent: equal bytes mean the same algorithm and certificates.
  let headerText: [UInt8]
  /// The decoded header.
  let header: [UInt8]
  /// The decoded payload.
  let payload: [UInt8]
  /// The decoded signature.
  let signature: [UInt8]

  /// - Throws: `LedgerError` with `receipt_malformed`, check `structure`.
  init(_ text: String, byteCountMax: Int) throws(LedgerError) {
    guard text.utf8.count <= byteCountMax else {
      throw ReceiptCheck.structure.failure("it has \(text.utf8.count) bytes; the maximum is \(byteCountMax)")
    }
    let bytes = Array(text.utf8)
    let dots = bytes.indices.filter { bytes[$0] == ASCII.dot }
    guard dots.count == 2 else {
      throw ReceiptCheck.structure.failure("it has \(dots.count + 1) segments, and should have three")
    }
    self.bytes = bytes
    payloadEnd = dots[1]
    headerText = Array(bytes[..<dots[0]])
    header = try Self.decoded(headerText[...], "header")
    payload = try Self.decoded(bytes[(dots[0] + 1)..<payloadEnd], "payload")
    signature = try Self.decoded(bytes[(payloadEnd + 1)...], "signature")
  }

  /// The signed part: header and payload as they were sent.
  func withSignedBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<payloadEnd])) }
  }

  private static func decoded(_ segment: ArraySlice<UInt8>, _ name: String) throws(LedgerError) -> [UInt8] {
    guard !segment.isEmpty, let bytes = Base64URL.decode(Array(segment)) else {
      throw ReceiptCheck.structure.failure("its \(name) is not base64url")
    }
    return bytes
  }
}
#endif
