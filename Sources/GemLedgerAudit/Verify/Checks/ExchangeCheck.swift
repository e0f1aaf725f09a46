internal import GemLedger

/// Checks that every exchange takes one currency for another.
struct ExchangeCheck {
  private let context: VerifyContext
  /// The sides of the exchange that the replay has come to.
  private var current: ExchangeSides?

  init(_ context: VerifyContext) { self.context = context }

  /// Takes an entry of an exchange in; with another transaction's, the one before is whole.
  mutating func add(_ entry: EntryRow) {
    if current?.transaction == entry.transaction {
      current?.add(entry)
    } else {
      finish()
      current = ExchangeSides(of: entry)
    }
  }

  /// Checks the exchange that is whole.
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

/// The currencies that the entries of an exchange gave and took.
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

  /// Whether it took of currencies and gave of others.
  var isWhole: Bool { isOfOneCustomer && !given.isEmpty && !taken.isEmpty && given.isDisjoint(with: taken) }
}
