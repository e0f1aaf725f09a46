extension Verb {
  /// Receipts, of the home's simulated store and of real ones.
  static let receipts = [receiptShow, receiptInspect, receiptVerify, receiptRoot, receiptsHeld, receiptsCredit]

  private static let receiptShow = Verb(
    name: "receipt show", group: .store, summary: "Print the receipt of a store transaction",
    arguments: [.storeTransaction],
    options: [
      Option(
        name: "--environment", value: "NAME", kind: .oneOf(ReceiptCommands.environments),
        help: "As a receipt of the sandbox or of production, for code that takes those only")
    ],
    examples: [
      "gemctl receipt show 2000000000000001", "gemctl receipt show 2000000000000001 --environment sandbox",
    ],
    discussion: """
      The signed evidence as the store gives it now: after a refund it states the refund. "receipt inspect" reads it. \
      Apple's server libraries verify receipts of the sandbox and of production only; give them the certificate of \
      "receipt root" as the root that they trust.
      """
  ) { try ReceiptCommands(invocation: $0).show() }

  private static let receiptsHeld = Verb(
    name: "receipts held", group: .store, summary: "List paid purchases that are not credited yet",
    options: [
      Option(
        name: "--reason", value: "REASON", kind: .oneOf(HeldReceiptCommands.reasons),
        help: "Those held for this reason only"),
      .limit, .csv,
    ],
    examples: ["gemctl receipts held", "gemctl receipts held --reason product --json"],
    discussion: """
      A genuine purchase that cannot be credited is kept with its reason. It is credited by itself once the reason is \
      gone: after "catalog apply", once its buyer signs in, or when its time has come.
      """
  ) { try HeldReceiptCommands(invocation: $0).list() }

  private static let receiptsCredit = Verb(
    name: "receipts credit", group: .store, summary: "Credit a held purchase by your own decision",
    arguments: [.storeTransaction],
    options: [
      Option(name: "--product", value: "CODE", help: "As this product (default: the one with its id at the store)"),
      .reason,
    ],
    examples: [
      #"gemctl receipts credit 2000000000000001 --reason "support case 17""#
    ],
    discussion: """
      It is credited to --customer, or else to whom its token names, or who posted it first; once, as every purchase. \
      The journal keeps the reason and the actor. Later refunds of the store take it back.
      """
  ) { try HeldReceiptCommands(invocation: $0).credit() }

  private static let receiptRoot = Verb(
    name: "receipt root", group: .store, summary: "Print the root certificate of the simulated App Store",
    examples: ["gemctl receipt root"],
    discussion: """
      PEM, for whoever is to trust this home's receipts, such as a test of a server. The keys stay in the home.
      """
  ) { try ReceiptCommands(invocation: $0).root() }

  private static let receiptInspect = Verb(
    name: "receipt inspect", group: .store, summary: "Show what a receipt says, and whether it verifies",
    arguments: [.receiptFile], options: trust,
    examples: [
      "gemctl receipt inspect receipt.jws", "gemctl receipt inspect receipt.jws --root AppleRootCA-G3.cer",
    ],
    discussion: """
      Takes a signed transaction, renewal info, app transaction or notification of the App Store, the body of a \
      notification's request, or a purchase of Google Play with its signature. Claims are shown whether they are \
      proven or not. Without --root or --fingerprint only receipts of this home's simulated store are trusted.
      """
  ) { try ReceiptCommands(invocation: $0).inspect() }

  private static let receiptVerify = Verb(
    name: "receipt verify", group: .store, summary: "Fail unless a receipt verifies",
    arguments: [.receiptFile], options: trust,
    examples: [
      "gemctl receipt verify receipt.jws", "gemctl receipt verify - --root AppleRootCA-G3.cer --app-id 1234567890",
    ],
    discussion: """
      Exit status 0 where every check passes; else 65, and the error names the first check that failed. Without --root \
      or --fingerprint only receipts of this home's simulated store are trusted.
      """
  ) { try ReceiptCommands(invocation: $0).verify() }

  private static let trust = [
    Option(
      name: "--root", value: "FILE", kind: .file, isRepeatable: true,
      help: "Trust this root certificate, DER or PEM, such as AppleRootCA-G3.cer"),
    Option(
      name: "--fingerprint", value: "SHA256", isRepeatable: true,
      help: "Trust the root certificate with this SHA-256"),
    Option(name: "--play-key", value: "FILE", kind: .file, help: "Trust this licensing key of the Play Console"),
    Option(name: "--bundle-id", value: "ID", help: "The app that the receipt must be for"),
    Option(
      name: "--app-id", value: "N", help: "The app's number at the App Store; production is accepted with it only"),
  ]
}

extension Argument {
  fileprivate static let receiptFile = Argument(name: "FILE", kind: .file, help: "The receipt; - is standard input")
}
