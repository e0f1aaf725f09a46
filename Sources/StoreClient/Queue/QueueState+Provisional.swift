internal import GemLedger

/// A provisional spend that was booked or forgotten; the backend has the answer to its key.
struct EndedSpend: Hashable, Sendable {
  let customer: CustomerID
  let key: IdempotencyKey
}

extension QueueState {
  /// Returns whether the backend has the answer to the customer's provisional spend with that key.
  func hasEnded(_ key: IdempotencyKey, of customer: CustomerID) -> Bool {
    endedSpends.contains(EndedSpend(customer: customer, key: key))
  }

  /// Returns the customer's spend with that key, waiting or refused.
  func provisionalSpend(of customer: CustomerID, _ key: IdempotencyKey) -> ProvisionalSpend? {
    provisionalSpends.first { $0.customer == customer && $0.key == key }
  }

  /// Returns the amounts that the customer's waiting spends will take, by currency.
  func provisionallySpent(by customer: CustomerID) -> [CurrencyCode: Int64] {
    var sums: [CurrencyCode: Int64] = [:]
    for spend in provisionalSpends where spend.isWaiting && spend.customer == customer {
      for part in spend.price { sums[part.currency, default: 0] &+= part.amount }
    }
    return sums
  }

  /// Returns whether a receipt of the customer is waiting for its credit.
  func isCreditPending(of customer: CustomerID) -> Bool {
    items.values.contains { item in
      item.receipt.buyer == customer && (item.status == .waiting || item.status == .posting)
    }
  }
}
