import GemLedger
import SimulatedStores
import StoreBackend

#if Receipts
import StoreReceipts
#endif

/// `receipt show`, `receipt inspect` and `receipt verify`.
struct ReceiptCommands {
  let invocation: Invocation

  /// Prints the receipt of one of the home's store transactions.
  func show() throws {
    let id = invocation.parsed.positionals[0]
    let environment = invocation.parsed.value("--environment")
    let receipt = try invocation.withClient(onlyReads: true) { (session) throws(LedgerError) -> StoreReceipt in
      let bought = try session.store.transaction(named: id)
      return try Self.receipt(of: bought.transaction, by: session.receipts, as: environment)
    }
    try invocation.print(["receipt": .string(receipt.text)], { _ in receipt.text + "\n" })
  }
}

extension ReceiptCommands {
  /// The environments of `receipt show`, instead of the home's.
  static let environments = ["sandbox", "production"]
}

#if Receipts
extension ReceiptCommands {
  private static func receipt(
    of transaction: StoreTransaction, by receipts: any SimulatedReceipts, as name: String?
  ) throws(LedgerError) -> StoreReceipt {
    guard let name else { return receipts.receipt(for: transaction) }
    guard let receipts = receipts as? LocalReceipts else {
      throw .invalid("Google Play's purchases name no environment: leave --environment out.")
    }
    var transaction = transaction
    transaction.environment = name == "production" ? .production : .sandbox
    // The number is compared by verifiers, and no transaction carries it.
    let signer = try LocalReceipts(authority: receipts.authority, environment: transaction.environment, appAppleID: 1)
    return signer.receipt(for: transaction)
  }

  func root() throws {
    let state = try invocation.clientState()
    guard state.store == .apple else {
      throw LedgerError.invalid("Google Play signs with a key, without certificates.")
    }
    guard let home = try invocation.clientHome() else {
      throw LedgerError.invalid("There is no home with keys of a store.")
    }
    let pem = try LocalAuthority(file: home.authorityPath).rootPEM
    try invocation.print(["root": .string(pem)], { _ in pem })
  }

  func inspect() throws {
    let inspection = try inspection()
    try invocation.print(Self.json(inspection), { Self.text(inspection, style: $0) })
  }

  func verify() throws {
    let inspection = try inspection()
    if let failure = inspection.failure { throw failure }
    try invocation.print(Self.json(inspection), { _ in "Verified: every check passed.\n" })
  }

  private func inspection() throws -> ReceiptInspection {
    let parsed = invocation.parsed
    let bytes = try FileAccess.read(parsed.positionals[0])
    let roots = try trustedRoots()
    let own = roots.isEmpty ? try homeTrust() : (environments: [], roots: [], play: nil)
    let appID = try parsed.integer("--app-id", in: 1...Int64.max)
    let environments: Set<StoreEnvironment> = appID == nil ? [.sandbox] : [.sandbox, .production]
    let app = AppleApp(
      bundleID: parsed.value("--bundle-id"), appAppleID: appID,
      environments: roots.isEmpty ? own.environments : environments)
    var play = try playVerifier() ?? own.play
    play?.packageName = parsed.value("--bundle-id")
    return ReceiptInspection(
      Self.text(of: bytes), apple: try AppleVerifier(app: app, roots: roots.isEmpty ? own.roots : roots), play: play)
  }

  /// The roots that the command line names.
  private func trustedRoots() throws -> [TrustedRoot] {
    try invocation.parsed.values("--root").map { try TrustedRoot(certificate: try FileAccess.read($0)) }
      + invocation.parsed.values("--fingerprint").map { try TrustedRoot(fingerprint: $0) }
  }

  private func playVerifier() throws -> PlayVerifier? {
    try invocation.parsed.value("--play-key") { path in
      let text = String(decoding: try FileAccess.read(path), as: UTF8.self)
      return try PlayVerifier(publicKey: text.filter { !$0.isWhitespace }, environment: .production)
    }
  }

