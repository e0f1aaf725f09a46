internal import GemLedger

/// One step on the way of a verified receipt to its answer.
///
/// ``ReceiptCredits`` performs the steps in order. The last one answers; a credit that fails has further steps.
enum ReceiptStep: Equatable, Sendable {
  /// Stores the store's refund, and books it if the purchase is credited.
  case refund(StoreTransaction.Revocation)
  /// Holds the purchase until the reason ends, or until an instant: for the poster, or for a person's decision.
  case hold(HoldReason, until: Timestamp?, for: HoldOwner)
  /// Credits the purchase, or finds its credit, and answers.
  case credit(ProductCode)
  /// Answers that the purchase is not credited.
  case fail(LedgerError)
  /// Answers that the purchase is held, or that it was refunded in full meanwhile.
  case failHeld(LedgerError)

  enum HoldOwner: Equatable, Sendable {
    case poster
    case nobody
  }

  /// Returns the steps of a purchase that is not credited yet.
  static func steps(of transaction: StoreTransaction, decision: ReceiptDecision) -> [Self] {
    // A refund is stored before the answer, so that older evidence of the purchase is not credited if it arrives
    // later. A partial refund before the credit is booked with the credit.
    let refund = transaction.revocation.map { [Self.refund($0)] } ?? []
    return switch decision {
    case .credit(let product): refund + [.credit(product.code)]
    case .refuse(let error): refund + [.fail(error)]
    // Holding stores the refund itself.
    case .hold(let reason, let end, let error):
      [.hold(reason, until: end, for: .poster), reason.isForeign ? .fail(error) : .failHeld(error)]
    }
  }

  /// Returns the steps of further evidence of a credited purchase.
  ///
  /// - Parameter quantity: The quantity of the credit.
  static func steps(of evidence: Evidence, creditedAs product: ProductCode, quantity: Int64) -> [Self] {
    var steps: [Self] = []
    // Stores do not change the quantity of a purchase, so a person has to decide.
    if evidence.statesPurchase, quantity != evidence.transaction.quantity {
      steps.append(.hold(.decision, until: nil, for: .nobody))
    }
    if let revocation = evidence.transaction.revocation { steps.append(.refund(revocation)) }
    return steps + [.credit(product)]
  }

  /// Returns the steps after a failed credit.
  static func steps(of transaction: StoreTransaction, after error: LedgerError, now: Timestamp) -> [Self] {
    switch error.code {
    case .amountOutOfRange:
      // The balance is full; the customer may spend.
      let end = now.advanced(milliseconds: fullBalancePause)
      return [.hold(.amount, until: end, for: .poster), .fail(error)]
    case .productNotFound:
      // The product was removed from the catalog during the purchase or the credit.
      return [.hold(.product, until: nil, for: .poster), .fail(ReceiptDecision.waiting(for: transaction))]
    default: return [.fail(error)]
    }
  }

  /// The pause before the next try of a credit that exceeds the balance's maximum, in milliseconds.
  private static let fullBalancePause: Int64 = 3_600_000
}
