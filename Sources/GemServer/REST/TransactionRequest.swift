#if Server
internal import GemLedger
internal import SystemHTTP

/// A transaction in the form of RevenueCat's clients: signed amounts by currency, all or none.
struct TransactionRequest {
  private let call: Call
  private let customer: CustomerID
  private let adjustments: [Adjustment]
  private let command: LedgerCommand

  /// - Throws: `LedgerError` with `invalid_identifier`, `invalid_request`.
  init(_ call: Call) throws(LedgerError) {
    self.call = call
    customer = try call.customer()
    adjustments = try Self.adjustments(in: call.body)
    var details = CommandDetails()
    if let text = call.body["reference"]?.text {
      do throws(LedgerError) { details.reference = try Reference(text) } catch { throw error.about("reference") }
    }
    command = .adjust(adjustments, customer: customer, details: details)
  }

  private static func adjustments(in body: JSONObject) throws(LedgerError) -> [Adjustment] {
    var adjustments: [Adjustment] = []
    for (code, amount) in body["adjustments"]?.object?.members ?? [] {
      guard let currency = CurrencyCode(exactly: code) else {
        throw .parameter(
          "adjustments", "names \"\(code.prefix(40))\", which is no code: 1 to 10 of A-Z, a-z, 0-9 and _")
      }
      adjustments.append(Adjustment(currency, amount.integer ?? 0))
    }
    return adjustments
  }

  /// Books or previews the transaction, and returns the available amounts after it.
  ///
  /// - Throws: `LedgerError` as `Ledger.book(_:)` of an adjustment.
  func book() async throws(LedgerError) -> (booking: Booking, balances: [BalanceList.Item]) {
    let booking = try await call.book(command)
    if let told = balancesToldBy(booking) { return (booking, told) }
    return (booking, try balances(after: booking))
  }

  /// Returns the amounts in the booking; nil if the booking is replayed.
  ///
  /// It saves a read after the commit, which is slow since none of its pages are cached.
  private func balancesToldBy(_ booking: Booking) -> [BalanceList.Item]? {
    guard !booking.isReplayed, let definitions = call.project.ledger.catalog.lastRead else { return nil }
    var items: [BalanceList.Item] = []
    for code in adjustments.map(\.currency).sorted() {
      guard let entry = booking.entries.last(where: { $0.currency == code }), let held = entry.held.amount,
        let currency = definitions.currency(code)
      else { return nil }
      items.append(
        BalanceList.Item(
          currency: code, name: definitions.name(of: currency.number),
          description: definitions.description(of: currency.number), available: max(0, entry.balance - held)))
    }
    return items
  }

  /// Returns the current amounts; for a replayed booking the amounts after the first call.
  private func balances(after booking: Booking) throws(LedgerError) -> [BalanceList.Item] {
    let ledger = call.project.ledger
    let instant = booking.isReplayed ? booking.createdAt : nil
    let wanted = Set(adjustments.map(\.currency))
    // A past balance reads the journal once per currency.
    let balances =
      if let only = wanted.first, wanted.count == 1 {
        [try ledger.balance(of: only, customer: customer, at: instant)]
      } else {
        try ledger.balances(of: customer, at: instant).filter { wanted.contains($0.currency) }
      }
    return balances.map {
      // Another command may have changed the balance since; the entry has the balance after this command.
      BalanceList.Item($0, available: max(0, (booking.balance($0.currency) ?? $0.balance) - $0.held))
    }
  }

  // MARK: Forms

  static let body = Schema.object([
    Schema.Field(
      "adjustments", .byCurrency(.integer(-Limits.amount...Limits.amount), 1...Limits.adjustmentsPerRequest),
      "Amounts by currency code: negative spends, positive grants, none is 0; all are booked or none.",
      isRequired: true),
    Schema.Field(
      "reference", .nullable(RESTSchemas.identifier(Limits.referenceBytes)),
      "The caller's name for the transaction."),
  ])

  static let key = Parameter(
    Call.keyField, .text(1...IdempotencyKeyKind.byteCountMax),
    "Send the same key with every retry: the request is done once, and a retry gets the first answer. A key belongs to"
      + " its customer, and is kept for ever.")
}
#endif
