/// Exchanges into a currency of another server: hold here, credit there, then capture here, or release.
///
/// ```swift
/// let saga = ExchangeSaga(ledger: ledger, remote: CoinServer())
/// let exchange = RemoteExchange(
///   customer: alice, gives: CurrencyAmount(currency: gem, amount: 50),
///   gets: CurrencyAmount(currency: coin, amount: 5000))
/// switch try await saga.run(exchange, key: key) {
/// case .exchanged(let booking): print("Done: \(booking.balance(gem) ?? 0) left.")
/// case .refused(let reason): print("Nothing was taken: \(reason)")
/// case .unpaid(let why): alert(why)
/// }
/// ```
///
/// Every step's key is derived from the caller's key. So after a crash at any step, here or there, the exchange can be
/// run again with the same key. It then completes once on both sides, or on neither side. ``resumeAll(after:)`` finds
/// the exchanges that no caller repeats.
public struct ExchangeSaga: Sendable {
  /// The duration of the hold, and of each extension: a day.
  public static let holdDuration = Duration.seconds(86_400)

  /// The ledger of the source currency.
  public let ledger: Ledger
  /// The maximum duration of a call to the other server: no credit is requested with less time left in the hold.
  public let leeway: Duration
  private let remote: any RemoteCurrency

  /// Makes a saga for exchanges between the ledger and the server.
  ///
  /// - Parameters:
  ///   - ledger: The ledger of the source currency.
  ///   - remote: The server of the other currency.
  ///   - leeway: The maximum duration of one of its calls.
  public init(ledger: Ledger, remote: some RemoteCurrency, leeway: Duration = .seconds(300)) {
    self.ledger = ledger
    self.remote = remote
    self.leeway = leeway
  }

  /// Runs an exchange, or completes an earlier exchange with the key.
  ///
  /// - Parameters:
  ///   - exchange: The exchange, unchanged in every retry.
  ///   - key: Made once for the exchange and sent with every retry; at most 239 bytes, and with the customer's id at
  ///     most 1,300.
  /// - Returns: The outcome, which is final, except for `unpaid`.
  /// - Throws: ``LedgerError`` with `outcome_unknown` if the other server gave no clear answer: the currency stays on
  ///   hold, and a retry with the same key completes the exchange. All other errors are those of
  ///   ``Ledger/hold(_:customer:for:key:)``, and nothing was changed.
  public func run(_ exchange: RemoteExchange, key: IdempotencyKey) async throws(LedgerError) -> ExchangeOutcome {
    let steps = try steps(of: exchange, key: key)
    let begun = try await steps.hold()
    guard let hold = begun.hold?.id else {
      throw .defect("The hold \(String(describing: begun.transactionID)) is none")
    }
    if begun.isReplayed {
      switch try steps.state(of: hold) {
      case .spent(let booking): return .exchanged(booking)
      case .released(let reason): return .refused(reason: reason)
      case .ended: return try await bookDue(steps, hold)
      case .open: guard try await makeTime(steps, hold) else { return try await bookDue(steps, hold) }
      }
    }
    do {
      try await remote.credit(exchange.gets, to: exchange.customer, key: try steps.key(of: "credit"))
    } catch let refusal as RemoteRefusal {
      return try await release(steps, hold, because: refusal.reason)
    } catch {
      throw Self.unknown("the credit request failed with \(error)", steps)
    }
    return try await spend(steps, hold)
  }

