/// The effect of one command on one account, before it is booked.
struct AccountPlan {
  let slot: Int
  let currency: CurrencyDefinition
  var kind: EntryKind
  var amount: Int64
  /// The amount of due expiries, which are booked first.
  var expiredAmount: Int64 = 0
  /// All of it is taken from, or put into, the account's pooled lot; then nothing is taken from or put into other lots.
  var isAllInPool = false
  /// The affected lots; nil for the common plan, which changes only the pooled lot.
  private var lots: Lots?

  private final class Lots {
    var expired: [LotTake] = []
    var takes: [LotTake] = []
    var credits: [LotCredit] = []
    var debtChange: Int64 = 0
  }

  init(slot: Int, currency: CurrencyDefinition, kind: EntryKind, amount: Int64) {
    self.slot = slot
    self.currency = currency
    self.kind = kind
    self.amount = amount
  }

  var expired: [LotTake] {
    get { lots?.expired ?? [] }
    set { ownLots().expired = newValue }
  }

  var takes: [LotTake] {
    get { lots?.takes ?? [] }
    set { ownLots().takes = newValue }
  }

  var credits: [LotCredit] {
    get { lots?.credits ?? [] }
    set { ownLots().credits = newValue }
  }

  /// The change of the customer's debt; the balance changes by the amount and by this.
  var debtChange: Int64 {
    get { lots?.debtChange ?? 0 }
    set { ownLots().debtChange = newValue }
  }

  private mutating func ownLots() -> Lots {
    if isKnownUniquelyReferenced(&lots), let lots { return lots }
    let own = Lots()
    if let lots {
      (own.expired, own.takes, own.credits) = (lots.expired, lots.takes, lots.credits)
      own.debtChange = lots.debtChange
    }
    lots = own
    return own
  }
}

/// Incoming currency, and the kind of lot it goes to.
package struct LotCredit {
  package var amount: Int64
  package var source: LotSource
  package var environment: Int64
  package var price: Money?
  package var purchase: Int64?
  package var expiresAt: Int64 = .max
  /// The source lot of a transfer or an exchange; 0 for none.
  var originalLot: LotNumber = 0
  /// The purchase that brought the currency; nil for none, and for the purchase's grant.
  var lineage: Lineage?

  /// Whether it joins the account's pooled lot of that source and environment: without price, purchase and expiry.
  ///
  /// Currency of a purchase never does, even after transfers.
  var isPooled: Bool { Self.isPooled(source, price: price, purchase: purchase, expiresAt: expiresAt) }

  package static func isPooled(_ source: LotSource, price: Money?, purchase: Int64?, expiresAt: Int64) -> Bool {
    purchase == nil && price == nil && expiresAt == .max && source != .paid
  }
}

/// The purchase lot that a lot's currency originates from, through transfers and exchanges.
struct Lineage {
  let originalLot: LotNumber
  /// The purchase's number.
  let purchase: Int64
}
