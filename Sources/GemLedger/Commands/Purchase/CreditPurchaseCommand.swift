/// Credits the grant of a store transaction.
final class CreditPurchaseCommand: Command {
  let purchase: StorePurchase

  init(_ purchase: StorePurchase) { self.purchase = purchase }

  var action: LedgerCommand.Action { .creditPurchase(self) }

  static let keyFields = KeyFields(rest: "purchase")
  var asked: Int64 {
    // The store transaction's identity names the purchase; its other fields were credited with it.
    Fingerprint.asked(.purchase, Fingerprint.digest(of: LedgerCommand.PurchaseClaim(purchase)))
  }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    LedgerCommand.Footprint(purchase: LedgerCommand.PurchaseClaim(purchase))
  }
  var independence: Independence { .ofOtherPurchases }

  /// Credits a store transaction idempotently, by the store's identity of it and not by the call or the key.
  ///
  /// A credited store transaction is answered before its key is checked. The store may redeliver it under any key, and
  /// the answer must be that it is credited.
  ///
  /// - Throws: in order of precedence `invalid_request`, `amount_out_of_range` (quantity, price), `key_conflict`,
  ///   `receipt_revoked` (its customer was erased before it was credited), `product_not_found`, `amount_out_of_range`
  ///   (the credit passes the hard limit).
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    try PurchaseRules.check(purchase)
    let identity = PurchaseIdentity(
      store: purchase.store, environment: try decider.books.work.purchases.number(of: purchase.environment),
      transactionID: purchase.transactionID)
    let known = try decider.books.work.purchases.find(identity)
    let evidence = try decider.books.work.purchases.evidence(identity, known)
    if let known {
      try RefundNotices.bookStanding(&decider, of: known, statement(of: identity), among: evidence, command: command)
      let owner = try decider.books.work.owner(of: known)
      return try KeyReplay.replay(decider.books, known.transaction, of: known.customer, customer: owner.id)
    }
    try HoldReceiptCommand.checkNotErased(decider.books, evidence)
    var customer = try decider.books.work.customers.find(command.customer)
    let isNew = customer == nil
    if isNew {
      try decider.validate(command)
      customer = try decider.books.work.customers.add(command.customer)
    }
    guard let customer else { throw .customerNotFound(command.customer) }
    let booking: Booking
    do throws(LedgerError) {
      booking = try KeyReplay.idempotently(&decider, command, customer: customer, isNew: isNew) {
        (decider: inout Decider) throws(LedgerError) -> Booking in
        try credit(&decider, identity: identity, command: command, customer: customer)
      }
    } catch {
      if isNew { decider.books.work.customers.removeNewest() }
      throw error
    }
    if !booking.isReplayed, let credited = try decider.books.work.purchases.find(identity) {
      try RefundNotices.bookStanding(&decider, of: credited, statement(of: identity), among: evidence, command: command)
      if let token = purchase.unknownBuyer { try markUnknownBuyer(&decider.books.work, token, of: credited) }
    }
    return booking
  }

  /// Keeps a note for a person's decision, in case the buyer is registered later.
  private func markUnknownBuyer(_ work: inout UnitOfWork, _ token: String, of credited: PurchaseRow) throws(LedgerError)
  {
    let note = EvidenceRow(
      identity: credited.identity, kind: .held, signedAt: work.now,
      held: EvidenceRow.HeldState(reason: .owner, customer: credited.customer, subject: token))
    work.purchases.keep(note, among: try work.purchases.evidence(credited.identity, nil))
  }

  private func statement(of identity: PurchaseIdentity) -> EvidenceRow? {
    purchase.statedAt.map {
      EvidenceRow(
        identity: identity, kind: purchase.statement?.kind ?? .purchased, signedAt: $0,
        statement: purchase.statement)
    }
  }

  private func credit(
    _ decider: inout Decider, identity: PurchaseIdentity, command: LedgerCommand.Body, customer: FoundCustomer
  ) throws(LedgerError) -> Booking {
    let (product, document) = try decider.catalog.product(
      purchase.product, boughtAt: purchase.purchasedAt, in: decider.session, definitions: decider.books.definitions)
    let number = try decider.books.work.purchases.nextNumber()
    let credits = try PurchaseRules.credits(
      of: product, for: purchase, number: number, environment: identity.environment)
    decider.books.plans.removeAll(keepingCapacity: true)
    var isOverMaximum = false
    for (currency, lots) in credits {
      let amount = lots.reduce(0) { $0 + $1.amount }
      try decider.books.plan(.purchase, currency, amount, customer: customer)
      let index = decider.books.plans.count - 1
      let after = try PurchaseRules.balance(
        after: decider.books.plans[index], account: decider.books.work.accounts[decider.books.plans[index].slot].row)
      if after > decider.books.plans[index].currency.maximumBalance { isOverMaximum = true }
      decider.books.plans[index].credits = lots
    }
    var booking = try decider.books.book(.purchase, command: command, customer: customer)
    booking.isOverMaximum = isOverMaximum
    let items = product.itemGrants.map { ($0.item, $0.quantity * purchase.quantity) }.sorted { $0.0 < $1.0 }
    try decider.books.work.add(items, to: customer, &booking)
    decider.books.work.purchases.add(
      PurchaseRow(
        number: number, identity: identity, customer: customer.number,
        transaction: decider.books.work.journal.sequences.transaction,
        product: purchase.product, quantity: purchase.quantity, price: purchase.price,
        purchasedAt: purchase.purchasedAt, frozenProduct: document,
        originalTransactionID: purchase.originalTransactionID,
        expiresAt: purchase.cycleEndsAt, grant: items.isEmpty ? Self.soleGrant(decider.books.work) : nil))
    if product.entitlement != nil, let row = decider.books.work.purchases.newest {
      try HoldEntitlementCommand.add(&decider.books.work, of: row)
    }
    return booking
  }

  /// Returns the grant of the newest transaction if it is the currency of a single lot.
  private static func soleGrant(_ work: borrowing UnitOfWork) -> LotAmount? {
    let own = work.journal.entries.suffix(2).filter { $0.transaction == work.journal.sequences.transaction }
    guard own.count == 1, let entry = own.first, entry.lot != 0 else { return nil }
    return LotAmount(currency: entry.account.currency, lot: entry.lot, amount: entry.amount)
  }
}

extension LedgerCommand {
  /// Credits the grant of a store transaction idempotently, for any caller and any number of calls.
  public static func creditPurchase(
    _ purchase: StorePurchase, customer: CustomerID, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(CreditPurchaseCommand(purchase), customer: customer, key: key, details: details)
  }
}

extension Ledger {
  /// Credits a store transaction exactly once, however many calls ask for it.
  ///
  /// The commit resolves the grant and freezes it. The catalog is the one in force at the date of the purchase, or the
  /// first later catalog that has the product. A store transaction that was credited before, to any customer, is a
  /// success: the result is the first booking, which names the owner.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `amount_out_of_range`, `key_conflict`,
  ///   `product_not_found`, `amount_out_of_range` (the credit passes the hard limit).
  @discardableResult
  public func creditPurchase(
    _ purchase: StorePurchase, customer: CustomerID, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.creditPurchase(purchase, customer: customer, key: key))
  }
}
