#if Server
package import GemLedger

extension Parameter {
  /// The parameter with which a booking operation only previews its result.
  package static let dryRun = Parameter(
    "dry_run", .boolean, "Whether to book nothing: the answer is a preview of the booking, without ids.")
  /// The key that makes repeating a request safe.
  package static let idempotencyKey = Parameter(
    Call.keyField, .text(1...IdempotencyKeyKind.byteCountMax),
    "Send the same key with every retry: the request is done once, and a retry gets the first answer.")
}

extension Call {
  /// Whether the call only previews its result.
  package var isDryRun: Bool { query["dry_run"]?.bool ?? false }

  /// Books a command under the call's key, or previews it in a dry run.
  ///
  /// The journal names the calling key as the actor, unless the command names an actor.
  ///
  /// - Throws: `LedgerError` as ``Ledger/book(_:)``, and `invalid_identifier` for the key.
  package func book(_ command: LedgerCommand) async throws(LedgerError) -> Booking {
    let command = try commandOfCaller(command)
    return isDryRun ? try project.ledger.preview(command) : try await project.ledger.book(command)
  }

  /// Returns the command with the call's key, and with the caller as its actor.
  package func commandOfCaller(_ command: LedgerCommand) throws(LedgerError) -> LedgerCommand {
    var command = command
    command.key = try idempotencyKey()
    if command.actor == nil { command.actor = try actor }
    return command
  }

  /// The caller as the journal's actor: `key:` and the key's id; nil without a key.
  package var actor: ActorName? {
    get throws(LedgerError) { caller.keyID.isEmpty ? nil : try ActorName("key:\(caller.keyID)") }
  }
}

// MARK: The body

extension Call {
  /// Returns the text of a member; nil if it is missing or null.
  func text(_ name: String) -> String? { body[name]?.text }

  /// Returns the reference and the reason in the body.
  func details() throws(LedgerError) -> CommandDetails {
    var details = CommandDetails()
    if let text = text("reference") { details.reference = try Reference(text) }
    if let text = text("reason") { details.reason = try Reason(text) }
    return details
  }

  /// Returns the amounts by currency code; nil if the member is missing or null.
  func amounts() throws(LedgerError) -> [Adjustment]? {
    guard let object = body["adjustments"]?.object else { return nil }
    var amounts: [Adjustment] = []
    for (code, amount) in object.members {
      amounts.append(Adjustment(try CurrencyCode(code), amount.integer ?? 0))
    }
    return amounts
  }

  /// Returns a member as a number of seconds.
  func seconds(_ name: String) -> Duration? { body[name]?.integer.map { .seconds($0) } }
}

extension Schema {
  /// A text that is a valid identifier of the ledger.
  static func identifier(_ lengthMax: Int) -> Schema {
    .text(1...lengthMax, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]+$")
  }

  /// An instant in a request, in milliseconds since 1970.
  static let requestedInstant = Schema.integer(0...Limits.expiryMilliseconds)
  static let amount = Schema.integer(1...Limits.amount)
}

extension Schema.Field {
  /// Positive amounts by currency code.
  static func amounts(_ help: String, isRequired: Bool = true) -> Self {
    let map = Schema.byCurrency(.amount, 1...Limits.adjustmentsPerRequest)
    return Self("adjustments", isRequired ? map : .nullable(map), help, isRequired: isRequired)
  }

  static let reference = Self(
    "reference", .nullable(.identifier(Limits.referenceBytes)), "The caller's name for the subject.")
  static let reason = Self("reason", .nullable(.identifier(Limits.reasonBytes)), "The reason, for people.")
}
#endif
