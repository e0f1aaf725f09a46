#if Receipts
internal import GemLedger
internal import SystemCrypto

/// The header of a token that Apple, or a local authority, signed: the algorithm and the certificates.
struct TokenHeader {
  static let certificateCount = 3

  let leaf: Crypto.Certificate
  let intermediate: Crypto.Certificate
  /// The root's certificate; it may be another issue of the trusted root.
  let root: Crypto.Certificate

  /// - Parameter roots: A certificate equal to one of these is not parsed again, which saves a tenth of a check.
  /// - Throws: `LedgerError` with, in order of precedence: `receipt_malformed`, check `header`; `receipt_unverified`,
  ///   check `algorithm`, then `certificates`.
  init(_ json: [UInt8], knowing roots: [TrustedRoot]) throws(LedgerError) {
    let value: JSONValue
    do throws(JSONError) { value = try .parse(json) } catch {
      throw ReceiptCheck.header.failure("its header is not JSON: \(error)")
    }
    guard let header = value.object else { throw ReceiptCheck.header.failure("its header is \(value.kind)") }
    // RFC 7515, section 4.1.11: a reader must refuse extensions that it does not understand.
    guard header["crit"] == nil else { throw ReceiptCheck.header.failure("its header names extensions (crit)") }
    guard let algorithm = header["alg"]?.text, algorithm.hasBytes(of: "ES256") else {
      let found = header["alg"]?.text.map { "\"\($0.prefix(20))\"" } ?? "missing"
      throw ReceiptCheck.algorithm.failure("its algorithm is \(found), and should be ES256")
    }
    let certificates = try Self.certificates(header["x5c"]?.array ?? [], knowing: roots)
    (leaf, intermediate, root) = (certificates[0], certificates[1], certificates[2])
  }

  private static func certificates(
    _ list: [JSONValue], knowing roots: [TrustedRoot]
  ) throws(LedgerError) -> [Crypto.Certificate] {
    guard list.count == certificateCount else {
      throw ReceiptCheck.certificates.failure("it has \(list.count) certificates, and should have three")
    }
    var certificates: [Crypto.Certificate] = []
    for (index, value) in list.enumerated() {
      guard let der = value.text.flatMap(Base64.decode),
        let certificate = roots.lazy.compactMap({ $0.certificate(der: der) }).first ?? Crypto.certificate(der: der)
      else {
        throw ReceiptCheck.certificates.failure("its certificate \(index + 1) is not DER in base64 with padding")
      }
      certificates.append(certificate)
    }
    return certificates
  }
}
#endif
