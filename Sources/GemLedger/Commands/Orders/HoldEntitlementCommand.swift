/// Assigns the entitlement of a purchase to a customer.
final class HoldEntitlementCommand: Command {
  let purchase: LedgerCommand.PurchaseClaim

  init(_ purchase: LedgerCommand.PurchaseClaim) { self.purchase = purchase }

  var action: LedgerCommand.Action { .holdEntitlement(self) }

  static let keyFields = KeyFields(rest: "kind")
  var asked: Int64 { Fingerprint.asked(.keyless, 0) }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    LedgerCommand.Footprint(purchase: purchase, subject: .holder)
  }
  var independence: Independence { .none }

  /// Moves the entitlement of a purchase and of its whole subscription.
  ///
  /// - Throws: in order of precedence `customer_not_found`, `purchase_not_found`.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    let identity = PurchaseIdentity(
      store: purchase.store, environment: try decider.books.work.purchases.number(of: purchase.environment),
      transactionID: purchase.transactionID)
    guard let customer = try decider.books.work.customers.find(command.customer) else {
      throw .customerNotFound(command.customer)
    }
    guard let purchase = try decider.books.work.purchases.find(identity) else {
      throw LedgerError(
        .purchaseNotFound, "Nothing was credited for the store transaction \"\(identity.transactionID)\".")
    }
    let holder = try decider.books.work.orders.holder(purchase: purchase.number)
    guard let holder, holder != customer.number else {
      return decider.books.work.answer(command.customer, isReplayed: true)
    }
    for number in try decider.books.work.orders.entitlements(of: holder)
    where try Self.isOfOneSubscription(decider.books.work, number, as: purchase) {
      decider.books.work.orders.set(EntitlementRow(purchase: number, holder: customer.number))
    }
    return decider.books.work.answer(command.customer, isReplayed: false)
  }

  /// Records the owner of the entitlement that a new purchase gives.
  ///
  /// That is the current entitlement owner of its subscription, else the buyer.
  static func add(_ work: inout UnitOfWork, of purchase: PurchaseRow) throws(LedgerError) {
    var holder = purchase.customer
    if let original = purchase.originalTransactionID {
      let identity = PurchaseIdentity(
        store: purchase.identity.store, environment: purchase.identity.environment, transactionID: original)
      if let first = try work.purchases.find(identity),
        let known = try work.orders.holder(purchase: first.number)
      {
        holder = known
      }
    }
    work.orders.set(EntitlementRow(purchase: purchase.number, holder: holder))
  }

  private static func isOfOneSubscription(
    _ work: borrowing UnitOfWork, _ number: Int64, as purchase: PurchaseRow
  ) throws(LedgerError) -> Bool {
    if number == purchase.number { return true }
    guard let other = try work.purchases.find(number) else { return false }
    return other.isOfOneSubscription(as: purchase)
  }
}

extension PurchaseRow {
  /// Whether both are cycles of one subscription: their first transaction is the same.
  func isOfOneSubscription(as other: PurchaseRow) -> Bool {
    identity.store == other.identity.store && identity.environment == other.identity.environment
      && (originalTransactionID ?? identity.transactionID)
        == (other.originalTransactionID ?? other.identity.transactionID)
  }
}

extension LedgerCommand {
  /// Gives the entitlement of a purchase and its whole subscription to the customer; currency does not move.
  ///
  /// The answer is replayed if the customer owns it already, or if the purchase gave none.
  package static func holdEntitlement(
    store: Store, environment: StoreEnvironment, transactionID: StoreTransactionID, customer: CustomerID
  ) -> Self {
    let purchase = PurchaseClaim(store: store, environment: environment, transactionID: transactionID)
    return Self(HoldEntitlementCommand(purchase), customer: customer, key: nil)
  }
}
