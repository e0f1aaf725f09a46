import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Items given for gems that are paid for and not credited yet, and booked when the backend is back.
class ProvisionalSpendTests: XCTestCase {
  private let alice = "alice-4f1c9a7e"

  private static func catalog(price: Int64 = 50) throws -> Catalog {
    let shop = try SimulatedShop.catalog()
    let gem = try CurrencyCode("GEM")
    return try Catalog(
      currencies: shop.currencies, products: shop.products,
      items: [Item(id: ItemID("life"), name: "Life", price: [CurrencyAmount(currency: gem, amount: price)])],
      settings: shop.settings)
  }

  private struct Device {
    let world: World
    let network: FaultyBackend
    let eventLog = MemoryEventLog()

    func client() throws -> StoreClient {
      try world.client("alice-4f1c9a7e", on: world.phone, eventLog: eventLog, backend: network)
    }
  }

  /// A device that bought 300 gems while the backend was away, long enough ago to show them as provisional.
  ///
  /// - Parameter delay: The time between the known balance and the purchase.
  private func paidAndOffline(after delay: Duration = .seconds(1)) async throws -> (
    device: Device, client: StoreClient, life: Item
  ) {
    let world = try World(catalog: Self.catalog(), policy: BackendPolicy())
    let device = Device(world: world, network: FaultyBackend(world.access))
    let client = try device.client()
    let life = try await client.items()[0]
    _ = try await client.virtualCurrencies()
    _ = try await client.offerings()
    world.clock.advance(by: delay)
    device.network.fail(with: .networkLostBeforeEffect, .always)
    let result = try await client.purchase(ProductCode("gems"))
    XCTAssertEqual(result, .pendingServerValidation)
    world.clock.advance(by: .seconds(61))
    await client.syncPurchases()
    XCTAssertEqual(client.provisionalCredits, [try CurrencyCode("GEM"): 300])
    return (device, client, life)
  }

  private func owned(_ world: World) throws -> Int64 {
    try world.ledger.history(of: CustomerID(alice)).transactions.flatMap(\.booking.items).reduce(0) { $0 + $1.quantity }
  }

  func testProvisionalGemsAreSpentOnceAndBookedLater() async throws {
    let (device, client, life) = try await paidAndOffline()
    let tap = IdempotencyKey.timeOrdered()
    var purchases: [ItemPurchase] = []
    for _ in 0..<2 { purchases.append(try await client.buyProvisionally(life, quantity: 2, key: tap)) }
    guard case .provisional(let spend) = purchases[0] else { return XCTFail("booked") }
    XCTAssertEqual(purchases[1], purchases[0])
    XCTAssertTrue(spend.isWaiting)
    XCTAssertEqual(spend.price.map(\.amount), [100])
    XCTAssertEqual(client.cachedVirtualCurrencies?["GEM"]?.provisional, 200)
    XCTAssertEqual(client.provisionalSpends, [spend])
    // No more than there is.
    await assertRefused(.insufficientBalance) { try await client.buyProvisionally(life, quantity: 5) }
    _ = try await client.buyProvisionally(life, quantity: 4)
    await assertRefused(.insufficientBalance) { try await client.buyProvisionally(life) }

    // Another process finds both, and books them behind the credit.
    let next = try device.client()
    XCTAssertEqual(next.provisionalSpends.map(\.quantity), [2, 4])
    XCTAssertEqual(next.cachedVirtualCurrencies?["GEM"]?.provisional, 0)
    device.network.heal()
    device.world.clock.advance(by: .seconds(3600))
    await next.syncPurchases()
    XCTAssertEqual(next.provisionalSpends, [])
    XCTAssertEqual(try device.world.balance(alice), 0)
    XCTAssertEqual(try owned(device.world), 6)
    let again = try await next.buyProvisionally(life, quantity: 2, key: tap)
    guard case .booked(let booking) = again else { return XCTFail("spent again") }
    XCTAssertTrue(booking.isReplayed)
    try assertBooksAddUp(device.world.ledger)
  }

  /// What an app prints of an event is a line for people.
  func testAnEventOfThePipelineIsALine() async throws {
    let (device, client, _) = try await paidAndOffline()
    let lines = Collector<String>()
    client.onReceiptPipelineEvent = { lines.add("\($0)") }
    device.network.heal()
    device.world.clock.advance(by: .seconds(3600))
    await client.syncPurchases()
    XCTAssertEqual(
      lines.all.map { $0.prefix { $0 != "(" } }, ["posted gems of \(alice) ", "finished gems of \(alice) "])
    XCTAssertTrue(lines.all.allSatisfy { $0.contains("(apple:") && !$0.contains("ReceiptQueueItem") }, "\(lines.all)")
  }

  /// A clock that stands still gives the balance and the purchase one millisecond.
  func testAPurchaseInTheMillisecondOfTheBalanceCounts() async throws {
    let (_, client, life) = try await paidAndOffline(after: .zero)
    XCTAssertEqual(client.cachedVirtualCurrencies?["GEM"]?.provisional, 300)
    guard case .provisional = try await client.buyProvisionally(life, quantity: 6) else { return XCTFail("booked") }
  }

