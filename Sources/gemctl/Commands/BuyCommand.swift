import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient

#if canImport(Darwin)
import Darwin
#else
import Glibc
import LedgerCharts
#endif

/// `buy`: a purchase at the simulated store, credited to the customer.
struct BuyCommand {
  let invocation: Invocation

  /// The arguments of the command.
  private struct Request: Sendable {
    var product: ProductCode
    var quantity: Int64
    var key: IdempotencyKey?
    var fault: StoreFault.Effect?
    var isOffline: Bool
    var context: OrderContext
  }

  /// The outcome, with everything that is shown.
  private struct Answer: Sendable {
    var outcome: Outcome
    var customer: CustomerID
    var product: ProductCode

    enum Outcome: Sendable {
      /// With whether it was paid for before the command began.
      case credited(Booking, PurchaseRecord, wasPaidBefore: Bool)
      case incomplete(String, StoreTransactionID?, LedgerError?)
    }
  }

  /// - Throws: ``ExitStatus/incomplete`` if the purchase did not complete.
  func run() throws {
    let request = try asked()
    let crash = Self.crash(after: invocation.parsed.value("--crash-after"))
    let answer = try invocation.withClient(onStep: crash) { (session) async throws(LedgerError) in
      try await Self.buy(request, session)
    }
    switch answer.outcome {
    case .credited(let booking, let purchase, let wasPaidBefore):
      try invocation.print(Self.json(purchase, booking, wasPaidBefore: wasPaidBefore)) {
        Self.text(purchase, booking, wasPaidBefore: wasPaidBefore, style: $0)
      }
    case .incomplete(let result, let id, let failure):
      try invocation.print(Self.json(result, answer, id, failure)) { _ in Self.text(result, id, failure) }
      throw ExitStatus.incomplete
    }
  }

  private func asked() throws -> Request {
    let parsed = invocation.parsed
    let faults: [(String, StoreFault.Effect)] = [
      ("--fail", .failure(.unknown)), ("--cancel", .cancel), ("--ask-to-buy", .askToBuy),
    ]
    try parsed.checkExcluding("--fail", "--cancel", "--ask-to-buy")
    let context = invocation.orderContext
    let key = try invocation.key()
    guard key != nil || context == OrderContext() else {
      throw invocation.usageError("--game, --role, --server and --extra need --key")
    }
    return Request(
      product: try ProductCode(parsed.positionals[0]), quantity: try invocation.quantity() ?? 1,
      key: key, fault: faults.first { parsed.has($0.0) }?.1, isOffline: parsed.has("--offline"), context: context)
  }

  /// SIGKILL, as a battery does it.
  private static func crash(after step: String?) -> (@Sendable (PurchaseStep) -> Void)? {
    guard let step = step.flatMap(PurchaseStep.init(rawValue:)) else { return nil }
    return { if $0 == step { kill(getpid(), SIGKILL) } }
  }

  private static func buy(_ request: Request, _ session: ClientSession) async throws(LedgerError) -> Answer {
    let offer = Result { () throws(LedgerError) in try product(request.product, of: session) }
    // A key is looked up before the offer: the product bought under it may have left the shop.
    if request.key == nil { _ = try offer.get() }
    let buyer = session.client.customerID
    func answer(_ outcome: Answer.Outcome) -> Answer {
      Answer(outcome: outcome, customer: buyer, product: request.product)
    }
    if let fault = request.fault { session.storefront.arm(StoreFault(fault, on: .purchase)) }
    if request.isOffline {
      for call in [FaultyBackend.Call.register, .post, .completePayment, .customer, .balances] {
        session.network.fail(call, with: .networkLostBeforeEffect, .always)
      }
    }
    let interrupted = Set(session.interruptedPayments.map(\.id))
    let paid = Set(session.store.transactions().lazy.filter(\.isPaid).map(\.id))
    do throws(LedgerError) {
      let outcome = try await purchase(request, session)
      if outcome.result == .cancelled,
        let one = session.interruptedPayments.last(where: { !interrupted.contains($0.id) })
      {
        return answer(.incomplete("cancelled", one.id, nil))
      }
      return answer(Self.outcome(outcome, of: request.product, paidBefore: paid, session))
    } catch {
      // The store's error only reports an unavailable product; the catalog has the reason.
      if error.code == .productNotFound || error.code == .notAvailable { _ = try offer.get() }
      // A store error is a result like any other; every other error is thrown.
      guard error.code == .storeError else { throw error }
      return answer(.incomplete("failed", nil, error))
    }
  }

  private static func purchase(
    _ request: Request, _ session: ClientSession
  ) async throws(LedgerError) -> PurchaseOutcome {
    let product = request.product.text
    guard let key = request.key else {
      return try await session.client.outcome(ofPurchasing: product, quantity: request.quantity)
    }
    return try await session.client.purchase(
      order: PurchaseOrder(productID: product, quantity: request.quantity, context: request.context, key: key))
  }

