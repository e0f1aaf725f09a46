import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// Random calls of two devices with lost answers, refunds, consents, and processes that end at any change of their
/// state: what is paid for is credited once, and what is given is booked once.
class ClientCallStreamTests: XCTestCase {
  func testAnyCallsWithCutsAnywhereCreditAndSpendOnce() async throws {
    var generator = SeededRandom()
    for _ in 0..<Tier.current.length(5, thorough: 20) {
      var story = try ClientStory(seed: generator.next())
      for _ in 0..<120 { try await story.step() }
      try await story.end()
    }
  }
}

/// One random story.
private struct ClientStory {
  private struct Device {
    let storefront: StoreDevice
    let network: FaultyBackend
    var keychain = FaultyKeychain()
    var client: StoreClient
  }

  /// What the app was told of a tap.
  private enum Told {
    case booked
    case given
  }

  private let seed: UInt64
  private var random: SeededRandom
  private let world: World
  private let life: Item
  private let gem: CurrencyCode
  private var devices: [Device] = []
  private var codes: [PurchaseCode] = []
  private var taps: [(key: IdempotencyKey, customer: CustomerID, told: Told)] = []
  private var keyCount = 0

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededRandom(seed: seed)
    gem = try CurrencyCode("GEM")
    let shop = try SimulatedShop.catalog()
    life = Item(id: try ItemID("life"), name: "Life", price: [CurrencyAmount(currency: gem, amount: 70)])
    let policy = BackendPolicy(currencyPrices: [try ProductCode("chest"): [Adjustment(gem, 40)]])
    world = try World(
      seed: seed,
      catalog: Catalog(
        currencies: shop.currencies, products: shop.products, items: [life], settings: shop.settings),
      policy: policy)
    for name in ["phone", "tablet"] {
      let network = FaultyBackend(world.access, seed: seed)
      let (storefront, keychain) = (world.store.account("family").device(name), FaultyKeychain())
      let client = try Self.open(world, storefront, network, keychain)
      devices.append(Device(storefront: storefront, network: network, keychain: keychain, client: client))
    }
  }

  private static func open(
    _ world: World, _ storefront: StoreDevice, _ network: FaultyBackend, _ keychain: FaultyKeychain
  ) throws -> StoreClient {
    let log = try KeychainEventLog(name: "client", in: keychain)
    XCTAssertEqual(log.problems, [])
    return try world.client(nil, on: storefront, eventLog: log, backend: network, style: .twoStep)
  }

  /// The process ends, and the app starts again with what its keychain has.
  private mutating func restart(_ index: Int) throws {
    devices[index].keychain = FaultyKeychain(devices[index].keychain.values)
    devices[index].storefront.relaunch()
    devices[index].client = try Self.open(
      world, devices[index].storefront, devices[index].network, devices[index].keychain)
  }

  private mutating func key() throws -> IdempotencyKey {
    // Now and then a tap is sent again.
    if random.percent(25), let tap = taps.last { return tap.key }
    keyCount += 1
    return try IdempotencyKey("tap-\(keyCount)")
  }

  mutating func step() async throws {
    let index = random.below(devices.count)
    let client = devices[index].client
    switch random.below(20) {
    case 0...2: try await buy(client)
    case 3...4: try await tap(client)
    case 5: await ignoring { _ = try await client.logIn(random.one(of: ["alice-4f1c", "bobby-77d0", "carol-0a1b"])) }
    case 6: await ignoring { _ = random.percent(50) ? try await client.logOut() : try await client.reset() }
    case 7: await ignoring { _ = try await client.restorePurchases() }
    case 8: await client.syncPurchases()
    case 9:
      if let code = codes.randomElement(using: &random) { await ignoring { _ = try await client.cancelOrder(code) } }
    case 10: try await preview(client)
    case 11...12: breakNetwork(devices[index].network)
    case 13...14: try changeStore()
    case 15: world.clock.advance(by: .seconds(random.percent(10) ? 90_000 : random.below(4000)))
    case 16: devices[index].keychain.inject(.ended, atChange: random.below(8))
    case 17: try restart(index)
    case 18:
      try await deliverNotices()
      _ = try await MaintenanceRunner(backend: world.backend).runOnce()
    default: await ignoring { _ = try await client.virtualCurrencies() }
    }
    if devices[index].keychain.hasEnded { try restart(index) }
  }

  private func ignoring(_ body: () async throws -> Void) async {
    // A call may fail in any way; what counts is what holds at the end.
    do { try await body() } catch {}
  }

  private mutating func buy(_ client: StoreClient) async throws {
    let product = random.one(of: ["gems", "gems", "chest", "vip", "monthly"])
    let key = random.percent(50) ? try IdempotencyKey("order-\(random.below(6))") : nil
    do {
      let outcome = try await client.purchase(order: PurchaseOrder(productID: product, key: key))
      if let code = outcome.order?.code { codes.append(code) }
    } catch {}
  }

  private mutating func tap(_ client: StoreClient) async throws {
    let (key, customer) = (try key(), try CustomerID(client.appUserID))
    do {
      if random.percent(40) {
        _ = try await client.buyItem(life.id, key: key)
        taps.append((key, customer, .booked))
      } else {
        let purchase = try await client.buyProvisionally(life, key: key)
        if case .booked = purchase {
          taps.append((key, customer, .booked))
        } else {
          taps.append((key, customer, .given))
        }
      }
    } catch {}
  }

  /// A dry run books nothing.
  private mutating func preview(_ client: StoreClient) async throws {
    let before = try newest()
    await ignoring { _ = try await client.previewLogIn("alice-4f1c") }
    await ignoring { _ = try await client.previewRestore() }
    XCTAssertEqual(try newest(), before, "seed \(seed)")
  }

  /// How many transactions the journal has; a story has fewer than a page.
  private func newest() throws -> Int { try world.ledger.feed(limit: Limits.historyPage).events.count }

  private mutating func breakNetwork(_ network: FaultyBackend) {
    guard random.percent(60) else { return network.heal() }
    network.fail(
      with: random.one(of: [.networkLostBeforeEffect, .networkLostAfterEffect, .timesOut]),
      random.one(of: [.next, .call(3), .random(percent: 40), .always]))
  }

  private mutating func changeStore() throws {
    let store = world.store
    let bought = store.allTransactions()
    switch random.below(5) {
    case 0: store.askToBuyEnabled.toggle()
    case 1:
      guard let one = bought.first(where: \.pendingAskToBuyConfirmation) else { return }
      if random.percent(60) {
        try store.approveAskToBuyTransaction(identifier: one.identifier)
      } else {
        try store.declineAskToBuyTransaction(identifier: one.identifier)
      }
    case 2:
      let paid = bought.filter { $0.state == .purchased && $0.transaction.revocation == nil }
      if let one = paid.randomElement(using: &random) { try store.refundTransaction(identifier: one.identifier) }
    case 3:
      let revoked = bought.filter { $0.transaction.revocation != nil }
      if let one = revoked.randomElement(using: &random) { try store.reverseRefund(identifier: one.identifier) }
    default: store.interruptedPurchasesEnabled = random.percent(20)
    }
  }

  /// The store tells the backend of refunds, and of refunds that it took back: no list shows those of a finished
  /// consumable.
  private func deliverNotices() async throws {
    for notice in try world.store.takeNotices() {
      let told: StoreEvidence
      switch notice {
      case .refunded(let evidence), .refundReversed(let evidence): told = evidence
      default: continue
      }
      await ignoring { try await world.backend.apply(told.transaction) }
    }
  }

  // MARK: The end

  mutating func end() async throws {
    for device in devices { device.network.heal() }
    for index in devices.indices { try restart(index) }
    try await deliverNotices()
    for _ in 0..<3 {
      world.clock.advance(by: .seconds(90_000))
      for device in devices { await device.client.syncPurchases() }
      for device in devices { await device.client.reconcileProvisionalSpends() }
      _ = try await MaintenanceRunner(backend: world.backend).runOnce()
    }
    // A purchase that was refunded before its credit, and paid for again, may have been credited by the other device.
    for device in devices {
      for item in device.client.queueItems { try await device.client.requeueReceipt(item.id) }
      await device.client.syncPurchases()
    }
    try await checkPurchases()
    try await checkTaps()
    try assertBooksAddUp(world.ledger)
    for customer in try world.ledger.customers(limit: 1000).customers {
      XCTAssertEqual(customer.balances.map(\.held).reduce(0, +), 0, "\(customer.id) holds, seed \(seed)")
    }
  }

  private func checkPurchases() async throws {
    var (credited, paid) = (Int64(0), Int64(0))
    // What the store took back before the credit is never credited, and stays unfinished.
    var takenBack: Set<StoreTransactionID> = []
    for one in world.store.allTransactions() where one.state == .purchased {
      let transaction = one.transaction
      let isRefunded = transaction.revocation != nil
      let purchase = try world.ledger.purchase(
        store: .apple, environment: transaction.environment, transactionID: transaction.id)
      guard let purchase else {
        XCTAssertTrue(isRefunded, "\(transaction.id) is not credited, seed \(seed)")
        takenBack.insert(transaction.id)
        continue
      }
      paid += 300 * transaction.quantity
      XCTAssertEqual(purchase.isRefunded, isRefunded, "\(transaction.id), seed \(seed)")
    }
    var cursor: FeedCursor?
    while true {
      let page = try world.ledger.feed(after: cursor, limit: 1000)
      for entry in page.events.flatMap(\.record.booking.entries) where entry.kind == .purchase {
        credited += entry.amount
      }
      cursor = page.next
      if !page.hasMore { break }
    }
    XCTAssertEqual(credited, paid, "seed \(seed)")
    for device in devices {
      let unfinished = try await device.storefront.unfinished(after: nil, limit: 100)
      XCTAssertTrue(takenBack.isSuperset(of: unfinished.map(\.transaction.id)), "seed \(seed)")
      let queued = device.client.queueItems
      XCTAssertTrue(takenBack.isSuperset(of: queued.map(\.storeTransactionID)), "\(queued), seed \(seed)")
      XCTAssertTrue(queued.allSatisfy { $0.lastError?.code == .receiptRevoked }, "\(queued), seed \(seed)")
    }
  }

  /// Each tap that the app was told of is booked, or was refused and said so.
  private func checkTaps() async throws {
    let refused = devices.flatMap(\.client.provisionalSpends)
    XCTAssertTrue(refused.allSatisfy { !$0.isWaiting }, "\(refused), seed \(seed)")
    for tap in taps {
      do throws(LedgerError) {
        let again = try await world.backend.buyItem(life.id, quantity: 1, customer: tap.customer, key: tap.key)
        XCTAssertTrue(again.isReplayed, "\(tap.key) of \(tap.customer) was lost, seed \(seed)")
      } catch {
        XCTAssertTrue(
          tap.told == .given && refused.contains { $0.key == tap.key },
          "\(tap.key) of \(tap.customer), told \(tap.told), refused \(refused): \(error), seed \(seed)")
      }
    }
  }
}