  func testAKeyIsForOneItemAndOneQuantity() async throws {
    let (device, client, life) = try await paidAndOffline()
    let tap = IdempotencyKey.timeOrdered()
    _ = try await client.buyProvisionally(life, key: tap)
    let sword = Item(id: try ItemID("sword"), name: "Sword", price: life.price)
    await assertRefused(.keyConflict) { try await client.buyProvisionally(life, quantity: 2, key: tap) }
    await assertRefused(.keyConflict) { try await client.buyProvisionally(sword, key: tap) }
    XCTAssertEqual(client.provisionalSpends.map(\.quantity), [1])
    device.network.heal()
    device.world.clock.advance(by: .seconds(3600))
    await client.syncPurchases()
    XCTAssertEqual(try device.world.balance(alice), 250)
    await assertRefused(.keyConflict) { try await client.buyProvisionally(life, quantity: 2, key: tap) }
  }

  /// A tap that comes twice at once is one spend, also where the currency is enough for one alone.
  func testATapThatComesTwiceAtOnceIsOneSpend() async throws {
    let (device, client, life) = try await paidAndOffline()
    let tap = IdempotencyKey.timeOrdered()
    let given = try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await client.buyProvisionally(life, quantity: 6, key: tap) } }
      return try await group.reduce(into: [ItemPurchase]()) { $0.append($1) }
    }
    XCTAssertEqual(given.count, 8)
    XCTAssertEqual(client.provisionalSpends.map(\.quantity), [6])
    device.network.heal()
    device.world.clock.advance(by: .seconds(3600))
    await client.syncPurchases()
    XCTAssertEqual(try device.world.balance(alice), 0)
    XCTAssertEqual(try owned(device.world), 6)
  }

  /// While the receipt waits, nothing is asked for: a refusal would be the key's answer for good.
  func testABookingWaitsForTheCredit() async throws {
    let (device, client, life) = try await paidAndOffline()
    _ = try await client.buyProvisionally(life)
    device.network.heal()
    for call in [FaultyBackend.Call.post, .completePayment] {
      device.network.fail(call, with: .networkLostBeforeEffect, .always)
    }
    let before = device.network.count(of: .buyItem)
    let refused = await client.reconcileProvisionalSpends()
    XCTAssertEqual(refused, [])
    XCTAssertEqual(device.network.count(of: .buyItem), before)
    XCTAssertEqual(client.provisionalSpends.count, 1)
    device.network.heal()
    device.world.clock.advance(by: .seconds(3600))
    await client.syncPurchases()
    XCTAssertEqual(client.provisionalSpends, [])
    XCTAssertEqual(try device.world.balance(alice), 250)
  }

  /// The price rose meanwhile: the app learns of the refusal, takes the item back, and forgets the spend.
  func testARefusedSpendIsToldAndKeptUntilItIsForgotten() async throws {
    let (device, client, life) = try await paidAndOffline()
    let tap = IdempotencyKey.timeOrdered()
    _ = try await client.buyProvisionally(life, key: tap)
    try device.world.ledger.apply(Self.catalog(price: 400))
    device.network.heal()
    device.world.clock.advance(by: .seconds(3600))
    await client.syncPurchases()
    XCTAssertEqual(client.provisionalSpends.map(\.refusal?.code), [.insufficientBalance])
    // The same tap once more: the app must not give the item a second time.
    await assertRefused(.insufficientBalance) { try await client.buyProvisionally(life, key: tap) }
    XCTAssertEqual(try device.world.balance(alice), 300)
    let balances = try await client.virtualCurrencies()
    XCTAssertEqual(balances["GEM"]?.balance, 300)
    XCTAssertEqual(balances["GEM"]?.provisional, 0)
    // Another process knows of it too.
    let next = try device.client()
    XCTAssertEqual(next.provisionalSpends.map(\.key), [tap])
    assertRefused(.purchaseNotFound) { try next.forgetProvisionalSpend(IdempotencyKey("another")) }
    try next.forgetProvisionalSpend(tap)
    let last = try device.client()
    XCTAssertEqual(last.provisionalSpends, [])
    // The refusal is the key's answer.
    await assertRefused(.insufficientBalance) { try await last.buyProvisionally(life, key: tap) }
    XCTAssertEqual(last.provisionalSpends, [])
  }

  /// The backend booked at once and the answer was lost: the later booking under the same key finds it.
  func testALostAnswerIsBookedOnce() async throws {
    let world = try World(catalog: Self.catalog(), policy: BackendPolicy())
    let device = Device(world: world, network: FaultyBackend(world.access))
    let client = try device.client()
    let life = try await client.items()[0]
    try await client.purchase(ProductCode("gems"))
    device.network.fail(.buyItem, with: .networkLostAfterEffect)
    let purchase = try await client.buyProvisionally(life)
    guard case .provisional = purchase else { return XCTFail("the answer was lost") }
    XCTAssertEqual(try world.balance(alice), 250)
    await client.reconcileProvisionalSpends()
    XCTAssertEqual(client.provisionalSpends, [])
    XCTAssertEqual(try world.balance(alice), 250)
    XCTAssertEqual(try owned(world), 1)
  }

  func testWithTheBackendInReachItIsAnOrdinaryPurchase() async throws {
    let world = try World(catalog: Self.catalog(), policy: BackendPolicy())
    let client = try world.client(alice, on: world.phone)
    let life = try await client.items()[0]
    await assertRefused(.insufficientBalance) { try await client.buyProvisionally(life) }
    try await client.purchase(ProductCode("gems"))
    guard case .booked(let booking) = try await client.buyProvisionally(life) else { return XCTFail("provisional") }
    XCTAssertEqual(booking.entries.map(\.amount), [-50])
    XCTAssertEqual(client.provisionalSpends, [])
    for quantity in [0, -1, Int64.max] {
      await assertRefused(.amountOutOfRange) { try await client.buyProvisionally(life, quantity: quantity) }
    }
  }
}
