extension LedgerCommand {
  /// The names that lead to a command's lanes, in addition to its customer's lane.
  ///
  /// A storage may prefetch the first rows of the decision by them; the rule requests all other rows.
  package struct Footprint: Sendable {
    /// Other customers by their ids.
    package var customers: [CustomerID] = []
    /// Store transactions with a credit or refunds that it reads or changes.
    package var purchases: [PurchaseClaim] = []
    /// Transactions that it undoes, or that began its hold.
    package var transactions: [TransactionNumber] = []
    /// The order that it advances.
    package var order: PurchaseCode?
    /// Whether it splits the named customer off again, perhaps into another lane.
    package var splitsOff = false
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
      /// The owner of the transaction, which began a hold; the command's customer names no customer.
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

  /// Nil if it uses only its customer's rows.
  package var footprint: Footprint? { body.action.command.footprint(besides: body.customer) }

  /// The hash of its customer's id.
  package var customerHash: Int { body.customerHash }

  /// The row of the catalog that it uses.
  package var catalogKey: IndexKey? {
    switch body.action {
    case .buyItem(let command): IndexKey(CatalogRow.Kind.item.rawValue, text: command.item.text)
    case .creditPurchase(let command): IndexKey(CatalogRow.Kind.product.rawValue, text: command.purchase.product.text)
    case .completeOrder(let command):
      IndexKey(CatalogRow.Kind.product.rawValue, text: command.completion.purchase.product.text)
    default: nil
    }
  }
}

extension LedgerCommand.Footprint {
  /// The needs of a command on a purchase.
  init(purchase: LedgerCommand.PurchaseClaim, subject: Subject = .customer) {
    self.init(purchases: [purchase], subject: subject)
  }

  /// The needs of a command on a transaction, or on the hold that it began.
  init(transaction id: TransactionID, subject: Subject) {
    self.init(transactions: [id.unprovenNumber], subject: subject)
  }

  /// The needs of a command that joins or splits customers.
  init(joining customers: [CustomerID], splitsOff: Bool = false) {
    self.init(customers: customers, splitsOff: splitsOff)
  }
}

extension LedgerCommand.PurchaseClaim {
  init(_ purchase: StorePurchase) {
    self.init(store: purchase.store, environment: purchase.environment, transactionID: purchase.transactionID)
  }
}
