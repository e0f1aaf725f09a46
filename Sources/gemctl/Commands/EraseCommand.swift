import GemLedger
import LedgerCharts
import StoreBackend

#if Receipts
import SystemCrypto
#endif

/// `erase`: forgets a customer's personal data.
struct EraseCommand {
  let invocation: Invocation

  /// Erases a customer, named explicitly: the signed-in customer is no default, since an erasure cannot be undone.
  func run() throws {
    let parsed = invocation.parsed
    guard let id = invocation.settings.customer else {
      throw invocation.usageError("\"erase\" cannot be undone, and needs --customer ID")
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
