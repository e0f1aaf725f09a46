#if Receipts && canImport(COpenSSL)
internal import COpenSSL

// MARK: Keys

extension OpenSSL {
  package static func makeKey(_ kind: KeyKind) -> Key {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, kind == .rsa ? "RSA" : "EC", nil),
      EVP_PKEY_keygen_init(context) == 1
    else { failed("begin a key") }
    defer { EVP_PKEY_CTX_free(context) }
    let isChosen =
      switch kind {
      case .p256: EVP_PKEY_CTX_set_group_name(context, "P-256")
      case .p384: EVP_PKEY_CTX_set_group_name(context, "P-384")
      case .rsa: EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048)
      }
    var key: OpaquePointer?
    guard isChosen == 1, EVP_PKEY_generate(context, &key) == 1, let key else { failed("make a key") }
    return Key(key)
  }

  package static func playKey(der: [UInt8]) -> Key? {
    let key = der.withUnsafeBufferPointer { bytes -> Key? in
      var position = bytes.baseAddress
      guard let key = d2i_PUBKEY(nil, &position, bytes.count).map({ Key($0) }) else { return nil }
      return position == bytes.baseAddress.map { $0 + bytes.count } ? key : nil
    }
    ERR_clear_error()
    return key.flatMap { EVP_PKEY_get_base_id($0.key) == EVP_PKEY_RSA ? $0 : nil }
  }

  package static func publicKeyDER(of certificate: Certificate) -> [UInt8] {
    written { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate.x509), $0) }
  }

  package static func der(ofPublic key: Key) -> [UInt8] {
    written { i2d_PUBKEY(key.key, $0) }
  }

  package static func privateKey(pem: [UInt8]) -> Key? {
    // Without the callback libcrypto asks the terminal for the password of an encrypted key.
    withFile(pem) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil).map { Key($0) } }
  }

  package static func pem(of key: Key) -> String {
    text { PEM_write_bio_PKCS8PrivateKey($0, key.key, nil, nil, 0, nil, nil) }
  }

  package static func isPlaySignature(_ signature: [UInt8], of message: [UInt8], by key: Key) -> Bool {
    message.withUnsafeBytes { isSignature(signature, "SHA1", of: $0, by: key) }
  }

  package static func playSignature(of message: [UInt8], by key: Key) -> [UInt8] {
    message.withUnsafeBytes { self.signature(EVP_sha1(), of: $0, by: key) }
  }

  package static func serviceSignature(of message: [UInt8], by key: Key) -> [UInt8] {
    message.withUnsafeBytes { signature(EVP_sha256(), of: $0, by: key) }
  }

  /// Returns the output of a DER writer of libcrypto.
  private static func written(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
    let count = Int(write(nil))
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBufferPointer { room in
      var position = room.baseAddress
      _ = write(&position)
    }
    return bytes
  }

  /// Returns the output of a PEM writer of libcrypto.
  private static func text(_ write: (OpaquePointer) -> Int32) -> String {
    guard let file = BIO_new(BIO_s_mem()) else { failed("make room for PEM") }
    defer { BIO_free(file) }
    guard write(file) == 1 else { failed("write PEM") }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = BIO_read(file, &chunk, Int32(chunk.count)), count > 0 { bytes += chunk.prefix(Int(count)) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

// MARK: Certificates

extension OpenSSL {
  package static func der(of certificate: Certificate) -> [UInt8] { written { i2d_X509(certificate.x509, $0) } }

  package static func pem(of certificate: Certificate) -> String { text { PEM_write_bio_X509($0, certificate.x509) } }

  package static func issue(
    _ request: CertificateRequest<Key>, by issuer: (certificate: Certificate, key: Key)?
  ) -> Certificate {
    guard let x509 = X509_new() else { failed("make room for a certificate") }
    let certificate = Certificate(x509)
    let signer = issuer ?? (certificate, request.key)
    var serial = [UInt8](repeating: 0, count: 16)
    guard X509_set_version(x509, 2) == 1, RAND_bytes(&serial, Int32(serial.count)) == 1 else { failed("draw a number") }
    serial[0] = serial[0] & 0x7F | 0x40  // Positive, and always as long.
    setNumber(serial, of: x509)
    setName(request.name, of: x509)
    X509_set_issuer_name(x509, X509_get_subject_name(signer.certificate.x509))
    setValidity(request.validity, of: x509)
    guard X509_set_pubkey(x509, request.key.key) == 1 else { failed("set a key") }
    addExtensions(request, to: x509, issuer: signer.certificate.x509)
    guard X509_sign(x509, signer.key.key, digest(for: signer.key)) > 0 else { failed("sign a certificate") }
    return certificate
  }

  private static func setNumber(_ bytes: [UInt8], of x509: OpaquePointer) {
    guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { failed("set a number") }
    defer { BN_free(number) }
    guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(x509)) != nil else { failed("set a number") }
  }

  private static func setName(_ name: String, of x509: OpaquePointer) {
    let parts = [("CN", name), ("O", "GemLedger"), ("OU", "Simulated store")]
    for (field, value) in parts {
      let bytes = Array(value.utf8)
      let isAdded = X509_NAME_add_entry_by_txt(
        X509_get_subject_name(x509), field, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0)
      guard isAdded == 1 else { failed("set a name") }
    }
  }

  private static func setValidity(_ validity: Validity, of x509: OpaquePointer) {
    guard let from = ASN1_TIME_set(nil, time_t(validity.from)), let last = ASN1_TIME_set(nil, time_t(validity.until)),
      X509_set1_notBefore(x509, from) == 1, X509_set1_notAfter(x509, last) == 1
    else { failed("set a time") }
    ASN1_TIME_free(from)
    ASN1_TIME_free(last)
  }

  /// Adds the extensions that RFC 5280 and strict verifiers require: key usage, subject key id and authority key id.
  private static func addExtensions(
    _ request: CertificateRequest<Key>, to x509: OpaquePointer, issuer: OpaquePointer
  ) {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuer, x509, nil, nil, 0)
    let extensions = [
      (NID_basic_constraints, request.isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"),
      (NID_key_usage, request.isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature"),
      (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always"),
    ]
    for (kind, value) in extensions {
      add(X509V3_EXT_conf_nid(nil, &context, kind, value), to: x509)
    }
    guard let marker = request.marker else { return }
    guard let object = OBJ_txt2obj(marker, 1), let content = ASN1_OCTET_STRING_new() else { failed("make a marker") }
    defer {
      ASN1_OBJECT_free(object)
      ASN1_OCTET_STRING_free(content)
    }
    ASN1_OCTET_STRING_set(content, [0x05, 0x00], 2)  // NULL, as in Apple's certificates.
    add(X509_EXTENSION_create_by_OBJ(nil, object, 0, content), to: x509)
  }

  private static func add(_ part: OpaquePointer?, to x509: OpaquePointer) {
    guard let part, X509_add_ext(x509, part, -1) == 1 else { failed("add an extension") }
    X509_EXTENSION_free(part)
  }

  private static func digest(for key: Key) -> OpaquePointer? {
    EVP_PKEY_get_bits(key.key) == 384 ? EVP_sha384() : EVP_sha256()
  }
}
#endif
