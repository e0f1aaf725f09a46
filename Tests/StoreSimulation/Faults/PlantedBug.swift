internal import GemLedger
internal import GemLedgerAudit
internal import StoreBackend
internal import StoreClient
internal import Synchronization

extension Simulation {
  /// A planted bug, to show that the soak finds it.
  package enum PlantedBug: Hashable, Sendable {
    /// The client finishes a purchase at the store when it is paid, before the credit.
    case finishBeforeCredit
    /// The post with this number credits a second time under a made-up transaction id.
    case creditTwice(atPost: Int)
    /// The backend drops the stores' notices of refunds.
    case loseRefunds
    /// The backend treats all periods of a subscription with one purchase token as one purchase.
    case mergeRenewals
    /// The backend books everything at the catalog's price: offers, promotions, shares of family members.
    case chargeForOffers
  }
}

/// A planted bug: finishes a purchase before the client has written it down.
struct EarlyFinishStorefront: StorefrontDecorator {
  let decorated: any Storefront

  func purchase(_ request: StorePaymentRequest) async throws(StoreFailure) -> StorePaymentResult {
    let result = try await decorated.purchase(request)
    if case .success(let evidence) = result { try await decorated.finish(evidence.transaction.id) }
    return result
  }
}

/// Credits one purchase twice.
final class DoubleCreditBackend: BackendDecorator {
  let decorated: any PurchaseBackend
  private let receipts: [any SimulatedReceipts]
  private let target: Int
  private let count = Mutex(0)

  init(_ decorated: any PurchaseBackend, receipts: [any SimulatedReceipts], atPost target: Int) {
    self.decorated = decorated
    self.receipts = receipts
    self.target = target
  }

  func post(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    let answer = try await decorated.post(post)
    let number = count.withLock { count in
      count += 1
      return count
    }
    guard number == target else { return answer }
    for form in receipts {
      guard var transaction = transaction(post.receipt, form) else { continue }
      transaction.id = StoreTransactionID(unchecked: "\(transaction.id.text)-again")
      transaction.originalID = transaction.id
      let again = ReceiptPost(receipt: form.receipt(for: transaction), customer: post.customer, source: post.source)
      _ = try await decorated.post(again)
    }
    return answer
  }

  private func transaction(_ receipt: StoreReceipt, _ form: any SimulatedReceipts) -> StoreTransaction? {
    do throws(LedgerError) { return try form.verify(receipt) } catch { return nil }
  }
}
