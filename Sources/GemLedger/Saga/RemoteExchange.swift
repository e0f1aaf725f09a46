/// A currency of this ledger for one that lives on another server.
public struct RemoteExchange: Hashable, Sendable {
  /// Whose; both sides know the customer by this id.
  public let customer: CustomerID
  /// What is taken here.
  public let gives: CurrencyAmount
  /// What is credited there.
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
  case exchanged(Receipt)
  /// Not credited there, and nothing was taken here.
  case refused(reason: String)
  /// Credited there, but what is due for it is not here any more: the hold ended before anybody knew that it was
  /// credited, and the customer spent it. Running the exchange again takes it once it is there.
  case unpaid(LedgerError)
}

/// An exchange that was found unfinished, and how it stands now.
public struct ResumedExchange: Sendable {
  /// What was asked for.
  public let exchange: RemoteExchange
  /// Under which key.
  public let key: IdempotencyKey
  /// How it ended; a failure where it has not.
  public let result: Result<ExchangeOutcome, LedgerError>

  /// Whether nothing is left to do.
  public var isFinished: Bool {
    switch result {
    case .success(.exchanged), .success(.refused): true
    case .success(.unpaid), .failure: false
    }
  }
}

/// What resuming came to.
public struct ResumedExchanges: Sendable {
  /// Those that were found unfinished, in the order in which they began.
  public let exchanges: [ResumedExchange]
  /// From where to look next time: everything before it is finished.
  public let cursor: FeedCursor?
}

// MARK: What the hold carries

extension RemoteExchange {
  static let mark = "{\"exchange\":"

  /// What the hold's reference says, so that whoever finds it can go on.
  func reference(key: IdempotencyKey) throws(LedgerError) -> Reference {
    let document: JSONValue = [
      "exchange": [
        "key": .string(key.text), "customer": .string(customer.text), "amount": .integer(gets.amount),
        "currency": .string(gets.currency.description),
      ]
    ]
    return try Reference(document.text())
  }

  /// What a hold was begun for; nil where it is none of an exchange.
  static func read(_ hold: UnfinishedHold) -> (exchange: Self, key: IdempotencyKey)? {
    guard let gives = hold.amounts.first, let document = hold.document?["exchange"],
      let key = document["key"]?.text, let customer = document["customer"]?.text,
      let amount = document["amount"]?.integer, let code = document["currency"]?.text
    else { return nil }
    do throws(LedgerError) {
      let gets = CurrencyAmount(currency: try CurrencyCode(code), amount: amount)
      return (Self(customer: try CustomerID(customer), gives: gives, gets: gets), try IdempotencyKey(key))
    } catch {
      // Somebody else's reference that looks alike.
      return nil
    }
  }
}
