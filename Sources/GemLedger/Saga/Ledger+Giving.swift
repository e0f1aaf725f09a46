extension Ledger {
  /// Spends currency for goods that are given meanwhile: held, then given, then captured, or released if that fails.
  ///
  /// Nothing has to be returned, since nothing is taken before the goods are given. After a crash or an error, call it
  /// again with the same key: it finishes the spend. Where the hold has ended unspent, it is unknown here whether the
  /// goods were given. The call then holds the currency again, gives (which does nothing the second time), and
  /// captures.
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
  ///   - give: May be called again with a retry, so it must be idempotent under the key. An error from it means that
  ///     nothing was given; it should end within ``LedgerCommand/holdDuration``.
  /// - Returns: The booking of the spend, of this call or the first one.
  /// - Throws: The error of `give`, once the currency is released. ``LedgerError`` as ``hold(_:customer:for:key:)``,
  ///   and with `hold_ended` where an earlier call's `give` threw, so that nothing was given and nothing spent: use a
  ///   new key. Where the hold ended unspent and the currency is gone, the refusal of the new hold: use the same key.
  @discardableResult
  public func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey, giving give: () async throws -> Void
  ) async throws -> Booking {
    let steps = try HoldSteps(
      ledger: self, customer: customer, amounts: amounts, key: key, reference: Reference(key.text),
      duration: LedgerCommand.holdDuration)
    var (current, hold): (HoldSteps, HoldID)
    switch try await steps.findOrBegin() {
    case .spent(let booking): return booking
    case .held(let found, let open, let isNew):
      (current, hold) = (found, open)
      if !isNew { try await found.extend(open) }
    }
    do {
      try await give()
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
