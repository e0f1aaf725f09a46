internal import GemLedger

/// A signed text in compact form: three segments in base64url, with dots between them.
struct JWS {
  private let segments: [Substring]

  init(_ text: String) { segments = text.split(separator: ".", omittingEmptySubsequences: false) }

  /// Returns the bytes of a segment; empty if there is none.
  func segment(_ index: Int) -> Data {
    guard segments.indices.contains(index) else { return Data() }
    let bytes = Array(segments[index].utf8)
    return Data(bytes.withUnsafeBufferPointer(Base64URL.decode) ?? [])
  }

  var signedData: Data { Data(segments.prefix(2).joined(separator: ".").utf8) }
}
