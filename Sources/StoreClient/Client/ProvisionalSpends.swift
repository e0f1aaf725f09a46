internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// Spends currency before its credit, and books the spends at the backend later.
struct ProvisionalSpends: ClientPart {
  let context: ClientContext

  /// Two concurrent spends must not use the same currency.
  private static let turn = Mutex(())

  // MARK: Buying

  func buy(_ item: Item, quantity: Int64, key: IdempotencyKey) async throws(LedgerError) -> ItemPurchase {
    let price = try Self.price(of: item, quantity: quantity)
    let customer = appUserID
    let spend = ProvisionalSpend(
      key: key, customer: customer, item: item.id, quantity: quantity, price: price,
      spentAt: configuration.clock.now())
    if let known = try known(spend) { return .provisional(known) }
    if queue.read({ $0.hasEnded(key, of: customer) }) {
      return .booked(try await bookAtOnce(spend))
    }
    // A refusal of the backend is the key's final answer, so it is asked only if the balance covers the price.
    if await covers(price, customer) {
      do throws(LedgerError) {
        return .booked(try await bookAtOnce(spend))
      } catch {
        // The outcome is unknown: the booking may exist, and the key finds it.
        guard PostVerdict(error.code) != .deadLetter, error.code != .forbidden else { throw error }
      }
    }
    let given = try Self.turn.withLock { (_) throws(LedgerError) -> ProvisionalSpend? in
      // Two calls for one tap may run at once, and the other may be booked by now.
      if let known = try known(spend) { return known }
      if queue.read({ $0.hasEnded(key, of: customer) }) { return nil }
      try check(spend)
      try queue.record([.spentProvisionally(spend)])
      return spend
    }
    guard let given else { return .booked(try await bookAtOnce(spend)) }
    balances.refreshForListeners()
    return .provisional(given)
  }

  /// Returns the waiting spend of this tap.
  ///
  /// - Throws: `key_conflict` if the key was used for another purchase; the backend's refusal if it is known: the app
  ///   must not give the item again.
  private func known(_ spend: ProvisionalSpend) throws(LedgerError) -> ProvisionalSpend? {
    guard let known = queue.read({ $0.provisionalSpend(of: spend.customer, spend.key) }) else { return nil }
    guard known.item == spend.item, known.quantity == spend.quantity else {
      throw LedgerError(
        .keyConflict,
        "The key \"\(spend.key)\" was used for \(known.quantity) of \"\(known.item)\". Use a new key for each tap.",
        details: [.text("field", known.item == spend.item ? "quantity" : "item")])
    }
    if let refusal = known.refusal { throw LedgerError(refusal.code, refusal.message) }
    return known
  }

  /// Returns the price of all units.
  private static func price(of item: Item, quantity: Int64) throws(LedgerError) -> [CurrencyAmount] {
    guard (1...Limits.quantity).contains(quantity) else {
      throw LedgerError(
        .amountOutOfRange, "\(quantity) of \"\(item.id)\" is out of range; buy 1 to \(Limits.quantity) at a time.",
        details: [.integer("amount", quantity)])
    }
    var price: [CurrencyAmount] = []
    for part in item.price {
      let (amount, overflow) = part.amount.multipliedReportingOverflow(by: quantity)
      guard !overflow else {
        throw LedgerError(
          .amountOutOfRange, "\(quantity) times \(part.amount) \(part.currency) is too much.",
          details: [.integer("amount", quantity)])
      }
      price.append(CurrencyAmount(currency: part.currency, amount: amount))
    }
    return price
  }

  /// Returns whether the backend's balance covers the price now, as far as the backend can be reached.
  private func covers(_ price: [CurrencyAmount], _ customer: CustomerID) async -> Bool {
    let known: VirtualCurrencies
    do throws(LedgerError) { known = try await balances.current() } catch { return false }
    guard !known.isStale, known.customer == customer else { return false }
    let waiting = queue.read { $0.provisionallySpent(by: customer) }
    return price.allSatisfy { part in
      Int64(known[part.currency.description]?.balance ?? 0) - (waiting[part.currency] ?? 0) >= part.amount
    }
  }

  /// - Throws: `insufficient_balance` if the known balance and the pending credits do not cover the spend.
  private func check(_ spend: ProvisionalSpend) throws(LedgerError) {
    // Another customer may have signed in since.
    let known = appUserID == spend.customer ? balances.cached : nil
    // Without a known balance, only the pending credits count.
    let credits = known == nil ? balances.provisional(for: spend.customer) : [:]
    let spent = known == nil ? queue.read { $0.provisionallySpent(by: spend.customer) } : [:]
    for part in spend.price {
      let balance = known?[part.currency.description]
      let available =
        Int64(balance?.balance ?? 0) + Int64(balance?.provisional ?? 0) + (credits[part.currency] ?? 0)
        - (spent[part.currency] ?? 0)
      guard available < part.amount else { continue }
      throw LedgerError(
        .insufficientBalance,
        "\"\(spend.item)\" costs \(part.amount) \(part.currency); available with pending credits: \(available).",
        details: [
          .text("currency", part.currency.description), .integer("needed", part.amount),
          .integer("available", available),
        ])
    }
  }

  // MARK: Booking

  private func bookAtOnce(_ spend: ProvisionalSpend) async throws(LedgerError) -> Booking {
    // A failed call may have bought the item, so the balance may have changed in any case.
    defer {
      balances.invalidate()
      balances.refreshForListeners()
    }
    return try await book(spend)
  }

  /// Books the waiting spends in the order of their time.
  func reconcile() async -> [ProvisionalSpend] {
    var refused: [ProvisionalSpend] = []
    for spend in queue.read({ $0.provisionalSpends.filter(\.isWaiting) }) {
      // A pending credit may provide its currency, and a refusal would be final.
      guard queue.read({ $0.isCreditPending(of: spend.customer) }) == false else { continue }
      do throws(LedgerError) {
        _ = try await book(spend)
        pipeline.note([.provisionalSpendEnded(spend.customer, spend.key)])
      } catch {
        guard PostVerdict(error.code) == .deadLetter else {
          log(.debug, "A provisional spend could not be booked yet: \(error)")
          break
        }
        var end = spend
        end.refusal = ProvisionalSpend.Refusal(code: error.code, message: error.message)
        guard pipeline.note(refused: end) else { continue }
        log(.error, "The provisional spend of \(spend.quantity) \"\(spend.item)\" was refused: \(error)")
        refused.append(end)
      }
      balances.invalidate()
    }
    return refused
  }

  /// Buys for the spend's customer, even if another customer is signed in.
  private func book(_ spend: ProvisionalSpend) async throws(LedgerError) -> Booking {
    do throws(LedgerError) {
      return try await backend.buyItem(
        spend.item, quantity: spend.quantity, customer: spend.customer, key: spend.key)
    } catch  where error.code == .customerNotFound {
      _ = try await backend.register(spend.customer)
      return try await backend.buyItem(
        spend.item, quantity: spend.quantity, customer: spend.customer, key: spend.key)
    }
  }

  func forget(_ key: IdempotencyKey) throws(LedgerError) {
    let refused = queue.read { state in state.provisionalSpends.first { $0.key == key && !$0.isWaiting } }
    guard let refused else {
      throw LedgerError(
        .purchaseNotFound, "No refused spend has the key \"\(key)\".", details: [.text("key", key.text)])
    }
    try queue.record([.provisionalSpendEnded(refused.customer, key)])
  }
}
