/// Currency of one lot.
package struct LotAmount: Hashable, Sendable {
  /// The currency's number.
  package var currency: Int64
  package var lot: LotNumber
  package var amount: Int64

  package init(currency: Int64, lot: LotNumber, amount: Int64) {
    self.currency = currency
    self.lot = lot
    self.amount = amount
  }
}