  private static func outcome(
    _ outcome: PurchaseOutcome, of product: ProductCode, paidBefore: Set<StoreTransactionID>, _ session: ClientSession
  ) -> Answer.Outcome {
    if let answer = outcome.answer {
      // A repeated key gives the answer that the purchase had.
      let wasPaidBefore = !answer.booking.isReplayed && paidBefore.contains(answer.purchase.storeTransactionID)
      return .credited(answer.booking, answer.purchase, wasPaidBefore: wasPaidBefore)
    }
    switch outcome.result {
    case .success, .pendingServerValidation:
      return .incomplete("pending_server_validation", outcome.storeTransactionID, outcome.failure)
    case .failedServerValidation:
      return .incomplete("failed_server_validation", outcome.storeTransactionID, outcome.failure)
    case .cancelled: return .incomplete("cancelled", nil, nil)
    case .pending: return .incomplete("pending", session.pendingPayment(of: product, outcome.order), nil)
    }
  }

  /// Finds the product, if the store sells it.
  private static func product(_ code: ProductCode, of session: ClientSession) throws(LedgerError) -> Product {
    let (product, store) = (try session.ledger.product(code), session.store)
    // The store itself gives no reason.
    let why = product.obstacles(at: store.store.description, storefront: store.storefront).joined(separator: ", ")
    if why.isEmpty { return product }
    throw LedgerError(
      .notAvailable, "\"\(code)\" cannot be bought at \(store.store) in \(store.storefront): \(why).",
      details: [.text("product_id", code.text), .text("why", why)])
  }
}

// MARK: Answering

extension BuyCommand {
  private static func json(_ purchase: PurchaseRecord, _ booking: Booking, wasPaidBefore: Bool) -> JSONValue {
    let view = BookingView(booking)
    var object: JSONObject = [
      "result": "success", "store_transaction_id": .string(purchase.storeTransactionID.text),
      "transaction_id": view.transactionID, "customer_id": .string(booking.customer.text),
      "product_id": .string(purchase.product.text), "credited": view.changes, "balances": view.balances,
      "replayed": .bool(booking.isReplayed), "quantity": .integer(purchase.quantity),
      "price": MoneyText.json(purchase.price), "items": view.items,
    ]
    if wasPaidBefore { object["paid_before"] = true }
    return .object(object)
  }

  private static func text(
    _ purchase: PurchaseRecord, _ booking: Booking, wasPaidBefore: Bool, style: Style
  ) -> String {
    let price = purchase.price.map { " for \(PriceFormat(locale: "en_US").text($0))" } ?? ""
    let units = purchase.quantity == 1 ? "" : "\(AmountText.grouped(purchase.quantity)) × "
    let bought = "\(units)\(SafeText.escaped(purchase.product.text))\(price)"
    let title = style.bold(
      wasPaidBefore ? "Credited the earlier purchase of \(bought); nothing was paid now" : "Bought \(bought)")
    let names = [("store transaction", purchase.storeTransactionID.text)]
    return "\(title)\n\n\(BookingView(booking).text(style: style, names: names))"
  }

  private static func json(
    _ result: String, _ answer: Answer, _ id: StoreTransactionID?, _ failure: LedgerError?
  ) -> JSONValue {
    var object: JSONObject = [
      "result": .string(result), "store_transaction_id": JSONValue(id?.text), "transaction_id": nil,
      "customer_id": .string(answer.customer.text), "product_id": .string(answer.product.text),
    ]
    if let failure {
      object["error"] = ["code": .string(failure.code.description), "message": .string(failure.message)]
    }
    return .object(object)
  }

  private static func text(_ result: String, _ id: StoreTransactionID?, _ failure: LedgerError?) -> String {
    let said =
      switch result {
      case "cancelled" where id != nil:
        "Interrupted: the store needs an action of the customer first (\"gemctl store resolve ID\" completes it)."
      case "cancelled": "Cancelled: nothing was bought."
      case "failed": "Failed: nothing was bought."
      case "pending": "Pending: the purchase needs approval (\"gemctl approve ID\" or \"gemctl decline ID\")."
      case "failed_server_validation" where failure?.code == .receiptUnverified:
        "Paid for, but this device does not trust the store's receipt; it stays in the queue (\"gemctl queue\")."
      case "failed_server_validation": "Paid for, but refused by the backend; it stays in the queue (\"gemctl queue\")."
      default: "Paid for; the queue credits it later (\"gemctl sync\" tries now)."
      }
    let why = failure.map { "\($0.message)\n" } ?? ""
    let name = id.map { "store transaction  \($0)\n" } ?? ""
    return "\(said)\n\(why)\(name)"
  }
}
