extension LedgerCommand {
  /// The names that lead to a command's lanes beside its customer's.
  ///
  /// A storage may guess from them the first rows that deciding reads; the rule asks for all others.
  package struct Footprint: Sendable {
    /// Other customers by their ids.
    package var customers: [CustomerID] = []
    /// Store transactions with a credit or refunds that it reads or changes.
    package var purchases: [PurchaseClaim] = []
    /// Transactions that it undoes, or that began its hold.
    package var transactions: [TransactionNumber] = []
    /// The order that it advances.
    package var order: PurchaseCode?
    /// Whether it makes the named customer one of its own again, perhaps in another lane.
    package var splitsOff = false
    /// Whether customers become one or part by it, with all that they have.
    package var joins = false
    /// The customer that it concerns.
    package var subject = Subject.customer

    package enum Subject: Sendable {
      /// The command's customer.
      case customer
      /// The owner of the purchase; the command's customer names no customer.
      case owner
      /// The command's customer, and the current entitlement owner of the purchase.
      case holder
      /// The order's customer; the command's customer may be any.
      case orderer
      /// The owner of the transaction; the command's customer names no customer.
      case booked
      /// The same, for a transaction that began a hold.
      case holding

      /// Whether the command's customer must be looked up.
      package var isNamed: Bool { self != .owner && self != .booked && self != .holding }
    }
  }

  /// A store transaction, by the store's fields.
  package struct PurchaseClaim: Hashable, Sendable {
    package let store: Store
    package let environment: StoreEnvironment
    package let transactionID: StoreTransactionID
  }

  /// Nil where it touches nothing but its customer's own rows.
  package var footprint: Footprint? {
    var footprint = Footprint()
    switch body.action {
    case .adjustOne, .adjust, .buyItem, .createCustomer, .registerToken, .freeze, .unfreeze, .hold, .exchange,
      .bookDue, .erase:
      return nil
    case .buyStocked(let item, _): footprint.customers = [CustomerID(ofStock: item)]
    case .creditPurchase(let purchase): footprint.purchases = [PurchaseClaim(purchase)]
    case .openOrder(let opening):
      guard let paid = opening.paidBy else { return nil }
      footprint.purchases = [
        PurchaseClaim(store: opening.store, environment: paid.environment, transactionID: paid.id)
      ]
    case .completeOrder(let completion):
      footprint.purchases = [PurchaseClaim(completion.purchase)]
      footprint.order = completion.code
    case .advanceOrder(let code, _):
      footprint.order = code
      footprint.subject = .orderer
    case .holdEntitlement(let store, let environment, let id):
      footprint.purchases = [PurchaseClaim(store: store, environment: environment, transactionID: id)]
      footprint.subject = .holder
    case .refund(let refund):
      footprint.purchases = [
        PurchaseClaim(store: refund.store, environment: refund.environment, transactionID: refund.transactionID)
      ]
      footprint.subject = .owner
    case .reverseRefund(let reversal):
      footprint.purchases = [
        PurchaseClaim(store: reversal.store, environment: reversal.environment, transactionID: reversal.transactionID)
      ]
      footprint.subject = .owner
    case .merge(let from), .mergeAnonymous(let from):
      footprint.customers = [from]
      footprint.joins = true
    case .createAlias(let alias):
      footprint.customers = [alias]
      footprint.joins = true
    case .unmerge(let survivor):
      footprint.customers = survivor.map { [$0] } ?? []
      footprint.joins = true
      footprint.splitsOff = true
    case .reverse(let id, _): footprint.concerns(id, .booked)
    case .capture(let capture): footprint.concerns(capture.hold.transactionID, .holding)
    case .extendHold(let hold, _), .release(let hold): footprint.concerns(hold.transactionID, .holding)
    case .basket(let legs): footprint.customers = BasketRules.customers(of: legs).filter { $0 != body.customer }
    }
    return footprint
  }
}

extension LedgerCommand.Footprint {
  fileprivate mutating func concerns(_ id: TransactionID, _ subject: Subject) {
    transactions = [id.unprovenNumber]
    self.subject = subject
  }
}

extension LedgerCommand.PurchaseClaim {
  fileprivate init(_ purchase: StorePurchase) {
    self.init(store: purchase.store, environment: purchase.environment, transactionID: purchase.transactionID)
  }
}
