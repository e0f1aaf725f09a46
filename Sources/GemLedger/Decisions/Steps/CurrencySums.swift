/// Adds up amounts by their currencies.
enum CurrencySums {
  static func sum(_ one: [CurrencyAmount], _ other: [CurrencyAmount]) -> [CurrencyAmount] {
    var sums = one
    for amount in other {
      if let index = sums.firstIndex(where: { $0.currency == amount.currency }) {
        sums[index] = CurrencyAmount(currency: amount.currency, amount: sums[index].amount + amount.amount)
      } else {
        sums.append(amount)
      }
    }
    if sums.count > 1 { sums.sort { $0.currency < $1.currency } }
    return sums
  }
}