  /// Runs all unfinished exchanges again, for example after a restart.
  ///
  /// It may repeat exchanges that other callers are running at the moment, which does no harm.
  ///
  /// - Parameter cursor: The cursor of the last call's result, kept across restarts; nil to search the whole journal.
  /// - Returns: The exchanges found; check those that are not finished.
  /// - Throws: ``LedgerError`` if the feed cannot be read.
  public func resumeAll(after cursor: FeedCursor? = nil) async throws(LedgerError) -> ResumedExchanges {
    let found = try UnfinishedHold.all(in: ledger, after: cursor, mark: RemoteExchange.mark)
    var resumed: [ResumedExchange] = []
    var next: FeedCursor?? = .none
    for hold in found.holds {
      guard let (exchange, key) = RemoteExchange.read(hold) else { continue }
      let result: Result<ExchangeOutcome, LedgerError>
      do throws(LedgerError) {
        result = .success(try await run(exchange, key: key))
      } catch {
        result = .failure(error)
      }
      let one = ResumedExchange(exchange: exchange, key: key, result: result)
      resumed.append(one)
      if !one.isFinished, next == nil { next = .some(hold.cursor) }
    }
    return ResumedExchanges(exchanges: resumed, cursor: next ?? found.end)
  }

  // MARK: Steps

  private func steps(of exchange: RemoteExchange, key: IdempotencyKey) throws(LedgerError) -> HoldSteps {
    try RequestRules.check(Adjustment(exchange.gets.currency, exchange.gets.amount), of: "credit")
    return try HoldSteps(
      ledger: ledger, customer: exchange.customer,
      amounts: [Adjustment(exchange.gives.currency, exchange.gives.amount)], key: key,
      reference: exchange.reference(key: key), duration: Self.holdDuration)
  }

  /// Extends the hold so that it outlasts a call of the other server; false if it cannot.
  private func makeTime(_ steps: HoldSteps, _ hold: HoldID) async throws(LedgerError) -> Bool {
    guard let open = try ledger.holds(of: steps.customer).first(where: { $0.id == hold }) else { return false }
    let now = ledger.clock.now()
    if open.expiresAt.milliseconds(since: now) >= leeway.wholeMilliseconds { return true }
    let longest = open.createdAt.advanced(by: Limits.holdDuration).milliseconds(since: now)
    let wanted = min(Self.holdDuration.wholeMilliseconds, longest)
    guard wanted >= max(leeway.wholeMilliseconds, 1000) else { return false }
    do throws(LedgerError) {
      // Without a key, since each extension counts from the current time.
      _ = try await ledger.book(.extend(hold, for: .milliseconds(wanted)))
      return true
    } catch {
      guard error.code == .holdEnded || error.code == .limitExceeded else { throw error }
      return false
    }
  }

  /// Resolves an exchange with a hold that has ended, or that is too short for a credit request.
  ///
  /// The other server's answer decides the outcome.
  private func bookDue(_ steps: HoldSteps, _ hold: HoldID) async throws(LedgerError) -> ExchangeOutcome {
    let wasCredited: Bool?
    do {
      wasCredited = try await remote.wasCredited(key: try steps.key(of: "credit"))
    } catch {
      throw Self.unknown("the query for its credit failed with \(error)", steps)
    }
    switch wasCredited {
    case true?: return try await spend(steps, hold)
    case false?:
      return try await release(steps, hold, because: "The hold ended before the other server had credited anything.")
    case nil:
      throw Self.unknown("the hold has ended, and it cannot confirm the credit; ask its operators", steps)
    }
  }

  private func spend(_ steps: HoldSteps, _ hold: HoldID) async throws(LedgerError) -> ExchangeOutcome {
    switch try await steps.spend(hold) {
    case .paid(let booking): return .exchanged(booking)
    case .unpaid(let why): return .unpaid(why)
    }
  }

  private func release(
    _ steps: HoldSteps, _ hold: HoldID, because reason: String
  ) async throws(LedgerError) -> ExchangeOutcome {
    try await steps.release(hold, because: reason)
    // A concurrent run may have received another answer.
    if case .spent(let booking) = try steps.state(of: hold) { return .exchanged(booking) }
    return .refused(reason: reason)
  }

  private static func unknown(_ what: String, _ steps: HoldSteps) -> LedgerError {
    LedgerError(
      .outcomeUnknown,
      "It is unknown whether the other server has credited: \(what.prefix(500)). The held currency stays on hold; run "
        + "the exchange again with the same key.",
      details: [.text("key", steps.key.text)])
  }
}
