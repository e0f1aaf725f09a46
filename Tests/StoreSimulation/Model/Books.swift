internal import GemLedger
internal import StoreBackend

/// The expected results of the events, computed without the ledger.
struct Books {
  /// A credit as observed from outside.
  struct Credit {
    /// The customer that the receipt was posted for.
    var poster: CustomerID
    /// The number of tokens that the backend knew at that time.
    var time: Int
  }

  var identities = IdentitySets()
  private(set) var customers: Set<CustomerID> = []
  private(set) var credits: [StoreTransactionID: Credit] = [:]
  /// The newest state of each purchase that reached the backend.
  private(set) var known: [StoreTransactionID: StoreTransaction] = [:]
  /// The first poster of each purchase that was not credited at once.
  private var posters: [StoreTransactionID: CustomerID] = [:]
  private(set) var spent: [CustomerID: [CurrencyCode: Int64]] = [:]
  private(set) var tickets: [CustomerID: TicketLots] = [:]
  private(set) var problems: [String] = []
  private(set) var replayCount = 0
  private var tokenTimes: [AccountToken: (customer: CustomerID, time: Int)] = [:]
  private var namedCustomers: [AccountToken: CustomerID] = [:]
  private var keys: Set<IdempotencyKey> = []
  private let ticket: CurrencyCode

  init(ticket: CurrencyCode) { self.ticket = ticket }

  /// The logical time: the number of tokens that have become known.
  var time: Int { tokenTimes.count }

  /// Returns whether the backend knows the token's customer.
  func knows(_ token: AccountToken?) -> Bool { token.map { tokenTimes[$0] != nil } ?? false }

  mutating func meet(_ customer: CustomerID) {
    if customers.insert(customer).inserted { namedCustomers[AccountToken(of: customer)] = customer }
  }

  /// Returns whether the purchase names the customer, known to the backend or not.
  mutating func names(_ transaction: StoreTransaction, _ owner: CustomerID) -> Bool {
    guard let named = transaction.accountToken.flatMap({ namedCustomers[$0] }) else { return false }
    return identities.survivingCustomer(named) == owner
  }

  /// Makes the customer's token known to the backend.
  mutating func register(_ customer: CustomerID) {
    meet(customer)
    let token = AccountToken(of: customer)
    if tokenTimes[token] == nil { tokenTimes[token] = (customer, time + 1) }
  }

  mutating func unite(_ one: CustomerID, _ other: CustomerID) {
    meet(one)
    meet(other)
    guard let (from, into) = identities.unite(one, other) else { return }
    if let moved = tickets.removeValue(forKey: from) { tickets[into, default: TicketLots()].take(all: moved) }
  }

  /// Signs in; only a customer that never signed in is merged.
  mutating func signIn(_ id: CustomerID, from current: CustomerID) {
    if isAnonymous(current) { unite(current, id) }
  }

  /// Restores; an owner that never signed in is merged, and a signed-in owner keeps the wallet.
  mutating func restore(of customer: CustomerID, ownedBy owner: CustomerID) {
    meet(owner)
    if isAnonymous(owner) { unite(owner, customer) }
  }

  /// Whether all ids that name the customer are anonymous.
  private mutating func isAnonymous(_ customer: CustomerID) -> Bool {
    let survivingCustomer = identities.survivingCustomer(customer)
    return customers.union([customer]).allSatisfy {
      identities.survivingCustomer($0) != survivingCustomer || UserID.isAnonymous($0)
    }
  }

  mutating func credited(_ id: StoreTransactionID, postedFor poster: CustomerID, at time: Int, isReplayed: Bool) {
    meet(poster)
    if isReplayed { replayCount += 1 }
    guard credits[id] == nil else {
      if !isReplayed { problems.append("\(id) was credited twice.") }
      return
    }
    credits[id] = Credit(poster: poster, time: time)
  }

  /// Records a statement of the store that reached the backend.
  mutating func learn(_ transaction: StoreTransaction) {
    let id = transaction.creditID
    guard let newest = known[id], newest.signedAt >= transaction.signedAt else {
      known[id] = transaction
      return
    }
  }

  /// The purchases that reached the backend and are not credited.
  var uncredited: [StoreTransaction] {
    known.values.filter { credits[$0.creditID] == nil }.sorted { $0.creditID.text < $1.creditID.text }
  }

  /// Records the poster of a receipt that cannot be credited yet.
  mutating func held(_ transaction: StoreTransaction, postedFor poster: CustomerID) {
    if posters[transaction.creditID] == nil { posters[transaction.creditID] = poster }
  }

  /// Returns the customer credited by the purchase's token; nil if the backend did not know the token at that time.
  func tokenBuyer(of transaction: StoreTransaction) -> CustomerID? {
    guard let token = transaction.accountToken, let known = tokenTimes[token],
      let credit = credits[transaction.creditID], known.time <= credit.time
    else { return nil }
    return known.customer
  }

  /// Returns the buyer of the purchase: the customer of its token, or else the first poster.
  func buyer(of transaction: StoreTransaction) -> CustomerID? {
    tokenBuyer(of: transaction) ?? posters[transaction.creditID] ?? credits[transaction.creditID]?.poster
  }

  mutating func spent(
    _ amounts: [Adjustment], by customer: CustomerID, key: IdempotencyKey, isReplayed: Bool, at now: Timestamp
  ) {
    if keys.insert(key).inserted == isReplayed {
      problems.append(
        isReplayed ? "The key \(key) was never used, but was replayed." : "The key \(key) was booked twice.")
    }
    guard !isReplayed else { return }
    for amount in amounts {
      if amount.currency == ticket {
        tickets[identities.survivingCustomer(customer), default: TicketLots()].spend(amount.amount, at: now)
      } else {
        spent[customer, default: [:]][amount.currency, default: 0] += amount.amount
      }
    }
  }

  mutating func gave(_ amount: Int64, to customer: CustomerID, until: Timestamp) {
    meet(customer)
    tickets[identities.survivingCustomer(customer), default: TicketLots()].give(amount, until: until)
  }

  mutating func ticketsAvailable(to customer: CustomerID, at now: Timestamp) -> Int64 {
    tickets[identities.survivingCustomer(customer)]?.available(at: now) ?? 0
  }

  mutating func complain(_ problem: String) { problems.append(problem) }
}
