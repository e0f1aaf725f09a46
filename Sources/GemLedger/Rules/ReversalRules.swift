/// What of a spend can be undone; pure.
enum ReversalRules {
  /// How much of one currency a spend took, and how much of it is undone already.
  struct Taken {
    let currency: CurrencyCode
    /// In the order in which the lots were burnt.
    let lots: [(lot: LotNumber, amount: Int64)]
    let undone: Int64

    var amount: Int64 { lots.reduce(0) { $0 + $1.amount } }
    var left: Int64 { amount - undone }

    /// Where so much goes back to: the lots that were burnt last come first.
    func returns(_ amount: Int64) -> [(lot: LotNumber, amount: Int64)] {
      var (skipped, rest) = (undone, amount)
      var returns: [(lot: LotNumber, amount: Int64)] = []
      for taken in lots.reversed() {
        let passed = min(skipped, taken.amount)
        skipped -= passed
        let part = min(rest, taken.amount - passed)
        if part > 0 { returns.append((taken.lot, part)) }
        rest -= part
      }
      return returns
    }
  }

  /// How much of each currency is to be undone.
  ///
  /// - Throws: in order of precedence `already_reversed`, `exceeds_original`.
  static func amounts(_ asked: [Adjustment]?, of taken: [Taken], id: TransactionID) throws(LedgerError) -> [Int64] {
    guard taken.contains(where: { $0.left > 0 }) else {
      throw LedgerError(
        .alreadyReversed, "All that the transaction \(id) took is given back already.",
        details: [.text("transaction_id", id.description)])
    }
    guard let asked else { return taken.map(\.left) }
    var amounts = taken.map { _ in Int64(0) }
    for amount in asked {
      let index = taken.firstIndex { $0.currency == amount.currency }
      let left = index.map { taken[$0].left } ?? 0
      guard let index, amount.amount <= left else {
        throw LedgerError(
          .exceedsOriginal,
          "The transaction \(id) took \(index.map { taken[$0].amount } ?? 0) \(amount.currency), of which \(left) are "
            + "not given back yet; \(amount.amount) are more.",
          details: [
            .text("currency", amount.currency.description), .integer("needed", amount.amount), .integer("left", left),
          ])
      }
      amounts[index] = amount.amount
    }
    return amounts
  }
}
