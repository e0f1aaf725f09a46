public import GemLedger

/// Receipts without a signature, from the simulated store of this process or home.
///
/// They look like the stores' signed ones, a compact JWS with Apple's or Google's field names and units, but nothing
/// proves their origin: every client that can post one can make one. That is why they are accepted only from the one
/// environment that this was made for, and why only test environments can be named. Give a backend this verifier where
/// the simulated store is the only store, and never beside a real one.
///
/// ```swift
/// let receipts = UnsignedReceipts(session: "demo")
/// let backend = try LocalBackend(ledger: ledger, verifier: receipts)
/// ```
public struct UnsignedReceipts: ReceiptVerifier {
  /// Longest receipt that is looked at, in bytes.
  public static let byteCountMax = 32_768

  /// The only environment with accepted receipts.
  public let environment: StoreEnvironment
  /// The first segment of every receipt, which names the environment.
  private let header: [UInt8]

  /// False: nobody vouches for a price.
  public var provesPrices: Bool { false }

  /// Makes receipts of one test environment.
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

  /// The receipt of a transaction as it is now.
  ///
  /// The transaction's environment must be this one, and its price a whole number of thousandths; another price is
  /// left out, as stores may.
  public func receipt(for transaction: StoreTransaction) -> StoreReceipt {
    var text = header
    text.append(ReceiptForm.dot)
    Base64URL.append(ReceiptForm.payload(of: transaction), to: &text)
    text.append(ReceiptForm.dot)
    return StoreReceipt(String(decoding: text, as: UTF8.self))
  }

  /// Reads the receipt and checks that it comes from this environment.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `receipt_malformed`; `receipt_unverified` with the detail
  ///   `check`, which is `signature` (it has one), `algorithm`, or `environment`.
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
      throw Self.unverified("environment", "it comes from another environment than \(environment)")
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
    // The header of our own receipts is always the same bytes.
    let isOwn = header.withUnsafeBufferPointer { Bytes.areEqual(UnsafeBufferPointer(rebasing: head), $0) }
    if !isOwn { try refuse(header: UnsafeBufferPointer(rebasing: head)) }
    guard last == bytes.count - 1 else {
      throw Self.unverified("signature", "it has a signature, which nobody here checks")
    }
    return payload
  }

  /// Throws the error that describes a header other than ours.
  private func refuse(header: UnsafeBufferPointer<UInt8>) throws(LedgerError) {
    guard let bytes = Base64URL.decode(header) else { throw ReceiptFields.malformed("its header is not base64url") }
    let fields = try ReceiptFields(bytes)
    guard try fields.text("alg") == "none" else {
      throw Self.unverified("algorithm", "it is signed, and this verifier knows no keys")
    }
    throw Self.unverified("environment", "it comes from another test session than this one's")
  }

  private static func unverified(_ check: String, _ what: String) -> LedgerError {
    LedgerError(.receiptUnverified, "The receipt is not to be trusted: \(what).", details: [.text("check", check)])
  }
}

extension UnsignedReceipts {
  /// Receipts of a simulated store on this machine.
  ///
  /// - Parameter session: Names the test session.
  /// - Throws: `LedgerError` with `invalid_identifier` when the session's name is none.
  public init(session: String) throws(LedgerError) {
    try self.init(environment: .localTesting(session: session))
  }
}
