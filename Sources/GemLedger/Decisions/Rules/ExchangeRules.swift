/// The received amounts of an exchange; pure.
enum ExchangeRules {
  /// Returns the amount of the other currency that the amount buys.
  ///
  /// - Throws: in order of precedence `amount_out_of_range` (the amount, or a part of the rate, or the result),
  ///   `rounds_to_zero`.
  static func received(for amount: Int64, at rate: ExchangeRate) throws(LedgerError) -> Int64 {
    try check(amount, "An exchange of \(amount)")
    try check(rate.numerator, "The rate \(rate)")
    try check(rate.denominator, "The rate \(rate)")
    // Three factors of at most 2^53, one of them 2: far within 128 bits.
    let (product, divisor) = (Int128(amount) * Int128(rate.numerator), Int128(rate.denominator))
    let received =
      switch rate.rounding.kind {
      case .down: product / divisor
      case .nearest: (2 * product + divisor) / (2 * divisor)
      case .up: (product + divisor - 1) / divisor
      }
    guard received <= Limits.amount else {
      throw RequestRules.outOfRange(
        "\(amount) at the rate \(rate) comes to more than \(Limits.amount). Nothing was changed.", amount)
    }
    guard received > 0 else {
      throw LedgerError(
        .roundsToZero,
        "\(amount) at the rate \(rate) comes to less than 1, which is rounded to nothing. Exchange at least "
          + "\(least(at: rate)). Nothing was changed.",
        details: [
          .integer("amount", amount), .integer("numerator", rate.numerator),
          .integer("denominator", rate.denominator),
        ])
    }
    return Int64(received)
  }

  /// Splits the received amount over the given parts, in proportion; the rounding rest of one part goes to the next.
  static func shares(of received: Int64, over given: [Int64]) -> [Int64] {
    let whole = given.reduce(Int128(0)) { $0 + Int128($1) }
    var (before, sum) = (Int64(0), Int128(0))
    return given.map { part in
      sum += Int128(part)
      let after = Int64(Int128(received) * sum / whole)
      defer { before = after }
      return after - before
    }
  }

  /// The smallest amount that buys a unit.
  private static func least(at rate: ExchangeRate) -> Int64 {
    let (numerator, denominator) = (rate.numerator, rate.denominator)
    // Rounded up, without a sum that could overflow; with the rounding mode `up`, every amount buys a unit.
    let whole = denominator / numerator + (denominator % numerator == 0 ? 0 : 1)
    guard rate.rounding == .nearest else { return whole }
    return denominator / (2 * numerator) + (denominator % (2 * numerator) == 0 ? 0 : 1)
  }

  private static func check(_ number: Int64, _ what: String) throws(LedgerError) {
    guard (1...Limits.amount).contains(number) else {
      throw RequestRules.outOfRange("\(what) is out of range: 1 to \(Limits.amount).", number)
    }
  }
}
