internal import GemLedger

extension Verifier {
  /// A key is of a customer with a row, and names no transaction that came about by itself.
  mutating func checkOwners(
    of page: [KeyRow], _ transactions: [TransactionNumber: TransactionRow]
  ) throws(LedgerError) {
    // The customer of a booked key is compared with the transaction; a refusal has none.
    var refused: [CustomerNumber] = []
    for row in page {
      switch row.outcome {
      case .refused: refused.append(row.customer)
      case .booked(let number):
        guard let kind = transactions[number]?.kind, kind == .expiry || kind == .recharge else { continue }
        report(
          "keys_have_transactions",
          "a key of customer number \(row.customer) names transaction \(number), which nobody asked for")
      }
    }
    guard !refused.isEmpty else { return }
    let numbers = Self.distinct(refused)
    let customers = try snapshot.customers(numbers)
    for number in numbers.sorted() where customers[number] == nil {
      report("keys_have_customers", "a key that keeps a refusal is of customer number \(number), who has no row")
    }
  }
}
