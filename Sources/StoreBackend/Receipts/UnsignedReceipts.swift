public import GemLedger

/// Receipts without a signature, from a simulated store of this process or home.
///
/// They look like the stores' signed receipts: a compact JWS with Apple's or Google's field names and units. But every
/// client that can post such a receipt can make one. Therefore they are accepted only from one environment, which must
/// be a test environment. Use this verifier only if the simulated store is the backend's only store, never next to a
/// real store.
///
/// ```swift
/// let receipts = UnsignedReceipts(session: "demo")
/// let backend = try LocalBackend(ledger: ledger, verifier: receipts)
/// ```
public struct UnsignedReceipts: ReceiptVerifier {
  /// The maximum size of a receipt, in bytes.
  public static let byteCountMax = 32_768

  /// The only environment with accepted receipts.
  public let environment: StoreEnvironment
  /// The first segment of every receipt, which names the environment.
  private let header: [UInt8]

  /// False: without a signature, the price is not proven.
  public var provesPrices: Bool { false }

  /// Creates a verifier for one test environment.
  ///
  /// - Parameter environment: Xcode's or local testing, with its session.
  /// - Throws: `LedgerError` with `configuration` for production or the sandbox, where receipts are always signed.
  public init(environment: StoreEnvironment) throws(LedgerError) {
    guard let session = environment.session else {
      throw LedgerError(
        .configuration,
        "Receipts of the \(environment) environment are signed; only a test session can have unsigned ones.")
    }
    self.environment = environment
    var header: [UInt8] = []
    let document: JSONValue = [
      "alg": "none", "typ": "JWT", "kid": .string(session), "env": .string(ReceiptForm.name(of: environment)),
    ]
    Base64URL.append(Array(document.text().utf8), to: &header)
    self.header = header
  }

  /// Returns a receipt for the transaction in its present state.
  ///
  /// The transaction's environment must be this verifier's. The price must be a whole number of thousandths; another
  /// price is omitted, as stores may do.
  public func receipt(for transaction: StoreTransaction) -> StoreReceipt {
    var text = header
    text.append(ReceiptForm.dot)
    Base64URL.append(ReceiptForm.payload(of: transaction), to: &text)
    text.append(ReceiptForm.dot)
    return StoreReceipt(String(decoding: text, as: UTF8.self))
  }

  /// Reads the receipt and checks its environment.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `receipt_malformed`; `receipt_unverified` with the detail
  ///   `check`, which is `signature` (a signature is present), `algorithm`, or `environment`.
  public func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    var text = receipt.text
    guard text.utf8.count <= Self.byteCountMax else {
      throw ReceiptFields.malformed("it has \(text.utf8.count) bytes; the most is \(Self.byteCountMax)")
    }
    let payload = try text.withUTF8 { bytes in
      Result { () throws(LedgerError) -> [UInt8] in try self.payload(of: bytes) }
    }.get()
    let fields = try ReceiptFields(payload)
    guard try ReceiptForm.environmentName(in: fields) == ReceiptForm.name(of: environment) else {
      throw Self.unverified("environment", "its environment is not \(environment)")
    }
    return try ReceiptForm.transaction(from: fields, environment: environment)
  }

  private func payload(of bytes: UnsafeBufferPointer<UInt8>) throws(LedgerError) -> [UInt8] {
    guard let first = bytes.firstIndex(of: ReceiptForm.dot), let last = bytes.lastIndex(of: ReceiptForm.dot),
      first < last
    else { throw ReceiptFields.malformed("it does not have three segments") }
    let (head, body) = (bytes[..<first], UnsafeBufferPointer(rebasing: bytes[(first + 1)..<last]))
    guard let payload = Base64URL.decode(body) else {
      let isOfMore = body.contains(ReceiptForm.dot)
      throw ReceiptFields.malformed(isOfMore ? "it does not have three segments" : "its payload is not base64url")
    }
    // The header of this verifier's receipts always has identical bytes.
    let isOwn = header.withUnsafeBufferPointer { Bytes.areEqual(UnsafeBufferPointer(rebasing: head), $0) }
    if !isOwn { try refuse(header: UnsafeBufferPointer(rebasing: head)) }
    guard last == bytes.count - 1 else {
      throw Self.unverified("signature", "it has a signature, which this verifier cannot check")
    }
    return payload
  }

  /// Throws the error that describes a foreign header.
  private func refuse(header: UnsafeBufferPointer<UInt8>) throws(LedgerError) {
    guard let bytes = Base64URL.decode(header) else { throw ReceiptFields.malformed("its header is not base64url") }
    let fields = try ReceiptFields(bytes)
    guard try fields["alg"].shortText() == "none" else {
      throw Self.unverified("algorithm", "it is signed, and this verifier has no keys")
    }
    throw Self.unverified("environment", "it is of another test session")
  }

  private static func unverified(_ check: String, _ what: String) -> LedgerError {
    LedgerError(.receiptUnverified, "The receipt cannot be trusted: \(what).", details: [.text("check", check)])
  }
}

extension UnsignedReceipts {
  /// Creates a verifier for receipts of a simulated store on this machine.
  ///
  /// - Parameter session: Names the test session.
  /// - Throws: `LedgerError` with `invalid_identifier` for an invalid session name.
  public init(session: String) throws(LedgerError) {
    try self.init(environment: .localTesting(session: session))
  }
}
