#if Server
internal import GemLedger

/// A store transaction, as the path of a page names it.
struct PurchaseName: Sendable {
  let store: Store
  let environment: StoreEnvironment
  let id: StoreTransactionID

  /// - Throws: `LedgerError` with `purchase_not_found`, `invalid_identifier`.
  init(_ visit: Visit) throws(LedgerError) {
    let environments = StoreEnvironment.Kind.allCases.map {
      StoreEnvironment(kind: $0, session: visit.query["session"])
    }
    guard let store = Store(name: visit.name("store")),
      let environment = environments.first(where: { $0.description == visit.name("environment") })
    else { throw LedgerError(.purchaseNotFound, "There is no such store or environment.") }
    (self.store, self.environment, id) = (store, environment, try StoreTransactionID(visit.name("id")))
  }

  func credited(in ledger: Ledger) throws(LedgerError) -> Purchase? {
    try ledger.purchase(store: store, environment: environment, transactionID: id)
  }

  func held(in ledger: Ledger) throws(LedgerError) -> HeldPurchase? {
    try ledger.view { (view) throws(LedgerError) in
      try view.evidence.held(store: store, environment: environment, transactionID: id)
    }
  }

  var notFound: LedgerError {
    LedgerError(
      .purchaseNotFound, "The ledger has neither credited nor held this purchase.",
      details: [.text("store_transaction_id", id.text)])
  }
}
#endif
