#if Receipts && canImport(COpenSSL)
internal import COpenSSL

package typealias Crypto = OpenSSL

/// The system's libcrypto.
package enum OpenSSL: CryptoLibrary {
  /// A certificate, never changed once it is made.
  // Unchecked: the pointer is a constant, and libcrypto only reads a certificate that is made.
  package final class Certificate: @unchecked Sendable {
    package let x509: OpaquePointer
    /// The library context that it was read with; nil for libcrypto's default.
    let context: OpaquePointer?

    /// Takes over the caller's reference.
    init(_ x509: OpaquePointer, readWith context: OpaquePointer? = nil) {
      self.x509 = x509
      self.context = context
    }

    deinit { X509_free(x509) }
  }

  /// A public or private key, never changed once it is made: libcrypto lets many threads use one.
  // Unchecked: the pointer is a constant, and libcrypto lets many threads use one key.
  package final class Key: @unchecked Sendable {
    let key: OpaquePointer
    /// The library context that it was read with, to avoid a copy into another context; nil for the default context.
    let context: OpaquePointer?

    /// Takes over the caller's reference.
    init(_ key: OpaquePointer, readWith context: OpaquePointer? = nil) {
      self.key = key
      self.context = context
    }

    deinit { EVP_PKEY_free(key) }
  }

  package typealias VerifyingKey = Key
  package typealias SigningKey = Key

  /// Stops the process with libcrypto's reason, for calls that only fail without memory.
  package static func failed(_ what: StaticString) -> Never {
    let code = ERR_peek_last_error()
    // A caller could not recover: the next allocation would stop the process too.
    fatalError("libcrypto could not \(what): error \(code)")
  }
}

// MARK: Certificates

extension OpenSSL {
  package static func certificate(der: [UInt8]) -> Certificate? {
    defer { ERR_clear_error() }
    let certificate = certificate(der: der, readWith: CertificateAlgorithms.context)
    guard let certificate, certificate.context != nil, X509_get0_pubkey(certificate.x509) == nil else {
      return certificate
    }
    return self.certificate(der: der, readWith: nil)
  }

  private static func certificate(der: [UInt8], readWith context: OpaquePointer?) -> Certificate? {
    der.withUnsafeBufferPointer { bytes in
      var room = X509_new_ex(context, nil)
      guard room != nil else { failed("make room for a certificate") }
      var position = bytes.baseAddress
      // It frees the memory if it fails.
      guard let x509 = d2i_X509(&room, &position, bytes.count) else { return nil }
      let certificate = Certificate(x509, readWith: context)
      // Trailing bytes would be a second encoding of the certificate.
      return position == bytes.baseAddress.map { $0 + bytes.count } ? certificate : nil
    }
  }

  package static func certificates(pem: [UInt8]) -> [Certificate] {
    withFile(pem) { file in
      var certificates: [Certificate] = []
      while let x509 = PEM_read_bio_X509(file, nil, nil, nil) { certificates.append(Certificate(x509)) }
      return certificates
    } ?? []
  }

  /// Lets libcrypto read the bytes as a file; nil if it cannot.
  package static func withFile<R>(_ bytes: [UInt8], _ body: (OpaquePointer) -> R?) -> R? {
    bytes.withUnsafeBytes { bytes in
      // It reads the bytes in place, without a copy.
      guard let length = Int32(exactly: bytes.count), let file = BIO_new_mem_buf(bytes.baseAddress, length) else {
        return nil
      }
      defer {
        BIO_free(file)
        ERR_clear_error()
      }
      return body(file)
    }
  }

