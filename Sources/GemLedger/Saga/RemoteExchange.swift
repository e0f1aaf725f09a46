/// An exchange of this ledger's currency for a currency of another server.
public struct RemoteExchange: Hashable, Sendable {
  /// The customer, with the same id on both sides.
  public let customer: CustomerID
  /// The source amount, taken here.
  public let gives: CurrencyAmount
  /// The target amount, credited there.
  public let gets: CurrencyAmount

  /// Makes an exchange of one amount for another.
  public init(customer: CustomerID, gives: CurrencyAmount, gets: CurrencyAmount) {
    self.customer = customer
    self.gives = gives
    self.gets = gets
  }

  /// Makes an exchange at a rate.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `amount_out_of_range` for amounts or a rate out of bounds,
  ///   `rounds_to_zero`.
  public init(
    customer: CustomerID, gives: CurrencyAmount, into currency: CurrencyCode, rate: ExchangeRate
  ) throws(LedgerError) {
    try RequestRules.check(Adjustment(gives.currency, gives.amount), of: "exchange")
    let gets = try ExchangeRules.received(for: gives.amount, at: rate)
    self.init(customer: customer, gives: gives, gets: CurrencyAmount(currency: currency, amount: gets))
  }
}

/// The outcome of an exchange.
public enum ExchangeOutcome: Hashable, Sendable {
  /// Credited there, and taken here by this transaction.
  case exchanged(Booking)
  /// Not credited there, and nothing taken here.
  case refused(reason: String)
  /// Credited there, but the owed currency is no longer available here.
  ///
  /// The hold ended before the credit was confirmed, and the customer spent the currency. Running the exchange again
  /// takes the currency once it is available.
  case unpaid(LedgerError)
}

/// An exchange that was found unfinished, with its current state.
public struct ResumedExchange: Sendable {
  /// The requested exchange.
  public let exchange: RemoteExchange
  /// Its key.
  public let key: IdempotencyKey
  /// The outcome; a failure if the exchange is still unfinished.
  public let result: Result<ExchangeOutcome, LedgerError>

  /// Whether the exchange needs no further step.
  public var isFinished: Bool {
    switch result {
    case .success(.exchanged), .success(.refused): true
    case .success(.unpaid), .failure: false
    }
  }
}

/// The result of resuming exchanges.
public struct ResumedExchanges: Sendable {
  /// The exchanges found unfinished, in the order in which they began.
  public let exchanges: [ResumedExchange]
  /// The cursor for the next search: everything before it is finished.
  public let cursor: FeedCursor?
}

// MARK: The hold's reference

extension RemoteExchange {
  static let mark = "{\"exchange\":"

  /// Makes the hold's reference, from which any process can resume the exchange.
  func reference(key: IdempotencyKey) throws(LedgerError) -> Reference {
    let document: JSONValue = [
      "exchange": [
        "key": .string(key.text), "customer": .string(customer.text), "amount": .integer(gets.amount),
        "currency": .string(gets.currency.description),
      ]
    ]
    return try Reference(document.text())
  }

  /// Returns the exchange of a hold; nil if the hold is not of an exchange.
  static func read(_ hold: UnfinishedHold) -> (exchange: Self, key: IdempotencyKey)? {
    guard let gives = hold.amounts.first, let document = hold.document?["exchange"],
      let key = document["key"]?.text, let customer = document["customer"]?.text,
      let amount = document["amount"]?.integer, let code = document["currency"]?.text
    else { return nil }
    do throws(LedgerError) {
      let gets = CurrencyAmount(currency: try CurrencyCode(code), amount: amount)
      return (Self(customer: try CustomerID(customer), gives: gives, gets: gets), try IdempotencyKey(key))
    } catch {
      // Another caller's reference in a similar form.
      return nil
    }
  }
}
