internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// Spends currency that the backend does not have yet, and has the backend book it later.
struct ProvisionalSpends: ClientPart {
  let context: ClientContext

  /// Two spends at once must not both count on the same currency.
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
    // A refusal of the backend would be the key's answer for good: ask only where the balance covers the price.
    if await covers(price, customer) {
      do throws(LedgerError) {
        return .booked(try await bookAtOnce(spend))
      } catch {
        // Nothing is known: the booking may stand, and the same key finds it.
        guard PostVerdict(error.code) != .deadLetter, error.code != .forbidden else { throw error }
      }
    }
    let given = try Self.turn.withLock { (_) throws(LedgerError) -> ProvisionalSpend? in
      // The same tap may have come twice at once, and the other one be booked by now.
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

  /// The waiting spend of the same tap.
  ///
  /// - Throws: `key_conflict` where the key was for another purchase; the backend's refusal where it is known: the app
  ///   must not give the item again.
  private func known(_ spend: ProvisionalSpend) throws(LedgerError) -> ProvisionalSpend? {
    guard let known = queue.read({ $0.provisionalSpend(of: spend.customer, spend.key) }) else { return nil }
    guard known.item == spend.item, known.quantity == spend.quantity else {
      throw LedgerError(
        .keyConflict,
        "The key \"\(spend.key)\" was used for \(known.quantity) of \"\(known.item)\"; take a new key for each tap.",
        details: [.text("field", known.item == spend.item ? "quantity" : "item")])
    }
    if let refusal = known.refusal { throw LedgerError(refusal.code, refusal.message) }
    return known
  }

  /// The price of all units.
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

  /// Whether the backend's own balance covers the price now, as far as the backend can be asked.
  private func covers(_ price: [CurrencyAmount], _ customer: CustomerID) async -> Bool {
    let known: VirtualCurrencies
    do throws(LedgerError) { known = try await balances.current() } catch { return false }
    guard !known.isStale, known.customer == customer else { return false }
    let waiting = queue.read { $0.provisionallySpent(by: customer) }
    return price.allSatisfy { part in
      Int64(known[part.currency.description]?.balance ?? 0) - (waiting[part.currency] ?? 0) >= part.amount
    }
  }

  /// - Throws: `insufficient_balance` where neither the known balance nor what is on its way covers the spend.
  private func check(_ spend: ProvisionalSpend) throws(LedgerError) {
    // Another customer may have signed in meanwhile.
    let known = appUserID == spend.customer ? balances.cached : nil
    // Without any known balance, what is on its way is all there is.
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
        "\"\(spend.item)\" costs \(part.amount) \(part.currency); with what is on its way there are \(available).",
        details: [
          .text("currency", part.currency.description), .integer("needed", part.amount),
          .integer("available", available),
        ])
    }
  }

  // MARK: Booking

  private func bookAtOnce(_ spend: ProvisionalSpend) async throws(LedgerError) -> Booking {
    // A failed call may have bought too, so the balance may have changed in any case.
    defer {
      balances.invalidate()
      balances.refreshForListeners()
    }
    return try await book(spend)
  }

  /// Books the waiting spends in the order in which they were made.
  func reconcile() async -> [ProvisionalSpend] {
    var refused: [ProvisionalSpend] = []
    for spend in queue.read({ $0.provisionalSpends.filter(\.isWaiting) }) {
      // Its currency may be on its way, and a refusal would be final.
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

  /// Buys for the spend's own customer, also while another one is signed in.
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