  package static func fingerprint(of certificate: Certificate) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 32
    guard X509_digest(certificate.x509, EVP_sha256(), &digest, &count) == 1 else { failed("digest a certificate") }
    return digest
  }

  package static func haveSameOwner(_ left: Certificate, _ right: Certificate) -> Bool {
    guard let leftKey = X509_get0_pubkey(left.x509), let rightKey = X509_get0_pubkey(right.x509) else {
      ERR_clear_error()
      return false
    }
    defer { ERR_clear_error() }
    return X509_NAME_cmp(X509_get_subject_name(left.x509), X509_get_subject_name(right.x509)) == 0
      && EVP_PKEY_eq(leftKey, rightKey) == 1
  }

  package static func hasExtension(_ identifier: String, _ certificate: Certificate) -> Bool {
    guard let object = OBJ_txt2obj(identifier, 1) else { failed("read an object identifier") }
    defer { ASN1_OBJECT_free(object) }
    return X509_get_ext_by_OBJ(certificate.x509, object, -1) >= 0
  }

  package static func validate(
    leaf: Certificate, intermediate: Certificate, roots: [Certificate], at seconds: Int64
  ) -> ChainVerdict<Key> {
    defer { ERR_clear_error() }
    guard let store = X509_STORE_new(), let context = X509_STORE_CTX_new(), let others = OPENSSL_sk_new_null() else {
      failed("make room for a chain")
    }
    defer {
      X509_STORE_CTX_free(context)
      X509_STORE_free(store)
      OPENSSL_sk_free(others)
    }
    for root in roots { X509_STORE_add_cert(store, root.x509) }
    OPENSSL_sk_push(others, UnsafeRawPointer(intermediate.x509))
    guard X509_STORE_CTX_init(context, store, leaf.x509, others) == 1 else { failed("begin a chain") }
    X509_STORE_CTX_set_time(context, 0, time_t(seconds))
    guard X509_verify_cert(context) == 1 else {
      let reason = X509_STORE_CTX_get_error(context)
      return [X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID].contains(reason) ? .notValidThen : .untrusted
    }
    // A root may have signed the leaf itself, or be sent in place of the intermediate.
    guard let chain = X509_STORE_CTX_get0_chain(context), OPENSSL_sk_num(chain) == 3,
      X509_cmp(OpaquePointer(OPENSSL_sk_value(chain, 1)), intermediate.x509) == 0,
      let root = OpaquePointer(OPENSSL_sk_value(chain, 2))
    else { return .untrusted }
    guard let key = X509_get_pubkey(leaf.x509).map({ Key($0, readWith: leaf.context) }), isOnP256(key) else {
      return .wrongKey
    }
    let spans = [leaf.x509, intermediate.x509, root].map(validity)
    return .valid(
      key, Validity(from: spans.map(\.from).max() ?? .max, until: spans.map(\.until).min() ?? .min))
  }

  package static func p256Key(ofPublic key: Key) -> Key? { isOnP256(key) ? key : nil }

  private static func isOnP256(_ key: Key) -> Bool {
    var name = [CChar](repeating: 0, count: 32)
    guard EVP_PKEY_get_base_id(key.key) == EVP_PKEY_EC,
      EVP_PKEY_get_group_name(key.key, &name, name.count, nil) == 1
    else { return false }
    return OBJ_sn2nid(name) == NID_X9_62_prime256v1
  }

  private static func validity(of x509: OpaquePointer) -> Validity {
    Validity(from: seconds(X509_get0_notBefore(x509)) ?? .max, until: seconds(X509_get0_notAfter(x509)) ?? .min)
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    guard let epoch = ASN1_TIME_set(nil, 0) else { failed("make a time") }
    defer { ASN1_TIME_free(epoch) }
    var (days, seconds): (Int32, Int32) = (0, 0)
    guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
    return Int64(days) * 86_400 + Int64(seconds)
  }
}

// MARK: Signatures

extension OpenSSL {
  /// The bytes of r and of s.
  private static let scalarByteCount = 32

  package static func isSignature(_ signature: [UInt8], of message: UnsafeRawBufferPointer, by key: Key) -> Bool {
    guard signature.count == 2 * scalarByteCount else { return false }
    return isSignature(der(ofSignature: signature), "SHA256", of: message, by: key)
  }

  /// Checks a signature in the form of its kind.
  package static func isSignature(
    _ signature: [UInt8], _ digest: String, of message: UnsafeRawBufferPointer, by key: Key
  ) -> Bool {
    guard let context = EVP_MD_CTX_new() else { failed("make room for a signature") }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    guard EVP_DigestVerifyInit_ex(context, nil, digest, key.context, nil, key.key, nil) == 1 else { return false }
    let bytes = message.bindMemory(to: UInt8.self)
    return EVP_DigestVerify(context, signature, signature.count, bytes.baseAddress, bytes.count) == 1
  }

  package static func signature(of message: UnsafeRawBufferPointer, by key: Key) -> [UInt8] {
    let der = signature(EVP_sha256(), of: message, by: key)
    let pair = der.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      return d2i_ECDSA_SIG(nil, &position, bytes.count)
    }
    guard let pair else { failed("read its own signature") }
    defer { ECDSA_SIG_free(pair) }
    let count = Int32(scalarByteCount)
    var scalars = [UInt8](repeating: 0, count: 2 * scalarByteCount)
    let isWritten = scalars.withUnsafeMutableBufferPointer { bytes in
      BN_bn2binpad(ECDSA_SIG_get0_r(pair), bytes.baseAddress, count) == count
        && BN_bn2binpad(ECDSA_SIG_get0_s(pair), bytes.baseAddress.map { $0 + scalarByteCount }, count) == count
    }
    guard isWritten else { failed("write a signature") }
    return scalars
  }

  /// Makes a signature in the form of its kind.
  package static func signature(_ digest: OpaquePointer?, of message: UnsafeRawBufferPointer, by key: Key) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { failed("make room for a signature") }
    defer { EVP_MD_CTX_free(context) }
    let bytes = message.bindMemory(to: UInt8.self)
    var count = 0
    guard EVP_DigestSignInit(context, nil, digest, nil, key.key) == 1,
      EVP_DigestSign(context, nil, &count, bytes.baseAddress, bytes.count) == 1
    else { failed("begin a signature") }
    var signature = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSign(context, &signature, &count, bytes.baseAddress, bytes.count) == 1 else { failed("sign") }
    return Array(signature.prefix(count))
  }
}

// MARK: Shared secrets

extension OpenSSL {
  package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 32
    guard HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, &count) != nil else {
      failed("make an authentication code")
    }
    return code
  }

  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }
}
#endif
