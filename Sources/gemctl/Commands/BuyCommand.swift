import GemLedger
import StoreClient

/// `buy`: a purchase at the simulated store, credited to the customer.
struct BuyCommand {
  let invocation: Invocation

  /// What is told of a purchase that did not complete.
  static let incompleteStatus: Int32 = 3

  /// Buys, and gives the exit status.
  func run() throws -> Int32 {
    let request = PurchaseRequest(
      product: try ProductCode(invocation.parsed.positionals[0]), quantity: try invocation.quantity() ?? 1,
      buyer: try invocation.customer(), key: try invocation.key())
    let state = try invocation.clientState()
    let result = try invocation.withLedger { (ledger) throws(LedgerError) in
      let store = try InstantStore(
        window: ShopWindow(storefront: state.storefront), session: state.storeSession,
        product: { (code) throws(LedgerError) in try Self.product(code, of: ledger) })
      let flow = PurchaseFlow(store: store, ledger: ledger)
      return try Blocking.wait { () async throws(LedgerError) in
        try await flow.buy(request, actor: Invocation.actor)
      }
    }
    return try answer(result, request)
  }

  /// The product, or the error with what was probably meant.
  private static func product(_ code: ProductCode, of ledger: Ledger) throws(LedgerError) -> Product {
    do throws(LedgerError) {
      return try ledger.product(code)
    } catch {
      guard error.code == .productNotFound else { throw error }
      let codes = try ledger.currentCatalog().products.map(\.code.text)
      guard let nearest = Suggestion.nearest(to: code.text, among: codes) else { throw error }
      throw LedgerError(
        .productNotFound, "\(error.message) Did you mean \"\(nearest)\"?", details: [.text("suggestion", nearest)])
    }
  }
}

// MARK: Answering

extension BuyCommand {
  private func answer(_ result: InstantPurchaseResult, _ request: PurchaseRequest) throws(LedgerError) -> Int32 {
    switch result {
    case .success(let purchase, let receipt):
      try invocation.print(Self.json(purchase, receipt), { Self.text(purchase, receipt, style: $0) })
      return 0
    case .pending(let id):
      let json = Self.incomplete("pending", request, id)
      try invocation.print(json, { _ in "Pending: somebody has to agree first.\nstore transaction  \(id)\n" })
    case .cancelled:
      try invocation.print(Self.incomplete("cancelled", request, nil), { _ in "Cancelled: nothing was bought.\n" })
    }
    return Self.incompleteStatus
  }

  private static func json(_ purchase: StorePurchase, _ receipt: Receipt) -> JSONValue {
    let view = ReceiptView(receipt)
    return [
      "result": "success", "store_transaction_id": .string(purchase.transactionID.text),
      "transaction_id": view.transactionID, "customer_id": .string(receipt.customer.text),
      "product_id": .string(purchase.product.text), "credited": view.changes, "balances": view.balances,
      "replayed": .bool(receipt.isReplayed), "quantity": .integer(purchase.quantity),
      "price": MoneyText.json(purchase.price), "items": view.items,
    ]
  }

  private static func text(_ purchase: StorePurchase, _ receipt: Receipt, style: Style) -> String {
    let price = purchase.price.map { " for \(PriceFormat(locale: "en_US").text($0))" } ?? ""
    let units = purchase.quantity == 1 ? "" : "\(AmountText.grouped(purchase.quantity)) × "
    let title = style.bold("Bought \(units)\(SafeText.escaped(purchase.product.text))\(price)")
    let names = [("store transaction", purchase.transactionID.text)]
    return "\(title)\n\n\(ReceiptView(receipt).text(style: style, names: names))"
  }

  private static func incomplete(
    _ result: String, _ request: PurchaseRequest, _ id: StoreTransactionID?
  ) -> JSONValue {
    [
      "result": .string(result), "store_transaction_id": JSONValue(id?.text), "transaction_id": nil,
      "customer_id": .string(request.buyer.text), "product_id": .string(request.product.text),
    ]
  }
}
