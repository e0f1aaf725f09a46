extension Ledger {
  /// Spends currency for goods of another system: hold, give, then capture, or release if giving fails.
  ///
  /// No refund is needed, since nothing is spent before the goods are given. After a crash or an error, call it again
  /// with the same key: it finishes the spend. If the hold has ended unspent, the goods may or may not have been given.
  /// The call then holds the currency again, gives (which does nothing the second time), and captures.
  ///
  /// ```swift
  /// try await ledger.spend([Adjustment(gem, 50)], customer: alice, key: key) {
  ///   try inventory.give("potion", to: alice, key: key)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Must exist.
  ///   - key: Made once and sent with every retry; at most 239 bytes.
  ///   - give: A retry may call it again, so it must be idempotent under the key. An error from it means that nothing
  ///     was given; it should end within ``LedgerCommand/holdDuration``.
  /// - Returns: The booking of the spend, of this call or the first call.
  /// - Throws: The error of `give`, once the currency is released. ``LedgerError`` as ``hold(_:customer:for:key:)``,
  ///   and with `hold_ended` if an earlier call's `give` threw, so that nothing was given or spent: use a new key. If
  ///   the hold ended unspent and the currency is no longer available, the refusal of the new hold: use the same key.
  @discardableResult
  public func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey, giving give: () async throws -> Void
  ) async throws -> Booking {
    try await spend(amounts, customer: customer, key: key, reference: Reference(key.text)) { _ in try await give() }
  }

  /// Spends as ``spend(_:customer:key:giving:)``, with a purpose that every retry must also pass.
  ///
  /// - Parameter whileAnonymous: Whether to refuse with `condition_failed` unless the customer has anonymous ids only.
  /// - Parameter give: Receives whether the goods were certainly not given under the key before. Throws
  ///   ``GivingIsUnknown`` if the outcome is unknown. The currency then stays on hold, so that a retry with the same
  ///   key finishes the spend, until the hold's deadline returns it.
  package func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey, reference: Reference,
    whileAnonymous: Bool = false, giving give: (_ isFirst: Bool) async throws -> Void
  ) async throws -> Booking {
    var steps = try HoldSteps(
      ledger: self, customer: customer, amounts: amounts, key: key, reference: reference,
      duration: LedgerCommand.holdDuration)
    steps.isOfAnonymous = whileAnonymous
    var (current, hold): (HoldSteps, HoldID)
    let isFirst: Bool
    switch try await steps.findOrBegin() {
    case .spent(let booking): return booking
    case .held(let found, let open, let isNew):
      (current, hold, isFirst) = (found, open, isNew)
      if !isNew { try await found.extend(open) }
    }
    do {
      try await give(isFirst)
    } catch let error as GivingIsUnknown {
      throw error
    } catch {
      try await current.release(hold, because: "\(error)")
      throw error
    }
    while true {
      if let booking = try await current.capture(held: hold) { return booking }
      switch try await steps.findOrBegin(isGiven: true) {
      case .spent(let booking): return booking
      case .held(let found, let open, _): (current, hold) = (found, open)
      }
    }
  }
}

/// No answer arrived from the system that gives the goods, which may have given them.
package struct GivingIsUnknown: Error, Hashable {
  /// A description of the problem.
  package let message: String

  package init(_ message: String) { self.message = message }
}

/// A spend that was begun under a key.
package struct BegunSpend: Hashable, Sendable {
  package let amounts: [Adjustment]
  package let reference: Reference?
}

extension Ledger {
  /// Returns the spend that ``spend(_:customer:key:reference:giving:)`` began under the key, with its amounts; nil if
  /// it began none.
  ///
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  package func begunSpend(under key: IdempotencyKey, customer: CustomerID) throws(LedgerError) -> BegunSpend? {
    let step = try IdempotencyKey("\(key.text)/hold")
    let id = try reading { (snapshot, definitions) throws(LedgerError) -> TransactionID? in
      let finder = CustomerFinder(snapshot)
      for number in try finder.numbers(of: finder.customer(customer)) {
        let hash = KeyHash.of(ByteHash.of(step.text), customer: number)
        guard let row = try snapshot.key(step, customer: number, hash: hash),
          case .booked(let transaction) = row.outcome, let begun = try snapshot.transaction(transaction)
        else { continue }
        return definitions.transactionIDs.id(number: transaction, createdAt: begun.createdAt)
      }
      return nil
    }
    guard let id else { return nil }
    let record = try transaction(id)
    let amounts = record.booking.hold?.amounts ?? []
    return BegunSpend(amounts: amounts.map { Adjustment($0.currency, $0.amount) }, reference: record.reference)
  }
}
