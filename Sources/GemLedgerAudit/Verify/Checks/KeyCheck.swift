internal import GemLedger

/// Checks that every key names a transaction of its customer or stores a refusal.
struct KeyCheck {
  private let context: VerifyContext
  private let owners: TransactionOwners

  /// - Parameter owners: The customers of transactions, as far as they are known.
  init(_ context: VerifyContext, _ owners: TransactionOwners) {
    self.context = context
    self.owners = owners
  }

  func check(_ page: [KeyRow]) throws(LedgerError) {
    // The customer of a booked key is compared with the transaction; a refusal has no transaction.
    var (unknown, refused): ([(number: TransactionNumber, customer: CustomerNumber)], [CustomerNumber]) = ([], [])
    for row in page {
      guard case .booked(let number) = row.outcome else {
        refused.append(row.customer)
        continue
      }
      if let owner = owners[number] {
        check(number, of: row.customer, owner)
      } else {
        unknown.append((number, row.customer))
      }
    }
    let transactions = try context.snapshot.transactions(unknown.map { RowAddress($0.number, of: $0.customer) })
    for (number, customer) in unknown {
      check(number, of: customer, transactions[number].map(TransactionOwners.Owner.init))
    }
    try checkCustomers(of: refused.distinct())
  }

  private func check(_ number: TransactionNumber, of customer: CustomerNumber, _ owner: TransactionOwners.Owner?) {
    if owner?.customer != customer {
      context.report(
        "keys_have_transactions",
        "a key of customer number \(customer) names transaction \(number), which is missing or another customer's")
    }
    if owner?.isScheduled == true {
      context.report(
        "keys_have_transactions",
        "a key of customer number \(customer) names transaction \(number), a scheduled effect")
    }
  }

  private func checkCustomers(of refusals: [CustomerNumber]) throws(LedgerError) {
    guard !refusals.isEmpty else { return }
    let customers = try context.snapshot.customers(refusals)
    for number in refusals.sorted() where customers[number] == nil {
      context.report(
        "keys_have_customers", "the customer of a key with a refusal, number \(number), has no row")
    }
  }
}

/// The customers of a ledger's first transactions, with bounded memory.
struct TransactionOwners {
  struct Owner {
    let customer: CustomerNumber
    /// Whether the transaction is a scheduled effect, which has no key.
    let isScheduled: Bool

    init(_ row: TransactionRow) {
      (customer, isScheduled) = (row.customer, row.kind == .expiry || row.kind == .recharge)
    }

    fileprivate init(_ packed: Int64) { (customer, isScheduled) = (packed < 0 ? 0 &- packed : packed, packed < 0) }
  }

  /// The maximum number of transactions: 32 MiB.
  private static let countMax = 1 << 22

  /// The customer of each transaction from number 1 on, negative for a scheduled effect.
  private var packed: [Int64] = []

  /// The owner of a transaction; nil if it is not known.
  subscript(number: TransactionNumber) -> Owner? {
    number > 0 && number <= packed.count ? Owner(packed[Int(number) - 1]) : nil
  }

  /// Adds the next transaction; later ones, and those after a gap, stay unknown.
  mutating func add(_ row: TransactionRow) {
    guard row.number == packed.count + 1, packed.count < Self.countMax else { return }
    let owner = Owner(row)
    packed.append(owner.isScheduled ? 0 &- owner.customer : owner.customer)
  }
}