  /// Returns the trust in the home's simulated store; empty without a home.
  private func homeTrust() throws -> (environments: Set<StoreEnvironment>, roots: [TrustedRoot], play: PlayVerifier?) {
    guard let home = try invocation.clientHome(), home.isComplete else { return ([], [], nil) }
    let state = try home.state()
    // A home that has signed nothing has no keys yet, and reading a receipt makes none.
    guard FileAccess.exists(state.store == .google ? home.playKeyPath : home.authorityPath) else {
      return ([], [], nil)
    }
    let environment = try StoreEnvironment.localTesting(session: state.storeSession)
    switch try HomeReceipts.open(state.store, environment, in: home) {
    case let receipts as LocalReceipts: return ([environment], [receipts.authority.root], nil)
    case let receipts as LocalPlayReceipts: return ([], [], receipts.verifier)
    default: return ([], [], nil)
    }
  }

  /// Returns the signed text: the file's text without surrounding white space, or the text in a notification's request.
  private static func text(of file: [UInt8]) -> String {
    let spaces: [UInt8] = [ASCII.space, ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn]
    var body = file.drop { spaces.contains($0) }
    while let last = body.last, spaces.contains(last) { body.removeLast() }
    let text = String(decoding: body, as: UTF8.self)
    guard body.count <= 2 * AppleVerifier.notificationByteCountMax else { return text }
    // A text that is no JSON is taken as it is.
    return (try? JSONValue.parse(text))?["signedPayload"]?.text ?? text
  }

  private static func json(_ inspection: ReceiptInspection) -> JSONValue {
    var object = JSONObject([
      ("kind", JSONValue(inspection.kind?.rawValue)), ("verified", .bool(inspection.failure == nil)),
      ("code", JSONValue(inspection.failure?.code.description)),
      ("check", JSONValue(inspection.failure?.text("check"))),
      ("message", JSONValue(inspection.failure?.message)),
    ])
    object["claims"] = inspection.claims.flatMap { try? JSONValue.parse($0.json) } ?? .null
    return .object(object)
  }

  private static func text(_ inspection: ReceiptInspection, style: Style) -> String {
    var text = inspection.kind.map { "\(style.bold("Kind")): \($0.rawValue)\n" } ?? ""
    if let failure = inspection.failure {
      let check = failure.text("check").map { " (\($0))" } ?? ""
      text += "\(style.bold("Verifies")): no\(check). \(plain(failure.message))\n"
    } else {
      text += "\(style.bold("Verifies")): yes, every check passed.\n"
    }
    guard let claims = inspection.claims else { return text }
    var table = Table([.left("claim"), .text("value")])
    for (name, json) in claims.all { table.add([plain(name), value(name, json)]) }
    return text + table.text(style: style)
  }

  /// A claim as people read it: times with their date, long texts cut.
  private static func value(_ name: String, _ json: String) -> String {
    // Texts without the quotes, and all else as it is.
    let value = plain((try? JSONValue.parse(json))?.text ?? json)
    let isTime = name.hasSuffix("Date") || name.hasSuffix("TimeMillis")
    if isTime, let milliseconds = Int64(value) { return "\(value) (\(Timestamp(milliseconds: milliseconds)))" }
    return value.count > 100 ? "\(value.prefix(97))..." : value
  }

  /// An unverified receipt may contain control characters for the terminal.
  private static func plain(_ text: String) -> String {
    ControlCharacters.occur(in: text) ? JSONValue.string(text).text() : text
  }
}
#else
extension ReceiptCommands {
  private static func receipt(
    of transaction: StoreTransaction, by receipts: any SimulatedReceipts, as name: String?
  ) throws(LedgerError) -> StoreReceipt {
    if name != nil { throw LedgerError.builtWithoutCrypto }
    return receipts.receipt(for: transaction)
  }

  func root() throws { throw LedgerError.builtWithoutCrypto }
  func inspect() throws { throw LedgerError.builtWithoutCrypto }
  func verify() throws { throw LedgerError.builtWithoutCrypto }
}
#endif
