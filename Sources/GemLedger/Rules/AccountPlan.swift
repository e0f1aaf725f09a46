/// What one command does to one account, before it is booked.
struct AccountPlan {
  var slot: Int
  var currency: CurrencyTerms
  var kind: EntryKind
  var amount: Int64
  /// What is due and is booked first.
  var expired: [LotTake] = []
  var expiredAmount: Int64 = 0
  /// All of it comes from, or goes into, the account's pool; then `takes` and `credits` are empty.
  var isAllInPool = false
  var takes: [LotTake] = []
  var credits: [LotCredit] = []
}

/// Currency that comes in, and the kind of lot it goes to.
struct LotCredit {
  var amount: Int64
  var source: LotSource
  var environment: Int64
  var price: Money?
  var purchase: Int64?
  var expiresAt: Int64 = .max

  /// Without price, purchase and expiry it joins the account's pooled lot of that source and environment.
  var isPooled: Bool { purchase == nil && expiresAt == .max }
}
