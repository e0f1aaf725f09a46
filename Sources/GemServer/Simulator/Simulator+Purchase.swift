#if Server
internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

extension Simulator {
  /// A payment requested by a client.
  struct Payment: Sendable {
    var product: ProductCode
    var customer: CustomerID
    var quantity: Int64
    /// The store account that pays.
    var account: String
    var device: String
    /// The fault of the payment; nil for none.
    var fault: StoreFault.Effect?
    /// Whether the server posts the receipt instead of the client.
    var isDelivered: Bool
  }

  /// The result of a payment.
  struct Receipt: Sendable {
    enum Result: String, Sendable, CaseIterable {
      case purchased
      case pending
      case cancelled
      case failed
    }

    var result: Result
    /// The transaction, if the store names it.
    var id: StoreTransactionID?
    var evidence: StoreEvidence?
    /// Whether the buyer was charged now; nil without evidence.
    var isNew: Bool?
    var failure: StoreFailure?
    /// The credit, if the server posted the receipt.
    var credit: ReceiptAnswer?
    var creditFailure: LedgerError?
  }

  /// Pays for a customer, as the app's store client does; credits nothing unless the server posts the receipt.
  ///
  /// It registers the customer first, as an app does at its start, so that later notices find the buyer.
  ///
  /// - Throws: `LedgerError` with `product_not_found`, `not_available`, and those of `LocalBackend.register(_:)`.
  func pay(_ payment: Payment) async throws(LedgerError) -> Receipt {
    try sellCurrentCatalog()
    let storeProductID = try storeProductID(of: payment.product)
    _ = try await project.backend.register(payment.customer)
    let known = Set(transactions(of: payment.account).map(\.id))
    if let fault = payment.fault {
      try shop.inject(
        StoreFault(fault, on: .purchase, .once, account: payment.account, device: payment.device))
    }
    var receipt = await ask(payment, storeProductID, known)
    if payment.isDelivered, let evidence = receipt.evidence {
      do throws(LedgerError) {
        receipt.credit = try await credit(evidence, of: payment)
      } catch {
        receipt.creditFailure = error
      }
    }
    return receipt
  }

  /// The product's id at the store.
  ///
  /// - Throws: `LedgerError` with `product_not_found`; `not_available` if the store does not sell the product.
  func storeProductID(of code: ProductCode) throws(LedgerError) -> String {
    let product = try project.ledger.product(code)
    let store = shop.store.description
    let why = product.obstacles(at: store, storefront: shop.storefront).joined(separator: ", ")
    guard why.isEmpty, let id = product.storeIDs[store] else {
      throw LedgerError(
        .notAvailable, "\"\(code)\" cannot be bought at \(store) in \(shop.storefront): \(why).",
        details: [.text("product_id", code.text), .text("why", why)])
    }
    return id
  }

  private func transactions(of account: String) -> [ShopTransaction] {
    shop.transactions().filter { $0.account.hasBytes(of: account) }
  }

  private func ask(
    _ payment: Payment, _ storeProductID: String, _ known: Set<StoreTransactionID>
  ) async -> Receipt {
    let request = StorePaymentRequest(
      productID: storeProductID, quantity: payment.quantity, accountToken: AccountToken(of: payment.customer))
    do throws(StoreFailure) {
      switch try await shop.device(account: payment.account, name: payment.device).purchase(request) {
      case .success(let evidence):
        let id = evidence.transaction.id
        return Receipt(result: .purchased, id: id, evidence: evidence, isNew: !known.contains(id))
      case .pending:
        return Receipt(result: .pending, id: newest(of: payment, storeProductID, known, where: \.isPending))
      case .userCancelled:
        return Receipt(result: .cancelled, id: newest(of: payment, storeProductID, known, where: \.isInterrupted))
      }
    } catch {
      return Receipt(result: error == .userCancelled ? .cancelled : .failed, failure: error)
    }
  }

  /// Returns the transaction of a payment, which the store does not name to apps: the newest one, or else an earlier
  /// one that is still waiting.
  private func newest(
    of payment: Payment, _ storeProductID: String, _ known: Set<StoreTransactionID>,
    where waits: (ShopTransaction) -> Bool
  ) -> StoreTransactionID? {
    let waiting = transactions(of: payment.account).filter {
      waits($0) && $0.transaction.storeProductID.hasBytes(of: storeProductID)
    }
    return (waiting.last { !known.contains($0.id) } ?? waiting.last)?.id
  }

  /// Posts the receipt and finishes the transaction, as the app's store client does.
  private func credit(_ evidence: StoreEvidence, of payment: Payment) async throws(LedgerError) -> ReceiptAnswer {
    let answer = try await project.backend.post(
      ReceiptPost(receipt: evidence.receipt, customer: payment.customer, source: .purchase, orderSearch: .find))
    try await finish(evidence.transaction.id, account: payment.account, device: payment.device)
    return answer
  }

  /// Finishes a credited purchase at the store.
  ///
  /// - Throws: `LedgerError` with `store_error` if a fault of the store prevents it.
  func finish(_ id: StoreTransactionID, account: String, device: String) async throws(LedgerError) {
    do throws(StoreFailure) {
      try await shop.device(account: account, name: device).finish(id)
    } catch {
      throw LedgerError(
        .storeError, "The store could not note that the purchase is finished: \(error.rawValue). Finish it again.",
        details: [.text("failure", error.rawValue)])
    }
  }
}
#endif
