import GemLedger
import StoreBackend

#if Receipts
import SystemCrypto
#endif

/// `reverse`, `transfer`, `exchange`, `basket`, `erase`.
struct EconomyCommands {
  let invocation: Invocation

  func reverse() throws {
    let parsed = invocation.parsed
    let id = try invocation.transactionID(parsed.positionals[0])
    let amounts = try invocation.amounts(from: 1)
    try book(
      .reverse(
        id, amounts: amounts.isEmpty ? nil : amounts, key: try invocation.key(), details: try invocation.details()))
  }

  func transfer() throws {
    let parsed = invocation.parsed
    guard let from = parsed.value("--from"), let to = parsed.value("--to") else {
      throw UsageError("\"transfer\" needs --from ID and --to ID", verb: parsed.verb)
    }
    let amounts = try invocation.amounts()
    let (sender, recipient) = (try invocation.customer(named: from), try invocation.customer(named: to))
    try book(
      .transfer(
        amounts, from: sender, to: recipient, key: try invocation.key(), details: try invocation.details()),
      isBasket: true)
  }

  func exchange() throws {
    let parsed = invocation.parsed
    guard let into = parsed.value("--into"), let rate = parsed.value("--rate") else {
      throw UsageError("\"exchange\" needs --into CODE and --rate N/D", verb: parsed.verb)
    }
    let amounts = try invocation.amounts()
    try book(
      .exchange(
        amounts[0], into: try CurrencyCode(into), rate: try self.rate(rate), customer: try invocation.customer(),
        key: try invocation.key(), details: try invocation.details()))
  }

  private func rate(_ text: String) throws(UsageError) -> ExchangeRate {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { PlainNumber(String($0)) }
    guard parts.count == 2, case .value(let numerator) = parts[0], case .value(let denominator) = parts[1] else {
      throw UsageError(
        "--rate takes N/D in plain digits, for example 100/1; got \(text.quotedForPeople)",
        verb: invocation.parsed.verb)
    }
    let word = invocation.parsed.value("--rounding").flatMap(ExchangeRate.Rounding.Kind.init(rawValue:))
    return ExchangeRate(numerator, for: denominator, rounding: ExchangeRate.Rounding(word ?? .down))
  }

  func basket() throws {
    let document = try BasketDocument(try FileAccess.read(invocation.parsed.positionals[0]))
    try book(
      .basket(document.legs, payer: document.payer, key: try invocation.key(), details: try invocation.details()),
      isBasket: true)
  }

  private func book(_ command: LedgerCommand, isBasket: Bool = false) throws {
    let booking = try invocation.book(command)
    let view = BookingView(booking, isDryRun: invocation.parsed.isDryRun, isBasket: isBasket)
    try invocation.print(view.json, { view.text(style: $0) })
  }
}

// MARK: Erasing

extension EconomyCommands {
  /// Erases a customer, named explicitly: the signed-in customer is no default, since an erasure cannot be undone.
  func erase() throws {
    let parsed = invocation.parsed
    guard let id = invocation.settings.customer else {
      throw UsageError("\"erase\" cannot be undone, and needs --customer ID", verb: parsed.verb)
    }
    let customer = try invocation.customer(named: id)
    // Read before they are erased. If there is no such customer, the command reports it.
    let ids = try? invocation.withLedger { (ledger) throws(LedgerError) in try ledger.customerIDs(of: customer) }
    let command = try invocation.withLedger { (ledger) throws(LedgerError) in
      try LedgerCommand.erase(customer, with: ids ?? [], in: ledger, digest: Self.digest)
    }
    let booking = try invocation.book(command)
    if let ids, !parsed.isDryRun {
      try invocation.withLedger { (ledger) throws(LedgerError) in try QuarantinedBodies.erase(ids, in: ledger) }
    }
    var json: JSONObject = [
      "transaction_id": JSONValue(booking.transactionID?.description), "customer_id": .string(booking.customer.text),
      "replayed": .bool(booking.isReplayed),
    ]
    if parsed.isDryRun { json["dry_run"] = true }
    let did = parsed.isDryRun ? "Would forget" : "Forgot"
    try invocation.print(
      .object(json),
      { "\(did) \($0.bold(SafeText.escaped(id))). In the books it is \(booking.customer) from now on.\n" })
  }

  private static func digest(_ text: String) -> [UInt8]? {
    #if Receipts
    TextDigest.sha256(of: text)
    #else
    nil
    #endif
  }
}
