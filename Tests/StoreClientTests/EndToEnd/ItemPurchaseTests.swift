import GemLedger
import GemTestSupport
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Items bought from the client, at the price of the crediting side.
class ItemPurchaseTests: XCTestCase {
  private let alice = "alice-4f1c9a7e"

  private static func catalog(price: Int64 = 50) throws -> Catalog {
    let shop = try SimulatedShop.catalog()
    let gem = try CurrencyCode("GEM")
    func item(_ id: String, _ availability: Availability = .always) throws -> Item {
      Item(
        id: try ItemID(id), name: id, price: [CurrencyAmount(currency: gem, amount: price)], availability: availability)
    }
    return try Catalog(
      currencies: shop.currencies, products: shop.products,
      items: [item("extra_life"), item("medal", .never)], settings: shop.settings)
  }

  private func shop() async throws -> (world: World, client: StoreClient) {
    let world = try World(catalog: Self.catalog(), policy: BackendPolicy())
    let client = try world.client(alice, on: world.phone)
    try await client.purchase(ProductCode("gems"))
    return (world, client)
  }

  func testAnItemCostsTheCatalogsPrice() async throws {
    let (world, client) = try await shop()
    let items = try await client.items()
    XCTAssertEqual(items.map(\.id.text), ["extra_life"])
    XCTAssertEqual(items.first?.price.map(\.amount), [50])
    let booking = try await client.buyItem("extra_life", quantity: 2)
    XCTAssertEqual(booking.items.map(\.item.text), ["extra_life"])
    XCTAssertEqual(booking.items.map(\.owned), [2])
    XCTAssertEqual(booking.entries.map(\.amount), [-100])
    let balances = try await client.virtualCurrencies()
    XCTAssertEqual(balances["GEM"]?.balance, 200)
    try assertBooksAddUp(world.ledger)
  }

  /// The second tap on a retry button costs nothing, also where the price rose in between.
  func testOneKeyIsOnePurchaseAtItsFirstPrice() async throws {
    let (world, client) = try await shop()
    let tap = IdempotencyKey.timeOrdered()
    let first = try await client.buyItem("extra_life", key: tap)
    try world.ledger.apply(Self.catalog(price: 70))
    let again = try await client.buyItem("extra_life", key: tap)
    XCTAssertTrue(again.isReplayed)
    XCTAssertEqual(again.transactionID, first.transactionID)
    XCTAssertEqual(again.entries, first.entries)
    await assertRefused(.keyConflict) { try await client.buyItem("extra_life", quantity: 2, key: tap) }
    let next = try await client.buyItem("extra_life")
    XCTAssertEqual(next.entries.map(\.amount), [-70])
    XCTAssertEqual(try world.balance(alice), 180)
  }

  func testAnAmountOfTheClientsChoiceIsForbidden() async throws {
    let (world, client) = try await shop()
    let amount = Adjustment(try CurrencyCode("GEM"), 1)
    do {
      try await client.spend([amount])
      XCTFail("spent")
    } catch {
      XCTAssertEqual(error.code, .forbidden)
      XCTAssertTrue(error.message.contains("buyItem") && error.message.contains("Ledger.spend"), error.message)
    }
    await assertRefused(.forbidden) { try await client.consumeProduct("gems", amount: 1, key: .timeOrdered()) }
    XCTAssertEqual(try world.balance(alice), 300)
    // A server's own spend is no client's.
    try world.ledger.spend([amount], customer: CustomerID(alice))
    XCTAssertEqual(try world.balance(alice), 299)
  }

  func testRefusesWhatCannotBeBought() async throws {
    let (world, client) = try await shop()
    await assertRefused(.itemNotFound) { try await client.buyItem("no_such_item") }
    await assertRefused(.notAvailable) { try await client.buyItem("medal") }
    await assertRefused(.invalidIdentifier) { try await client.buyItem("") }
    for quantity in [0, -1, Int64.min] {
      await assertRefused(.amountOutOfRange) { try await client.buyItem("extra_life", quantity: quantity) }
    }
    await assertRefused(.insufficientBalance) { try await client.buyItem("extra_life", quantity: 7) }
    XCTAssertEqual(try world.balance(alice), 300)
  }

  /// The first call of a new customer is answered as for any other.
  func testACustomerThatTheBackendDoesNotKnowHasNothingToBuyWith() async throws {
    let world = try World(catalog: Self.catalog(), policy: BackendPolicy())
    let client = try world.client("bobby-77d0e2b1", on: world.phone)
    await assertRefused(.insufficientBalance) { try await client.buyItem("extra_life") }
  }
}
