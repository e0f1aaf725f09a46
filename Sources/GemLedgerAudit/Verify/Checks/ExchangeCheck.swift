internal import GemLedger

/// Checks that every exchange gives one currency for another.
struct ExchangeCheck {
  private let context: VerifyContext
  /// The sides of the exchange that is being collected.
  private var current: ExchangeSides?

  init(_ context: VerifyContext) { self.context = context }

  /// Adds an entry of an exchange; an entry of another transaction completes the previous exchange.
  mutating func add(_ entry: EntryRow) {
    if current?.transaction == entry.transaction {
      current?.add(entry)
    } else {
      finish()
      current = ExchangeSides(of: entry)
    }
  }

  /// Checks the completed exchange.
  mutating func finish() {
    if let exchange = current, !exchange.isWhole {
      context.report(
        "exchanges_have_two_sides",
        "transaction \(exchange.transaction) is an exchange of customer number \(exchange.customer), and does not take "
          + "one currency for another")
    }
    current = nil
  }
}

/// The currencies that an exchange added and removed.
struct ExchangeSides {
  let transaction: TransactionNumber
  let customer: CustomerNumber
  private(set) var given: Set<Int64> = []
  private(set) var taken: Set<Int64> = []
  private(set) var isOfOneCustomer = true

  init(of entry: EntryRow) {
    transaction = entry.transaction
    customer = entry.account.customer
    add(entry)
  }

  mutating func add(_ entry: EntryRow) {
    if entry.account.customer != customer { isOfOneCustomer = false }
    if entry.amount > 0 {
      given.insert(entry.account.currency)
    } else {
      taken.insert(entry.account.currency)
    }
  }

  /// Whether it belongs to one customer, and removed and added different currencies.
  var isWhole: Bool { isOfOneCustomer && !given.isEmpty && !taken.isEmpty && given.isDisjoint(with: taken) }
}
