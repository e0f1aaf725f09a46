import Foundation
import GemLedger
import GemTestSupport
import Synchronization
import XCTest

/// The programs of the guides run, and the guides show these programs, byte for byte.
final class GuideTests: XCTestCase {
  // MARK: Holds

  func testGrantThenCaptureTakesOnceHoweverOftenItIsAskedFor() async throws {
    let (ledger, alice, gem) = try Self.ledger()
    let shop = PotionShop(ledger: ledger, gem: gem, inventory: PotionInventory())
    let first = try await shop.sellPotion(to: alice, key: Make.key("k"))
    let again = try await shop.sellPotion(to: alice, key: Make.key("k"))
    XCTAssertEqual(again.transactionID, first.transactionID)
    XCTAssertEqual(shop.inventory.potions, 1)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, 1150)
    try assertBooksAddUp(ledger)
  }

  func testGrantThatFailsTakesNothingAndGivesNothingLater() async throws {
    let (ledger, alice, gem) = try Self.ledger()
    let shop = PotionShop(ledger: ledger, gem: gem, inventory: PotionInventory(isFull: true))
    do {
      _ = try await shop.sellPotion(to: alice, key: Make.key("k"))
      XCTFail("sold")
    } catch is PotionInventory.Full {}
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).available, 1200)
    XCTAssertEqual(try ledger.holds(of: alice), [])
    shop.inventory.makeRoom()
    await assertRefused(.holdEnded) { try await shop.sellPotion(to: alice, key: Make.key("k")) }
    XCTAssertEqual(shop.inventory.potions, 0)
    _ = try await shop.sellPotion(to: alice, key: Make.key("l"))
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, 1150)
    try assertBooksAddUp(ledger)
  }

  func testARetryFinishesWhereverTheProcessDied() async throws {
    for step in 0..<2 {
      for moment in CrashPoint.Side.allCases {
        let world = try SagaWorld()
        let inventory = PotionInventory()
        world.crashPoint.begin(deaths: [step: moment])
        let first = PotionShop(ledger: world.ledger, gem: world.gem, inventory: inventory)
        do {
          _ = try await first.sellPotion(to: world.alice, key: Make.key("k"))
          XCTFail("lived")
        } catch let error as LedgerError { XCTAssertEqual(error, CrashPoint.death) }
        world.crashPoint.begin()
        let second = PotionShop(ledger: world.ledger, gem: world.gem, inventory: inventory)
        _ = try await second.sellPotion(to: world.alice, key: Make.key("k"))
        XCTAssertEqual(inventory.potions, 1)
        XCTAssertEqual(try world.balance.balance, 50)
        XCTAssertEqual(try world.balance.held, 0)
      }
    }
  }

  /// After the deadline it is unknown whether the potion was given, at whichever step the process died.
  func testARetryAfterTheDeadlineGivesOnceAndTakesOnce() async throws {
    for (step, moment) in [(0, CrashPoint.Side.after), (1, .before), (1, .after)] {
      let world = try SagaWorld()
      let shop = PotionShop(ledger: world.ledger, gem: world.gem, inventory: PotionInventory())
      world.crashPoint.begin(deaths: [step: moment])
      do { _ = try await shop.sellPotion(to: world.alice, key: Make.key("k")) } catch {
        XCTAssertTrue(world.crashPoint.isDead, "\(error)")
      }
      for _ in 0..<2 {
        world.crashPoint.begin()
        world.time.advance(seconds: 901)
        _ = try await shop.sellPotion(to: world.alice, key: Make.key("k"))
        XCTAssertEqual(shop.inventory.potions, 1)
        XCTAssertEqual(try world.balance.balance, 50)
        XCTAssertEqual(try world.balance.held, 0)
      }
      try assertBooksAddUp(world.ledger)
    }
  }

  /// The gems are gone when the retry comes: the answer names the same key, and under it the sale is finished later.
  func testARetryAfterTheDeadlineWithoutFundsAsksForTheSameKey() async throws {
    let world = try SagaWorld()
    let shop = PotionShop(ledger: world.ledger, gem: world.gem, inventory: PotionInventory())
    world.crashPoint.begin(deaths: [1: .before])
    do { _ = try await shop.sellPotion(to: world.alice, key: Make.key("k")) } catch {
      XCTAssertTrue(world.crashPoint.isDead, "\(error)")
    }
    world.crashPoint.begin()
    world.time.advance(seconds: 901)
    try world.ledger.spend([Adjustment(world.gem, 80)], customer: world.alice)
    for _ in 0..<2 {
      do {
        _ = try await shop.sellPotion(to: world.alice, key: Make.key("k"))
        XCTFail("sold")
      } catch let error as LedgerError {
        XCTAssertEqual(error.code, .insufficientBalance)
        XCTAssertTrue(error.message.contains("the same key"), error.message)
      }
    }
    try world.ledger.grant([Adjustment(world.gem, 40)], customer: world.alice)
    _ = try await shop.sellPotion(to: world.alice, key: Make.key("k"))
    XCTAssertEqual(shop.inventory.potions, 1)
    XCTAssertEqual(try world.balance.balance, 10)
  }

  /// Giving takes longer than the hold lasts, and the retry comes meanwhile: both calls succeed, one of them pays.
  func testTwoCallsAroundTheDeadlineTakeOnce() async throws {
    let world = try SagaWorld()
    let inventory = PotionInventory()
    let (key, potions) = (try Make.key("k"), [Adjustment(world.gem, 50)])
    try await world.ledger.spend(potions, customer: world.alice, key: key) {
      try inventory.give("potion", to: world.alice, key: key)
      world.time.advance(seconds: 901)
      try await world.ledger.spend(potions, customer: world.alice, key: key) {
        try inventory.give("potion", to: world.alice, key: key)
      }
    }
    XCTAssertEqual(inventory.potions, 1)
    XCTAssertEqual(try world.balance.balance, 50)
    XCTAssertEqual(try world.balance.held, 0)
  }

  func testThePageOfHoldsShowsThatProgram() throws {
    XCTAssertEqual(try Guide.blocks(of: "Holds"), try Guide.program("PotionShop"))
  }

  // MARK: Two shapes

  func testTheSplitShape() async throws {
    let (ledger, alice, gem) = try Self.ledger()
    let coins = CoinTable()
    let key = try Make.key("tap")
    try await buyCoins(ledger: ledger, coins: coins, player: alice, gem: gem, key: key)
    try await buyCoins(ledger: ledger, coins: coins, player: alice, gem: gem, key: key)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, 1150)
    XCTAssertEqual(coins.balance(of: alice), 5000)
    try assertBooksAddUp(ledger)
  }

  func testTheUnifiedShape() throws {
    let (ledger, alice, gem) = try Self.ledger()
    let coin = try CurrencyCode("COIN")
    let key = try Make.key("tap")
    try exchangeForCoins(ledger: ledger, player: alice, gem: gem, coin: coin, key: key)
    try exchangeForCoins(ledger: ledger, player: alice, gem: gem, coin: coin, key: key)
    XCTAssertEqual(try ledger.balance(of: gem, customer: alice).balance, 1150)
    XCTAssertEqual(try ledger.balance(of: coin, customer: alice).balance, 5000)
    try assertBooksAddUp(ledger)
  }

  func testThePageOfTwoShapesShowsThesePrograms() throws {
    XCTAssertEqual(try Guide.blocks(of: "TwoShapes"), try Guide.program("CoinExchange"))
  }

  /// Alice has bought a pack of 1,200 gems.
  private static func ledger() throws -> (Ledger, CustomerID, CurrencyCode) {
    let ledger = Ledger.inMemory(clock: ManualClock().clock, salt: 1)
    try ledger.apply(Make.catalog())
    let alice = try Make.customer("alice")
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    return (ledger, alice, try CurrencyCode("GEM"))
  }
}

/// The potions of a game; it recognises a repeated key.
private final class PotionInventory: Inventory {
  struct Full: Error {}

  private let state: Mutex<(keys: Set<IdempotencyKey>, isFull: Bool)>

  init(isFull: Bool = false) { state = Mutex(([], isFull)) }

  var potions: Int { state.withLock { $0.keys.count } }
  func makeRoom() { state.withLock { $0.isFull = false } }

  func give(_ item: String, to player: CustomerID, key: IdempotencyKey) throws {
    try state.withLock { state in
      if state.isFull { throw Full() }
      state.keys.insert(key)
    }
  }
}

/// Pages with programs in them.
private enum Guide {
  private static var top: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  }

  /// The page's blocks of Swift, one after the other.
  static func blocks(of page: String) throws -> String {
    let path = top.appending(path: "Sources/GemLedger/GemLedger.docc/\(page).md")
    let parts = try String(contentsOf: path, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
    return parts.map { $0.components(separatedBy: "```\n")[0] }.joined(separator: "\n")
  }

  /// A file of this module.
  static func program(_ name: String) throws -> String {
    try String(contentsOf: top.appending(path: "Tests/GemLedgerTests/Guides/\(name).swift"), encoding: .utf8)
  }
}
