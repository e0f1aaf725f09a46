#if Server
internal import GemLedger
internal import GemServer
internal import StoreBackend
internal import SystemCrypto

/// What support does to a customer's wallet: the commands of the API, with preview, key, reason and actor.
enum CustomerActions {
  static let all = [
    grant, spend, freeze, unfreeze, merge, unmerge, erase, reverse, capture, release,
  ]

  private static let path = "customers/{customer}"

  // MARK: Currency

  private static let grant = Action.booking(
    "Grant currency", "\(path)/grant", .purchases.writing,
    fields: { (visit) throws(LedgerError) in
      try amountFields(visit) + [
        Field("expires", "Expires", hint: "Such as 2027-01-31T00:00:00Z; never without it.", isRequired: false)
      ]
    },
    command: { (visit) throws(LedgerError) in
      let (amount, details) = try amount(in: visit)
      let expiry = try visit.form["expires"].map { (text) throws(LedgerError) in
        guard let time = Timestamp(text) else {
          throw .invalid("Write the expiry with its zone, such as 2027-01-31T00:00:00Z.")
        }
        return time
      }
      return .grant([amount], customer: try visit.customer(), expiresAt: expiry, details: details)
    })

  private static let spend = Action.booking(
    "Spend currency", "\(path)/spend", .purchases.writing, fields: amountFields
  ) { (visit) throws(LedgerError) in
    let (amount, details) = try amount(in: visit)
    return try .spend([amount], customer: try visit.customer(), details: details)
  }

  /// The currency with its balance, and the amount; the versions make a stale page fail.
  private static func amountFields(_ visit: Visit) throws(LedgerError) -> [Field] {
    let balances = try visit.ledger.balances(of: try visit.customer()).filter(\.isActive)
    let options = balances.map { balance in
      (
        value: "\(balance.currency):\(balance.version)",
        name: "\(balance.currency) (\(balance.name), \(visit.reader.plain(balance.available)) available)"
      )
    }
    let first = balances.firstIndex { $0.available > 0 }.map { options[$0].value }
    return [
      Field("currency", "Currency", .choice(options), value: first ?? ""),
      Field("amount", "Amount", .amount, hint: "A whole number in plain digits."),
    ]
  }

  private static func amount(in visit: Visit) throws(LedgerError) -> (Adjustment, CommandDetails) {
    let parts = (visit.form["currency"] ?? "").split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, let version = Int64(parts[1]) else { throw .invalid("Choose a currency.") }
    let code = try CurrencyCode(parts[0])
    return (Adjustment(code, try visit.amount("amount")), CommandDetails(conditions: [.version(code, version)]))
  }

  // MARK: State and identity

  private static let freeze = Action.booking("Freeze", "\(path)/freeze", .customers.writing) {
    (visit) throws(LedgerError) in .freeze(try visit.customer())
  }

  private static let unfreeze = Action.booking("Unfreeze", "\(path)/unfreeze", .customers.writing) {
    (visit) throws(LedgerError) in .unfreeze(try visit.customer())
  }

  private static let merge = Action.booking(
    "Merge into another customer", "\(path)/merge", .customers.writing, .purchases.writing,
    fields: { (_) throws(LedgerError) in
      [Field("into", "Into the customer", hint: "An id of the customer that survives. Both ids name it afterwards.")]
    },
    command: { (visit) throws(LedgerError) in
      .merge(from: try visit.customer(), into: try CustomerID(visit.form["into"] ?? ""))
    })

  private static let unmerge = Action.booking(
    "Undo the merge of an id", "\(path)/unmerge", .customers.writing, .purchases.writing,
    fields: { (_) throws(LedgerError) in
      [Field("id", "The id", hint: "An id that the merged customer had. It becomes a customer of its own again.")]
    },
    command: { (visit) throws(LedgerError) in
      .unmerge(try CustomerID(visit.form["id"] ?? ""), from: try visit.customer())
    })

  private static let erase = Action(
    "Erase personal data", "\(path)/erase", .customers.writing, isFinal: true,
    fields: { (_) throws(LedgerError) in
      [
        Field(
          "typed", "Type the customer's id", hint: "The id as this page's address has it. An erasure cannot be undone.")
      ]
    },
    change: { (visit) throws(LedgerError) in
      let customer = try visit.customer()
      guard visit.form["typed"]?.hasBytes(of: customer.text) ?? false else {
        throw .invalid("The typed id is not the id of this customer.")
      }
      let ids = try visit.ledger.customerIDs(of: customer)
      var command = try LedgerCommand.erase(customer, with: ids, in: visit.ledger, digest: TextDigest.sha256)
      command.actor = try visit.session.actor
      let preview = try visit.ledger.preview(command)
      let view = HTML.group([
        BookingView(preview, visit.reader).html, .p("These ids are removed, with attributes, keys and notes:"),
        .list(ids.map { .foreign($0.text) }),
      ])
      return Action.Change(preview: view) { [command] () async throws(LedgerError) in
        let booking = try await visit.ledger.book(command)
        try visit.project.quarantine.erase(ids)
        visit.recordChange("A customer was erased.", ["customer": .string(booking.customer.text)])
        return .seeOther(ConsolePath("customers", booking.customer.text, query: ["note": "booked"]))
      }
    })

  // MARK: Transactions and holds

  private static let reverse = Action.booking(
    "Reverse", "transactions/{transaction}/reverse", .purchases.writing
  ) { (visit) throws(LedgerError) in .reverse(try visit.transactionID()) }

  private static let capture = Action.booking("Capture", "holds/{transaction}/capture", .purchases.writing) {
    (visit) throws(LedgerError) in .capture(HoldID(try visit.transactionID()))
  }

  private static let release = Action.booking("Release", "holds/{transaction}/release", .purchases.writing) {
    (visit) throws(LedgerError) in .release(HoldID(try visit.transactionID()))
  }
}
#endif
