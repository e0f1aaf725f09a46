import GemLedger

/// The items of the game; an implementation recognises a repeated key.
protocol Inventory: Sendable {
  func give(_ item: String, to player: CustomerID, key: IdempotencyKey) throws
}

struct PotionShop<Items: Inventory> {
  let ledger: Ledger
  let gem: CurrencyCode
  let inventory: Items

  func sellPotion(to player: CustomerID, key: IdempotencyKey) async throws -> Booking {
    try await ledger.spend([Adjustment(gem, 50)], customer: player, key: key) {
      try inventory.give("potion", to: player, key: key)
    }
  }
}
