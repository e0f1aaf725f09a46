internal import GemLedger

/// Checks that every key names a transaction of its customer or stores a refusal.
struct KeyCheck {
  private let context: VerifyContext

  init(_ context: VerifyContext) { self.context = context }

  func run() throws(LedgerError) {
    try context.pages { (page: [KeyRow]) throws(LedgerError) in
      var booked: [RowAddress] = []
      for row in page {
        if case .booked(let number) = row.outcome { booked.append(RowAddress(number, of: row.customer)) }
      }
      let transactions = try context.snapshot.transactions(booked)
      for address in booked where transactions[address.number]?.customer != address.customer {
        context.report(
          "keys_have_transactions",
          "a key of customer number \(address.customer ?? 0) names transaction \(address.number), which is missing or "
            + "another customer's")
      }
      try checkOwners(of: page, transactions)
    }
  }

  /// Checks that a key belongs to a customer with a row, and names no scheduled effect.
  private func checkOwners(
    of page: [KeyRow], _ transactions: [TransactionNumber: TransactionRow]
  ) throws(LedgerError) {
    // The customer of a booked key is compared with the transaction; a refusal has no transaction.
    var refused: [CustomerNumber] = []
    for row in page {
      switch row.outcome {
      case .refused: refused.append(row.customer)
      case .booked(let number):
        guard let kind = transactions[number]?.kind, kind == .expiry || kind == .recharge else { continue }
        context.report(
          "keys_have_transactions",
          "a key of customer number \(row.customer) names transaction \(number), a scheduled effect")
      }
    }
    guard !refused.isEmpty else { return }
    let numbers = refused.distinct()
    let customers = try context.snapshot.customers(numbers)
    for number in numbers.sorted() where customers[number] == nil {
      context.report(
        "keys_have_customers", "the customer of a key with a refusal, number \(number), has no row")
    }
  }
}
