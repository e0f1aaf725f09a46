extension Verb {
  /// Verbs for receipts of the home's simulated store and of real stores.
  static let receipts = [receiptShow, receiptInspect, receiptVerify, receiptRoot, receiptsHeld, receiptsCredit]

  private static let receiptShow = Verb(
    name: "receipt show", group: .store, summary: "Print the receipt of a store transaction",
    arguments: [.storeTransaction],
    options: [
      Option(
        "--environment", "NAME", kind: .oneOf(ReceiptCommands.environments),
        help: "Environment in the receipt: sandbox or production (default: the store's)")
    ],
    examples: ["gemctl receipt show 2000000000000001", "gemctl receipt show 2000000000000001 --environment sandbox"],
    discussion: """
      Prints the store's current signed receipt; after a refund it states the refund. "receipt inspect" decodes it. \
      Apple's server libraries only verify receipts of sandbox and production; let them trust the certificate of \
      "receipt root".
      """
  ) { try ReceiptCommands(invocation: $0).show() }

  private static let receiptsHeld = Verb(
    name: "receipts held", group: .store, summary: "List paid purchases that are not credited yet",
    options: [
      Option(
        "--reason", "REASON", kind: .oneOf(HeldReceiptCommands.reasons),
        help: "List only purchases held for this reason (default: all)"),
      .limit, .csv,
    ],
    examples: ["gemctl receipts held", "gemctl receipts held --reason product --json"],
    discussion: """
      A genuine purchase that cannot be credited is kept with the reason. It is credited automatically as soon as the \
      reason is gone: after "catalog apply", after its buyer signs in, or at its time.
      """
  ) { try HeldReceiptCommands(invocation: $0).list() }

  private static let receiptsCredit = Verb(
    name: "receipts credit", group: .store, summary: "Credit a held purchase manually",
    arguments: [.storeTransaction],
    options: [Option("--product", "CODE", help: "Product to credit (default: by the store's product id)"), .reason],
    examples: [#"gemctl receipts credit 2000000000000001 --reason "support case 17""#],
    discussion: """
      The purchase is credited once, to --customer, else to the customer of its token, else to the first poster. The \
      journal keeps the reason and the actor. A later refund of the store takes the credit back.
      """
  ) { try HeldReceiptCommands(invocation: $0).credit() }

  private static let receiptRoot = Verb(
    name: "receipt root", group: .store, summary: "Print the root certificate of the simulated App Store",
    examples: ["gemctl receipt root"],
    discussion: """
      The certificate is in PEM form, for programs that must trust the receipts of this home, such as server tests.
      """
  ) { try ReceiptCommands(invocation: $0).root() }

  private static let receiptInspect = Verb(
    name: "receipt inspect", group: .store, summary: "Decode a receipt and check its signature",
    arguments: [.receiptFile], options: trust,
    examples: ["gemctl receipt inspect receipt.jws", "gemctl receipt inspect receipt.jws --root AppleRootCA-G3.cer"],
    discussion: """
      FILE holds a signed transaction, renewal info, app transaction or notification of the App Store, the body of a \
      notification request, or a signed purchase of Google Play. Unproven claims are shown too. Without --root or \
      --fingerprint only receipts of this home's simulated store are trusted.
      """
  ) { try ReceiptCommands(invocation: $0).inspect() }

  private static let receiptVerify = Verb(
    name: "receipt verify", group: .store, summary: "Verify a receipt",
    arguments: [.receiptFile], options: trust,
    examples: [
      "gemctl receipt verify receipt.jws", "gemctl receipt verify - --root AppleRootCA-G3.cer --app-id 1234567890",
    ],
    discussion: """
      Exits with 0 if every check passes; otherwise with 65, and the error names the first failed check. Without \
      --root or --fingerprint only receipts of this home's simulated store are trusted.
      """
  ) { try ReceiptCommands(invocation: $0).verify() }

  private static let trust = [
    Option(
      "--root", "FILE", kind: .file, isRepeatable: true,
      help: "Trust this root certificate, DER or PEM, for example AppleRootCA-G3.cer"),
    Option("--fingerprint", "SHA256", isRepeatable: true, help: "Trust the root certificate with this SHA-256"),
    Option("--play-key", "FILE", kind: .file, help: "Trust this licensing key of the Play Console"),
    Option("--bundle-id", "ID", help: "Require this bundle id"),
    Option("--app-id", "N", help: "Require this App Store app id; needed for production"),
  ]
}

extension Argument {
  fileprivate static let receiptFile = Argument("FILE", kind: .file, help: "Receipt file; \"-\" for standard input")
}
