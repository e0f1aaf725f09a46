extension Ledger {
  /// Spends currency for something that is given meanwhile: held, then given, then captured, or released if that fails.
  ///
  /// Nothing has to be given back, since nothing is taken before it is given. After a crash, call it again with the
  /// same key: it finishes what was begun. Where the hold has ended before it was given, nothing is given any more.
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
  ///   - give: May be called again with a retry, so it gives once per key. What it throws means that nothing was given;
  ///     it ends within ``LedgerCommand/holdDuration``.
  /// - Returns: What was spent, now or when it was called first.
  /// - Throws: What `give` throws, once the currency is released. ``LedgerError`` as ``hold(_:customer:for:key:)``, and
  ///   with `hold_ended` where an earlier call released it or its time went by: use a new key. Where it was given and
  ///   what was held is gone, since giving took too long, why that could not be spent.
  @discardableResult
  public func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey, giving give: () async throws -> Void
  ) async throws -> Receipt {
    let steps = try HoldSteps(
      ledger: self, customer: customer, amounts: amounts, key: key, reference: Reference(key.text),
      duration: LedgerCommand.holdDuration)
    let begun = try await steps.hold()
    guard let hold = begun.hold?.id else { throw LedgerError.defect("A hold of \(customer) has no name") }
    if begun.isReplayed {
      switch try steps.standing(of: hold) {
      case .spent(let receipt): return receipt
      case .released, .ended: throw LedgerError.holdEnded(hold, "nothing was spent")
      case .open:
        // Giving has all of its time again.
        _ = try await book(.extend(hold, for: LedgerCommand.holdDuration))
      }
    }
    do {
      try await give()
    } catch {
      try await steps.release(hold, because: "\(error)")
      throw error
    }
    switch try await steps.spend(hold) {
    case .paid(let receipt): return receipt
    case .unpaid(let why): throw why
    }
  }
}
