#if Receipts
internal import COpenSSL
internal import GemLedger
internal import StoreBackend
internal import StoreReceipts

/// The signature checks of a receipt by libcrypto alone, with everything read beforehand.
final class BareSignatures {
  private let certificates: [OpaquePointer]
  private let keys: [OpaquePointer]
  private let signingKey: OpaquePointer
  private let message: [UInt8]
  private let signature: [UInt8]

  /// - Parameter pem: The format of `LocalAuthority.pem`: the leaf's private key and the chain, the leaf first.
  init(pem: String, message: [UInt8]) throws {
    var certificates: [OpaquePointer] = []
    let key = Array(pem.utf8).withUnsafeBytes { bytes -> OpaquePointer? in
      guard let file = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
      defer { BIO_free(file) }
      // The file begins with the key.
      let key = PEM_read_bio_PrivateKey(file, nil, nil, nil)
      while let certificate = PEM_read_bio_X509(file, nil, nil, nil) { certificates.append(certificate) }
      return key
    }
    guard let key, certificates.count == 3 else { throw LedgerError.defect("The authority's file has no key") }
    self.certificates = certificates
    keys = certificates.compactMap { X509_get_pubkey($0) }
    signingKey = key
    self.message = message
    signature = Self.sign(message, key)
  }

  deinit {
    for certificate in certificates { X509_free(certificate) }
    for key in keys + [signingKey] { EVP_PKEY_free(key) }
  }

  /// Verifies one ES256 signature.
  func verify() -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, keys[0])
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  /// Verifies the two signatures of the certificates, and one ES256 signature.
  func verifyChain() -> Bool {
    X509_verify(certificates[0], keys[1]) == 1 && X509_verify(certificates[1], keys[2]) == 1 && verify()
  }

  /// Makes one ES256 signature.
  func sign() -> Bool { !Self.sign(message, signingKey).isEmpty }

  private static func sign(_ message: [UInt8], _ key: OpaquePointer) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { return [] }
    defer { EVP_MD_CTX_free(context) }
    var count = 80
    var signature = [UInt8](repeating: 0, count: count)
    EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key)
    EVP_DigestSign(context, &signature, &count, message, message.count)
    return Array(signature.prefix(count))
  }
}

/// A call, repeated many times.
final class CallBenchmark: Benchmark {
  let name: String
  let operationCount: Int
  private let call: () throws -> Bool
  private var count = 0

  init(_ name: String, operationCount: Int, call: @escaping () throws -> Bool) {
    self.name = name
    self.operationCount = operationCount
    self.call = call
  }

  func prepare(_ count: Int) { self.count = count }

  func run() throws -> UInt64 {
    for _ in 0..<count {
      guard try call() else { throw LedgerError.defect("\(name) failed") }
    }
    return UInt64(count)
  }
}
#endif
