#if Receipts
/// An unsigned certificate (RFC 5280), for platforms without a library that makes certificates.
struct CertificateDraft {
  /// The signature algorithm of the issuer.
  enum Algorithm: String {
    case ecdsaWithSHA256 = "1.2.840.10045.4.3.2"
    case ecdsaWithSHA384 = "1.2.840.10045.4.3.3"
  }

  /// 16 random bytes.
  var serial: [UInt8]
  /// The names in DER.
  var subject: [UInt8]
  var issuer: [UInt8]
  var validity: Validity
  /// As X.509 writes it.
  var publicKey: [UInt8]
  var isAuthority: Bool
  /// An extension with the content NULL, in dotted form.
  var marker: String?
  /// The SHA-1 of the public keys' bits.
  var keyIdentifier: [UInt8]
  var issuerKeyIdentifier: [UInt8]
  var algorithm: Algorithm

  /// The part that is signed.
  var signedPart: [UInt8] {
    var number = serial
    number[0] = number[0] & 0x7F | 0x40  // Positive, and always as long.
    return DER.sequence(
      DER.element(DER.Tag.part(0), DER.integer([2])), DER.integer(number), algorithmIdentifier, issuer,
      DER.sequence(DER.time(validity.from), DER.time(validity.until)), subject, publicKey,
      DER.element(DER.Tag.part(3), DER.element(DER.Tag.sequence, Array(extensions.joined()))))
  }

  /// The certificate.
  ///
  /// - Parameter signature: Of ``signedPart``, in DER.
  func certificate(signature: [UInt8]) -> [UInt8] {
    DER.sequence(signedPart, algorithmIdentifier, DER.bitString(signature))
  }

  private var algorithmIdentifier: [UInt8] { DER.sequence(DER.objectIdentifier(algorithm.rawValue)) }

  private var extensions: [[UInt8]] {
    let isTrue = DER.element(DER.Tag.boolean, [0xFF])
    var extensions = [
      Self.part("2.5.29.19", isCritical: true, DER.sequence(isAuthority ? isTrue : [])),
      // Signing certificates and revocation lists, or signing alone.
      Self.part(
        "2.5.29.15", isCritical: true,
        isAuthority ? DER.bitString([0x06], unusedBitCount: 1) : DER.bitString([0x80], unusedBitCount: 7)),
      Self.part("2.5.29.14", DER.element(DER.Tag.octetString, keyIdentifier)),
      Self.part(
        "2.5.29.35", DER.sequence(DER.element(DER.Tag.part(0, isPrimitive: true), issuerKeyIdentifier))),
    ]
    if let marker { extensions.append(Self.part(marker, DER.element(DER.Tag.null, []))) }
    return extensions
  }

  private static func part(_ identifier: String, isCritical: Bool = false, _ content: [UInt8]) -> [UInt8] {
    DER.sequence(
      DER.objectIdentifier(identifier), isCritical ? DER.element(DER.Tag.boolean, [0xFF]) : [],
      DER.element(DER.Tag.octetString, content))
  }

  /// The name of a subject as simulated stores write it.
  static func name(_ commonName: String) -> [UInt8] {
    let parts = [("2.5.4.3", commonName), ("2.5.4.10", "GemLedger"), ("2.5.4.11", "Simulated store")]
    return DER.element(
      DER.Tag.sequence,
      parts.flatMap { identifier, value in
        DER.element(
          DER.Tag.set,
          DER.sequence(
            DER.objectIdentifier(identifier), DER.element(DER.Tag.utf8String, Array(value.utf8))))
      })
  }
}

/// The fields of a certificate that Security does not return on every platform.
struct CertificateFields {
  /// The name in DER.
  let subject: [UInt8]
  /// As X.509 writes it.
  let publicKey: [UInt8]
  /// The extensions' identifiers in DER.
  let extensions: [[UInt8]]

  /// Reads the fields; nil if the bytes have another structure.
  init?(der: [UInt8]) {
    guard let outer = DER.read(der)?.parts, var parts = outer.first?.parts else { return nil }
    if parts.first?.tag == DER.Tag.part(0) { parts.removeFirst() }
    guard parts.count >= 6 else { return nil }
    subject = Array(parts[4].bytes)
    publicKey = Array(parts[5].bytes)
    let list = parts.first { $0.tag == DER.Tag.part(3) }
    extensions = (list?.parts?.first?.parts ?? []).compactMap { $0.parts?.first.map { Array($0.bytes) } }
  }

  func has(_ identifier: String) -> Bool { extensions.contains(DER.objectIdentifier(identifier)) }

  /// The bits of a public key, without the names of its algorithm.
  static func bits(ofPublic key: [UInt8]) -> [UInt8]? {
    guard let parts = DER.read(key)?.parts, parts.count == 2, parts[1].tag == DER.Tag.bitString,
      parts[1].content.first == 0
    else { return nil }
    return Array(parts[1].content.dropFirst())
  }
}

/// PEM (RFC 7468): labelled blocks of base64.
enum PEM {
  static func text(_ label: String, _ base64: String) -> String {
    var lines = ["-----BEGIN \(label)-----"]
    var rest = base64[...]
    while !rest.isEmpty {
      lines.append(String(rest.prefix(64)))
      rest = rest.dropFirst(64)
    }
    return lines.joined(separator: "\n") + "\n-----END \(label)-----\n"
  }

  /// The base64 of each block, in the order of the file.
  static func blocks(_ bytes: [UInt8]) -> [(label: String, base64: String)] {
    var (blocks, label, lines) = ([(label: String, base64: String)](), String?.none, "")
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
        (label, lines) = (String(line.dropFirst(11).dropLast(5)), "")
      } else if let open = label, line == "-----END \(open)-----" {
        blocks.append((open, lines))
        label = nil
      } else if label != nil {
        lines += line.filter { !$0.isWhitespace }
      }
    }
    return blocks
  }
}
#endif
