#if Receipts && canImport(COpenSSL)
internal import COpenSSL

extension OpenSSL {
  package final class Hasher: SHA256Hasher {
    private let context: OpaquePointer
    private let algorithm: OpaquePointer

    package init() {
      // Fetched once: looking the algorithm up takes longer than a short hash.
      guard let context = EVP_MD_CTX_new(), let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else {
        failed("make room for a hash")
      }
      self.context = context
      self.algorithm = algorithm
    }

    deinit {
      EVP_MD_CTX_free(context)
      EVP_MD_free(algorithm)
    }

    package func begin() {
      guard EVP_DigestInit_ex2(context, algorithm, nil) == 1 else { failed("begin a hash") }
    }

    package func add(_ bytes: UnsafeRawBufferPointer) {
      guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { failed("hash") }
    }

    package func end() -> SHA256Digest {
      SHA256Digest { bytes in
        guard EVP_DigestFinal_ex(context, bytes.bindMemory(to: UInt8.self).baseAddress, nil) == 1 else {
          failed("end a hash")
        }
      }
    }
  }
}
#endif
