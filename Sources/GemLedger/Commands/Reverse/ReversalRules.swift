/// The amounts of a spend that can be undone; pure.
enum ReversalRules {
  static func canReverse(_ kind: EntryKind) -> Bool { kind == .spend || kind == .capture }

  /// Checks that a transaction of this kind can be undone.
  ///
  /// - Throws: `not_reversible`.
  static func check(_ kind: EntryKind, of id: TransactionID) throws(LedgerError) {
    guard canReverse(kind) else {
      throw LedgerError(
        .notReversible,
        "The transaction \(id) is of kind \(kind.name), which is not undone: only spends and captures are. "
          + "\(kind.undoing)Nothing was changed.",
        details: [.text("transaction_id", id.description), .text("kind", kind.name)])
    }
  }

  /// How much of one currency a spend took, and how much of it is undone already.
  struct Taken {
    let currency: CurrencyCode
    /// In the order in which the lots were burnt.
    let lots: [(lot: LotNumber, amount: Int64)]
    let undone: Int64

    var amount: Int64 { lots.reduce(0) { $0 + $1.amount } }
    var left: Int64 { amount - undone }

    /// The lots that get the amount back: the lots burnt last are first.
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
        .alreadyReversed, "All that the transaction \(id) took is given back already. Nothing was changed.",
        details: [.text("transaction_id", id.description)])
    }
    guard let asked else { return taken.map(\.left) }
    var amounts = taken.map { _ in Int64(0) }
    for amount in asked {
      let index = taken.firstIndex { $0.currency == amount.currency }
      let left = index.map { taken[$0].left } ?? 0
      guard let index, amount.amount <= left else {
        throw exceeding(amount, took: index.map { taken[$0].amount } ?? 0, left: left, id: id)
      }
      amounts[index] = amount.amount
    }
    return amounts
  }

  private static func exceeding(_ asked: Adjustment, took: Int64, left: Int64, id: TransactionID) -> LedgerError {
    let code = asked.currency
    let what =
      took == 0
      ? "took no \(code)" : "took \(took) \(code), of which at most \(left) can be given back, and not \(asked.amount)"
    return LedgerError(
      .exceedsOriginal, "The transaction \(id) \(what). Nothing was changed.",
      details: [
        .text("currency", code.description), .integer("needed", asked.amount), .integer("left", left),
      ])
  }
}
