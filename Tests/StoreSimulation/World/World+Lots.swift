internal import GemLedger
internal import StoreBackend

extension World {
  /// Checks that lots of purchases count as paid if the store took money, with its price, and as free if it took none.
  func checkLots(_ problems: inout [String]) throws(LedgerError) {
    var facts: [StoreTransactionID: StoreTransaction] = [:]
    for floor in drivers { for fact in floor.facts() { facts[fact.transaction.creditID] = fact.transaction } }
    let scan = try ledger.storage.read { (snapshot) throws(LedgerError) in
      let scan = try snapshot.scan()
      return (purchases: try scan.purchases(after: 0, limit: .max), lots: try scan.lots(after: 0, limit: .max))
    }
    let bought = Dictionary(scan.purchases.map { ($0.number, $0.identity.transactionID) }) { first, _ in first }
    for lot in scan.lots {
      guard let id = lot.purchase.flatMap({ bought[$0] }), let transaction = facts[id], !transaction.isReplaced else {
        continue
      }
      let isPaid = lot.source == .paid
      if isPaid == transaction.isFree, !(lot.source == .bonus && transaction.storeProductID == "gems_bonus") {
        problems.append("A lot of \(id) counts as \(lot.source); the store took \(Self.text(transaction.price)).")
      }
      if isPaid ? lot.price != transaction.price : lot.price != nil {
        problems.append("A lot of \(id) cost \(Self.text(lot.price)); the store took \(Self.text(transaction.price)).")
      }
    }
  }

  private static func text(_ price: Money?) -> String { price.map { "\($0.minorUnits) \($0.currency)" } ?? "nothing" }
}

extension StoreTransaction {
  /// Whether the store's lists show the next period in its place, so that its price is not known any more.
  var isReplaced: Bool { store == .google && productType.isSubscription }
}
