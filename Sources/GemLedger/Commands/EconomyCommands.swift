extension LedgerCommand {
  /// How long a hold lasts by default: a quarter of an hour.
  public static let holdDuration = Duration.seconds(900)

  struct Exchange: Sendable {
    let from: Adjustment
    let into: CurrencyCode
    let rate: ExchangeRate
  }

  struct Capture: Sendable {
    let hold: HoldID
    /// Nil for all that is left.
    let amounts: [Adjustment]?
    let keepsOpen: Bool
  }

  /// Undoes a spend, in full or part: its amounts go back into the very lots that they were taken from.
  ///
  /// The ledger finds the customer by the transaction; ``customer`` names none.
  ///
  /// - Parameters:
  ///   - transaction: A spend, a purchase of an item, or a capture.
  ///   - amounts: How much of each currency, positive; nil for all that is not undone yet.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func reverse(
    _ transaction: TransactionID, amounts: [Adjustment]? = nil, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      customer: CustomerID(ofNobody: transaction), key: key, details: details, action: .reverse(transaction, amounts))
  }

  /// Sets currency aside: it stays in the balance and is not available.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Must exist.
  ///   - duration: How long; after that it is released by itself. At most ``Limits/holdDuration``.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func hold(
    _ amounts: [Adjustment], customer: CustomerID, for duration: Duration = holdDuration, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      customer: customer, key: key, details: details, action: .hold(amounts, milliseconds: duration.wholeMilliseconds))
  }

  /// Spends held currency.
  ///
  /// - Parameters:
  ///   - hold: Must be open.
  ///   - amounts: How much of each currency, positive, at most the held amount; nil for all.
  ///   - keepsOpen: Whether the rest stays on hold for further captures; otherwise it is released.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func capture(
    _ hold: HoldID, amounts: [Adjustment]? = nil, keepsOpen: Bool = false, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      customer: CustomerID(ofNobody: hold.transactionID), key: key, details: details,
      action: .capture(Capture(hold: hold, amounts: amounts, keepsOpen: keepsOpen)))
  }

  /// Extends a hold until `duration` from now, where that is later than its deadline; at most ``Limits/holdDuration``
  /// from its beginning.
  public static func extend(
    _ hold: HoldID, for duration: Duration, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      customer: CustomerID(ofNobody: hold.transactionID), key: key, details: details,
      action: .extendHold(hold, milliseconds: duration.wholeMilliseconds))
  }

  /// Gives back the held amounts.
  public static func release(_ hold: HoldID, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails())
    -> Self
  {
    Self(customer: CustomerID(ofNobody: hold.transactionID), key: key, details: details, action: .release(hold))
  }

  /// Moves currency from one customer to another.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - from: The payer; must exist.
  ///   - to: The payee; must exist.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func transfer(
    _ amounts: [Adjustment], from: CustomerID, to: CustomerID, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    basket([.transfer(amounts, from: from, to: to)], payer: from, key: key, details: details)
  }

  /// Books several steps over several customers, all or none: a gift, a trade, a sale with a fee.
  ///
  /// All customers must exist. One customer does not both give and get the same currency or item.
  ///
  /// - Parameters:
  ///   - legs: 1 to ``Limits/legsPerBasket``.
  ///   - payer: The owner of the key; takes part in the basket.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func basket(
    _ legs: [BasketLeg], payer: CustomerID, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(customer: payer, key: key, details: details, action: .basket(legs))
  }

  /// Changes currency into another one of the same customer.
  ///
  /// - Parameters:
  ///   - amount: The given amount, positive.
  ///   - into: The currency that the customer gets for it.
  ///   - rate: How much of the new for how much of the old, and the rounding of fractions.
  ///   - customer: Must exist.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func exchange(
    _ amount: Adjustment, into: CurrencyCode, rate: ExchangeRate, customer: CustomerID, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      customer: customer, key: key, details: details, action: .exchange(Exchange(from: amount, into: into, rate: rate)))
  }

  /// Books the due scheduled effects: expiries, ended holds, allowances, recharges.
  ///
  /// Nothing depends on it: every command and every read applies the due effects.
  public static func bookDue(_ customer: CustomerID) -> Self { Self(customer: customer, key: nil, action: .bookDue) }

  /// Erases the identity of a customer: ids, notes, keys and announcements go, the books stay.
  public static func erase(_ customer: CustomerID) -> Self { Self(customer: customer, key: nil, action: .erase) }
}

extension CustomerID {
  /// Stands in for a customer while the transaction's owner is unknown.
  init(ofNobody transaction: TransactionID) { self.init(unchecked: transaction.description) }
}
