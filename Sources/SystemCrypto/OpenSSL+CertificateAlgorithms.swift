#if Receipts && canImport(COpenSSL)
internal import COpenSSL

/// The algorithms for reading certificates: the few algorithms of libcrypto that a store's chain can have.
///
/// For each public key, libcrypto 3.0 tries all decoders and key types of its library context, which takes 250 µs, a
/// fifth of a signature check with P-384. With these algorithms it takes 60 µs. So this is a separate library context,
/// whose only provider offers these algorithms of the default provider. It is for speed alone: keys of other kinds are
/// read with libcrypto's default context.
enum CertificateAlgorithms {
  /// The context; nil for libcrypto's default context, if that is as fast or configured for other providers.
  // Unsafe only because it is a pointer: it is made once, never freed, and libcrypto lets many threads use one context.
  nonisolated(unsafe) static let context: OpaquePointer? = makeContext()

  /// The default provider in a separate context; the configuration of the process's context does not change.
  // Unsafe only because it is a pointer, as above.
  private nonisolated(unsafe) static let source: OpaquePointer? =
    OSSL_LIB_CTX_new().flatMap { OSSL_PROVIDER_load($0, "default") }

  // Unsafe only because they hold pointers: made once, never changed, and to constants of libcrypto.
  private nonisolated(unsafe) static let digests = list(OSSL_OP_DIGEST, ["SHA1", "SHA2-256", "SHA2-384", "SHA2-512"])
  private nonisolated(unsafe) static let keyTypes = list(OSSL_OP_KEYMGMT, ["EC", "RSA"])
  private nonisolated(unsafe) static let signatures = list(OSSL_OP_SIGNATURE, ["ECDSA", "RSA"])
  private nonisolated(unsafe) static let decoders = list(OSSL_OP_DECODER, ["EC", "RSA"]) {
    $0.contains("input=der") && $0.contains("structure=SubjectPublicKeyInfo")
  }

  private static func makeContext() -> OpaquePointer? {
    defer { ERR_clear_error() }
    let lists = [digests, keyTypes, signatures, decoders]
    // Version 3.5 is not faster with it.
    guard OPENSSL_version_major() == 3, OPENSSL_version_minor() == 0, isConfiguredAsUsual, source != nil,
      lists.allSatisfy({ $0.pointee.algorithm_names != nil }), let context = OSSL_LIB_CTX_new()
    else { return nil }
    let name = "certificates"
    guard OSSL_PROVIDER_add_builtin(context, name, initialize) == 1, OSSL_PROVIDER_load(context, name) != nil else {
      OSSL_LIB_CTX_free(context)
      return nil
    }
    return context
  }

  /// Whether the process's context has the default provider, and no validated provider instead.
  private static var isConfiguredAsUsual: Bool {
    OSSL_PROVIDER_available(nil, "default") == 1 && OSSL_PROVIDER_available(nil, "fips") == 0
      && EVP_default_properties_is_fips_enabled(nil) == 0
  }

  /// The entry point of the provider: its functions, and the default provider's state, which its algorithms work with.
  private static let initialize:
    @convention(c) (
      OpaquePointer?, UnsafePointer<OSSL_DISPATCH>?, UnsafeMutablePointer<UnsafePointer<OSSL_DISPATCH>?>?,
      UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32 = { _, _, functions, state in
      functions?.pointee = UnsafePointer(CertificateAlgorithms.functions)
      state?.pointee = OSSL_PROVIDER_get0_provider_ctx(CertificateAlgorithms.source)
      return 1
    }

  // Unsafe only because it is a pointer: made once, never changed and never freed.
  private nonisolated(unsafe) static let functions: UnsafeMutablePointer<OSSL_DISPATCH> = {
    let functions = UnsafeMutablePointer<OSSL_DISPATCH>.allocate(capacity: 2)
    let function = unsafeBitCast(algorithms, to: (@convention(c) () -> Void).self)
    functions.initialize(
      to: OSSL_DISPATCH(function_id: OSSL_FUNC_PROVIDER_QUERY_OPERATION, function: function))
    // An entry without a function ends the list.
    (functions + 1).initialize(to: OSSL_DISPATCH())
    return functions
  }()

  /// Returns the algorithms of a kind; nil if there are none.
  private static let algorithms:
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<Int32>?
    ) -> UnsafePointer<OSSL_ALGORITHM>? = { _, operation, mayChange in
      mayChange?.pointee = 0
      return switch operation {
      case OSSL_OP_DIGEST: CertificateAlgorithms.digests
      case OSSL_OP_KEYMGMT: CertificateAlgorithms.keyTypes
      case OSSL_OP_SIGNATURE: CertificateAlgorithms.signatures
      case OSSL_OP_DECODER: CertificateAlgorithms.decoders
      default: nil
      }
    }

  /// The default provider's algorithms with these names, as a list that is never freed.
  ///
  /// - Parameter fits: Whether to include an algorithm with these properties.
  private static func list(
    _ operation: Int32, _ names: Set<String>, where fits: (String) -> Bool = { _ in true }
  ) -> UnsafePointer<OSSL_ALGORITHM> {
    var chosen: [OSSL_ALGORITHM] = []
    var mayChange: Int32 = 0
    var next = OSSL_PROVIDER_query_operation(source, operation, &mayChange)
    while let algorithm = next?.pointee, let synonyms = algorithm.algorithm_names {
      // "EC:id-ecPublicKey:1.2.840.10045.2.1"
      let name = String(cString: synonyms).prefix { $0 != ":" }
      let properties = algorithm.property_definition.map { String(cString: $0) } ?? ""
      if names.contains(String(name)), fits(properties) { chosen.append(algorithm) }
      next = next?.successor()
    }
    let list = UnsafeMutablePointer<OSSL_ALGORITHM>.allocate(capacity: chosen.count + 1)
    // An entry without a name ends the list.
    list.initialize(from: chosen + [OSSL_ALGORITHM()], count: chosen.count + 1)
    return UnsafePointer(list)
  }
}
#endif
