/// What one command does to one account, before it is booked.
struct AccountPlan {
  let slot: Int
  let currency: CurrencyTerms
  var kind: EntryKind
  var amount: Int64
  /// What is due and is booked first.
  var expiredAmount: Int64 = 0
  /// All of it comes from, or goes into, the account's pool; then nothing is taken from or put into other lots.
  var isAllInPool = false
  /// Which lots; nil for the common plan, which moves an open pool only.
  private var lots: Lots?

  private final class Lots {
    var expired: [LotTake] = []
    var takes: [LotTake] = []
    var credits: [LotCredit] = []
    var debtChange: Int64 = 0
  }

  init(slot: Int, currency: CurrencyTerms, kind: EntryKind, amount: Int64) {
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

  /// By how much what the customer owes changes; the balance changes by the amount and by this.
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

/// Currency that comes in, and the kind of lot it goes to.
package struct LotCredit {
  package var amount: Int64
  package var source: LotSource
  package var environment: Int64
  package var price: Money?
  package var purchase: Int64?
  package var expiresAt: Int64 = .max
  /// The lot that it comes out of, by a transfer or an exchange; 0 for none.
  var origin: LotNumber = 0
  /// The purchase that it came out of; nil for none, and for what a purchase itself gives.
  var lineage: Lineage?

  /// Without price, purchase and expiry it joins the account's pooled lot of that source and environment; what came out
  /// of a purchase never does, wherever it came from.
  var isPooled: Bool { Self.isPooled(source, price: price, purchase: purchase, expiresAt: expiresAt) }

  package static func isPooled(_ source: LotSource, price: Money?, purchase: Int64?, expiresAt: Int64) -> Bool {
    purchase == nil && price == nil && expiresAt == .max && source != .paid
  }
}
