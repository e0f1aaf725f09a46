// Errors that the rules of several commands throw.

extension LedgerError {
  package static func customerNotFound(_ id: CustomerID) -> Self {
    Self(
      .customerNotFound,
      "There is no customer \"\(id)\". A purchase, a grant or a login makes one; check the id's spelling.")
  }

  static func unknownCurrency(_ code: CurrencyCode) -> Self {
    Self(
      .unknownCurrency, "There is no currency \(code) in the catalog.",
      details: [.text("currency", code.description)])
  }

  static func lotsDisagree(_ account: AccountRow) -> Self {
    Self(
      .storageDamaged,
      "The lots of account \(account.number.rawValue) do not hold its balance of \(account.balance); run verify.")
  }

  static func holdNotFound(_ id: HoldID) -> Self {
    Self(
      .holdNotFound, "There is no hold \(id) in this ledger; check the id.",
      details: [.text("hold_id", id.description)])
  }

  /// - Parameter why: The same text for every end, so that it does not reveal which command of a group booked it.
  static func holdEnded(
    _ id: HoldID,
    _ why: String = "it was captured or released before, or its deadline passed. Nothing was changed"
  ) -> Self {
    Self(
      .holdEnded, "The hold \(id) has ended: \(why).",
      details: [.text("hold_id", id.description)])
  }

  package static func orderNotFound(_ code: PurchaseCode) -> Self {
    Self(.orderNotFound, "There is no order \"\(code)\".", details: [.text("purchase_code", code.text)])
  }
}
