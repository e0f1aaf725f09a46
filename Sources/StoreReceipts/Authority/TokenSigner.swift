#if Receipts
internal import GemLedger
internal import SystemCrypto

/// Signs payloads with an authority's leaf.
struct TokenSigner: Sendable {
  private let key: Crypto.SigningKey
  /// The header's segment with its dot, equal for every payload.
  private let header: [UInt8]

  init(_ authority: LocalAuthority) {
    self.init(key: authority.key, certificates: authority.chain.map(Crypto.der))
  }

  /// - Parameter certificates: DER, the leaf first.
  init(key: Crypto.SigningKey, certificates: [[UInt8]], algorithm: String = "ES256") {
    self.key = key
    let document: JSONValue = [
      "alg": .string(algorithm), "x5c": .array(certificates.map { .string(Base64.text($0)) }),
    ]
    var header: [UInt8] = []
    Base64URL.append(Array(document.text().utf8), to: &header)
    self.header = header + [ASCII.dot]
  }

  func token(_ payload: [UInt8]) -> String {
    var text = header
    Base64URL.append(payload, to: &text)
    let signature = text.withUnsafeBytes { Crypto.signature(of: $0, by: key) }
    text.append(ASCII.dot)
    Base64URL.append(signature, to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
#endif
