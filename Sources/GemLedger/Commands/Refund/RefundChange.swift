/// The change of a purchase's clawed-back share by a refund or its reversal, before it is booked.
package struct RefundChange {
  /// The amount that a purchase put into one of its lots.
  package struct GrantedLot {
    package let lot: LotNumber
    package let source: LotSource
    package let amount: Int64
  }

  /// A purchase's grant of one currency: its paid lot before its bonus lot.
  package struct Granted {
    package let currency: CurrencyDefinition
    package var lots: [GrantedLot]

    var amount: Int64 { lots.reduce(0) { $0 + $1.amount } }

    /// The amount to claw back from each lot for a share of the purchase.
    package func due(_ share: RefundShare) -> [Int64] {
      RefundRules.split(share.due(of: amount), over: lots.map(\.amount))
    }
  }

  struct Part {
    let lot: LotNumber
    let kind: RefundPartRow.Kind
    var source: LotNumber = 0
    let amount: Int64
  }

  let purchase: PurchaseRow
  let owner: FoundCustomer
  let before: RefundShare
  let share: RefundShare
  var granted: [Granted] = []
  /// The items that the purchase gave.
  var givenItems: [ItemEntryRow] = []
  var parts: [Part] = []
  /// The unproven merges that brought the purchase to its owner: only the purchase's currency pays for the refund.
  var unprovenMerges: [TransactionNumber] = []
  /// Whether an amount is written off in a currency with the policy to freeze.
  var freezes = false
  /// Whether no written-off amount of the purchase remains.
  var isMadeGood = false

  init(purchase: PurchaseRow, owner: FoundCustomer, to share: RefundShare) {
    self.purchase = purchase
    self.owner = owner
    before = purchase.refund?.share ?? .none
    self.share = share
  }

  var isTakingBack: Bool { share > before }

  /// Returns the grants of a purchase's transaction, in the order of codes.
  package static func granted(by parts: TransactionParts, definitions: CurrencyDefinitions) -> [Granted] {
    var granted: [Granted] = []
    for entry in parts.entries {
      guard let currency = definitions.currency(number: entry.account.currency) else { continue }
      var allocations = parts.allocations.filter { $0.entry == entry.number }.map { ($0.lot, $0.amount) }
      if entry.lot != 0 { allocations = [(entry.lot, entry.amount)] }
      // An amount that repaid a debt at once counts as granted.
      let lots = allocations.filter { $0.1 > 0 }.map { (lot, amount) in
        GrantedLot(lot: lot, source: parts.sources[lot] ?? .paid, amount: amount)
      }
      granted.append(Granted(currency: currency, lots: lots))
    }
    return granted.sorted { $0.currency.code < $1.currency.code }
  }
}
