enum ExchangeRules {
  static func amount(of exchange: LedgerCommand.Exchange) throws(LedgerError) -> Int64 {
    exchange.from.amount * exchange.rate.numerator / exchange.rate.denominator
  }
}
extension PriceShares {
  static func value(of price: Int64, granted: Int64, from: Int64, to: Int64) -> Int64 {
    Int64(Int128(price) * Int128(to) / Int128(granted)) - Int64(Int128(price) * Int128(from) / Int128(granted))
  }
}
