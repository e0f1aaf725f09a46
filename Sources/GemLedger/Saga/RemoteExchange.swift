/// An exchange of this ledger's currency for a currency of another server.
public struct RemoteExchange: Hashable, Sendable {
  /// The customer; both sides know the customer by this id.
  public let customer: CustomerID
  /// The amount taken here.
  public let gives: CurrencyAmount
  /// The amount credited there.
  public let gets: CurrencyAmount

  /// An exchange of so much for so much.
  public init(customer: CustomerID, gives: CurrencyAmount, gets: CurrencyAmount) {
    self.customer = customer
    self.gives = gives
    self.gets = gets
  }

  /// An exchange at a rate.
  ///
  /// - Throws: ``LedgerError`` with `amount_out_of_range` for amounts or a rate out of bounds, `rounds_to_zero`.
  public init(
    customer: CustomerID, gives: CurrencyAmount, into currency: CurrencyCode, rate: ExchangeRate
  ) throws(LedgerError) {
    try RequestRules.check(Adjustment(gives.currency, gives.amount), of: "exchange")
    let gets = try ExchangeRules.received(for: gives.amount, at: rate)
    self.init(customer: customer, gives: gives, gets: CurrencyAmount(currency: currency, amount: gets))
  }
}

/// How an exchange ended.
public enum ExchangeOutcome: Hashable, Sendable {
  /// Credited there, and taken here by this transaction.
  case exchanged(Booking)
  /// Not credited there, and nothing was taken here.
  case refused(reason: String)
  /// Credited there, but the owed currency is no longer here.
  ///
  /// The hold ended before the credit was confirmed, and the customer spent the currency. Running the exchange again
  /// takes it once it is there.
  case unpaid(LedgerError)
}

/// An exchange that was found unfinished, and how it stands now.
public struct ResumedExchange: Sendable {
  /// The requested exchange.
  public let exchange: RemoteExchange
  /// Its key.
  public let key: IdempotencyKey
  /// How it ended; a failure if it has not.
  public let result: Result<ExchangeOutcome, LedgerError>

  /// Whether nothing is left to do.
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
  /// The start of the next search: everything before it is finished.
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

  /// Returns the exchange that a hold was begun for; nil if the hold is of no exchange.
  static func read(_ hold: UnfinishedHold) -> (exchange: Self, key: IdempotencyKey)? {
    guard let gives = hold.amounts.first, let document = hold.document?["exchange"],
      let key = document["key"]?.text, let customer = document["customer"]?.text,
      let amount = document["amount"]?.integer, let code = document["currency"]?.text
    else { return nil }
    do throws(LedgerError) {
      let gets = CurrencyAmount(currency: try CurrencyCode(code), amount: amount)
      return (Self(customer: try CustomerID(customer), gives: gives, gets: gets), try IdempotencyKey(key))
    } catch {
      // A reference of another caller in a similar form.
      return nil
    }
  }
}
