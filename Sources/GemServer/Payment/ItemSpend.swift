#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// Spends virtual currency on an item at the catalog's price.
///
/// The session token determines the customer, and the body names only the item, so no app can spend for another
/// customer or at another price. A second request with the same key returns the first answer.
enum ItemSpend {
  static var route: Route {
    Route(
      method: "POST", path: "/spend", name: "spend_on_item", summary: "Buys an item at the catalog's price.",
      access: .session, style: .spend,
      body: .object([
        Schema.Field("item", .text(1...255), "The item's id.", isRequired: true),
        Schema.Field(
          "idempotencyKey", .text(1...IdempotencyKeyKind.byteCountMax), "Made once, and sent again with every retry.",
          isRequired: true),
      ]), answers: [200: .object([Schema.Field("ok", .boolean, isRequired: true)])], work: .later(spend))
  }

  private static func spend(_ call: Call) async throws(LedgerError) -> HTTPResponse {
    let (customer, project) = (try call.permitted(call.customer(), for: .spend), call.project)
    let item = try ItemID(call.body["item"]?.text ?? "")
    let key = try IdempotencyKey(call.body["idempotencyKey"]?.text ?? "")
    guard let granter = project.itemGranter else {
      _ = try await call.asSession { (whileAnonymous) async throws(LedgerError) in
        try await project.backend.buyItem(
          item, quantity: 1, customer: customer, key: key, whileAnonymous: whileAnonymous)
      }
      return .json(200, ["ok": true])
    }
    let sale = GrantedItemSale(project: project, granter: granter, item: item, customer: customer, key: key)
    let outcome = try await call.asSession { (whileAnonymous) async throws(LedgerError) in
      try await sale.run(whileAnonymous: whileAnonymous)
    }
    switch outcome {
    case .sold: return .json(200, ["ok": true])
    case .notGranted:
      return .json(
        500, ["error": "Could not grant the item. The currency was returned; use a new key to try again."])
    case .unknown:
      // The reason may contain hosts of the owner's network, which customers must not see.
      throw LedgerError(
        .outcomeUnknown, "It is not known whether the item was given. Ask again with the same key.")
    }
  }
}

/// Sells an item that another server grants: holds the currency, grants the item, then captures the hold.
struct GrantedItemSale: Sendable {
  let project: ServerProject
  let granter: any ItemGranter
  let item: ItemID
  let customer: CustomerID
  let key: IdempotencyKey

  enum Outcome {
    case sold
    /// This call or an earlier call with the key failed; the currency was released.
    case notGranted
    /// The currency stays on hold until a call with the key finishes the sale, or until the hold expires.
    case unknown(String)
  }

  private struct NotGranted: Error {}

  /// - Parameter whileAnonymous: Whether the customer must still be anonymous when the currency is held.
  func run(whileAnonymous: Bool = false) async throws(LedgerError) -> Outcome {
    let reference = try Reference(JSONValue.object(["item": .string(item.text)]).text())
    let amounts = try amounts(for: reference)
    do {
      _ = try await project.ledger.spend(
        amounts, customer: customer, key: key, reference: reference, whileAnonymous: whileAnonymous
      ) { isFirst in
        switch await granter.grant(item, to: customer, key: key) {
        case .granted: return
        case .refused: throw NotGranted()
        case .unreached where isFirst: throw NotGranted()
        case .unknown(let why), .unreached(let why): throw GivingIsUnknown(why)
        }
      }
      return .sold
    } catch is NotGranted {
      return .notGranted
    } catch let error as GivingIsUnknown {
      return .unknown(error.message)
    } catch let error as LedgerError {
      if error.code == .holdEnded { return .notGranted }
      throw error
    } catch {
      throw .defect("A sale of \"\(item)\" failed: \(error)")
    }
  }

  /// Returns the price: the price of the first call with the key, or else the catalog's.
  ///
  /// - Throws: `key_conflict` if the key bought another item; then `item_not_found`, `not_available`; and
  ///   `configuration` for an item with a limit or a stock, which only items counted by the ledger can have.
  private func amounts(for reference: Reference) throws(LedgerError) -> [Adjustment] {
    if let begun = try project.ledger.begunSpend(under: key, customer: customer) {
      guard begun.reference == reference else {
        throw LedgerError(
          .keyConflict, "The key was used before for another item. Use a new key for a new purchase.",
          details: [.text("field", "item")])
      }
      return begun.amounts
    }
    guard let sold = try project.ledger.currentCatalog().items.first(where: { $0.id == item }) else {
      throw LedgerError(.itemNotFound, "There is no item \"\(item)\".", details: [.text("item", item.text)])
    }
    guard sold.availability.holds(at: project.clock.now()), !sold.price.isEmpty else {
      throw LedgerError(.notAvailable, "\"\(item)\" is not for sale now.", details: [.text("item", item.text)])
    }
    guard sold.limit == nil, sold.stock == nil else {
      throw LedgerError(
        .unexpected, "\"\(item)\" has a limit or a stock, which the ledger cannot count if another server grants it.")
    }
    return sold.price.map { Adjustment($0.currency, $0.amount) }
  }
}

extension ErrorStyle {
  /// Writes an error of the spend by item.
  ///
  /// Status 502 means that the ledger could not answer: the client repeats the request with the same key.
  static func spend(_ error: LedgerError, requestID: String) -> HTTPResponse {
    let body: JSONValue = [
      "error": .string(publicMessage(error)), "code": .string(error.code.description),
      "request_id": .string(requestID),
    ]
    var response = HTTPResponse.json(spendStatus(error), body)
    if let seconds = error.integer("retry_after") { response.headers.append(("Retry-After", String(seconds))) }
    return response
  }

  private static func spendStatus(_ error: LedgerError) -> Int {
    switch error.code {
    case .itemNotFound: return 400
    case .insufficientBalance: return 402
    default:
      let status = error.code.kind.row.httpStatus
      return status >= 500 || status == 423 ? 502 : status
    }
  }
}
#endif
