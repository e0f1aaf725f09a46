import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import Synchronization
import XCTest

/// An order's key asks the store for one payment, however often the order is bought under it.
class OrderKeyTests: XCTestCase {
  private let alice = "alice-4f1c9a7e"
  private let order = PurchaseOrder(
    productID: "gems", context: OrderContext(roleID: "char-12345"), key: IdempotencyKey(unchecked: "tap-1"))

  func testAPaidOrderGivesItsFirstAnswer() async throws {
    let server = DeliveryLog()
    let world = try World(delivery: server)
    let client = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
    let first = try await client.purchase(order: order)
    let again = try await client.purchase(order: order)
    XCTAssertNotNil(again.result.customerInfo)
    XCTAssertEqual(again.answer?.booking.transactionID, first.answer?.booking.transactionID)
    XCTAssertEqual(again.answer?.booking.entries.map(\.amount), [300])
    XCTAssertEqual(again.answer?.booking.isReplayed, true)
    XCTAssertEqual(again.storeTransactionID, first.storeTransactionID)
    XCTAssertEqual(again.order?.code, first.order?.code)
    try assertOnePayment(in: world, server)
  }

  /// The key's payment was made and refunded, so that its order failed; a new payment takes a new key.
  func testARefundedOrderIsNotPaidForAgain() async throws {
    let world = try World(delivery: DeliveryLog(confirms: false))
    let client = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
    let first = try await client.purchase(order: order)
    XCTAssertEqual(first.order?.status, .deliveryPending)
    world.clock.advance(by: .seconds(60))
    var refunded = try XCTUnwrap(first.transaction)
    refunded.revocation = .init(revokedAt: world.clock.now)
    refunded.signedAt = world.clock.now
    _ = try await world.backend.apply(refunded)
    let again = try await client.purchase(order: order)
    XCTAssertNotNil(again.result.customerInfo)
    XCTAssertEqual(again.storeTransactionID, first.storeTransactionID)
    XCTAssertEqual(again.order?.status, .failed)
    XCTAssertEqual(again.answer?.purchase.refundedMilliPercent, 100_000)
    XCTAssertEqual(world.store.allTransactions().count, 1)
  }

  func testAPaymentThatWaitsForConsentIsAskedForOnce() async throws {
    let server = DeliveryLog()
    let world = try World(delivery: server)
    let client = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
    world.store.askToBuyEnabled = true
    for _ in 0..<3 {
      let outcome = try await client.purchase(order: order)
      XCTAssertEqual(outcome.result, .pending)
      XCTAssertEqual(outcome.order?.status, .pending)
    }
    // The consent comes long after the order's deadline; meanwhile a call with the key starts no payment.
    world.clock.advance(by: .seconds(3 * 86_400))
    let late = try await client.purchase(order: order)
    XCTAssertEqual(late.result, .pending)
    XCTAssertEqual(late.order?.status, .failed)
    try approveAll(world)
    let paid = try await client.purchase(order: order)
    XCTAssertNotNil(paid.result.customerInfo)
    XCTAssertEqual(paid.order?.status, .success)
    await client.syncPurchases()
    try assertOnePayment(in: world, server)
  }

  /// The journal is gone with the installation; the backend still knows that the order was announced.
  func testANewInstallationAndAnotherDeviceDoNotPayAgain() async throws {
    for isAnotherDevice in [false, true] {
      let server = DeliveryLog()
      let world = try World(delivery: server)
      let client = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
      world.store.askToBuyEnabled = true
      _ = try await client.purchase(order: order)
      world.store.askToBuyEnabled = false
      if !isAnotherDevice { world.phone.reinstall() }
      let next = try world.client(
        alice, on: isAnotherDevice ? world.tablet : world.phone, eventLog: MemoryEventLog())
      let waiting = try await next.purchase(order: order)
      XCTAssertEqual(waiting.result, .pending)
      try approveAll(world)
      let paid = try await next.purchase(order: order)
      XCTAssertNotNil(paid.result.customerInfo)
      try assertOnePayment(in: world, server)
    }
  }

  func testAKeyWhoseOrderWasOpenedAndNeverPaidCanStillPay() async throws {
    typealias Call = FaultyBackend.Call
    let rows: [(line: UInt, lost: [Call], cancels: Bool)] = [
      (#line, [.initPayment], false), (#line, [], true), (#line, [.cancelPayment], true),
    ]
    for row in rows {
      for isRestarted in [false, true] {
        let server = DeliveryLog()
        let world = try World(delivery: server)
        let network = FaultyBackend(world.access)
        let eventLog = MemoryEventLog()
        var client = try world.client(alice, on: world.phone, eventLog: eventLog, backend: network)
        for call in row.lost { network.fail(call, with: .networkLostAfterEffect, .call(1)) }
        if row.cancels { try world.store.inject(StoreFault(.cancel, on: .purchase)) }
        if row.lost == [.initPayment] {
          await assertRefused(.backendUnreachable, line: row.line) { try await client.purchase(order: self.order) }
        } else {
          let outcome = try await client.purchase(order: order)
          XCTAssertEqual(outcome.result, .cancelled, line: row.line)
        }
        if isRestarted {
          client.flush()
          client = try world.client(alice, on: world.phone, eventLog: eventLog, backend: network)
        }
        let outcome = try await client.purchase(order: order)
        XCTAssertNotNil(outcome.result.customerInfo, line: row.line)
        XCTAssertEqual(outcome.order?.status, .success, line: row.line)
        try assertOnePayment(in: world, server, line: row.line)
      }
    }
  }

  /// The process ends between the durable intent and the store's first row, or the store's answer is lost.
  func testAKeyPaysAfterAKillBeforeThePaymentAndOnceAfterALostAnswer() async throws {
    for fault in [StoreFault(.networkCutBefore, on: .purchase), StoreFault(.networkCutAfter, on: .purchase)] {
      for isRestarted in [false, true] {
        for days in [0, 3] {
          let server = DeliveryLog()
          let world = try World(delivery: server)
          let eventLog = MemoryEventLog()
          var client = try world.client(alice, on: world.phone, eventLog: eventLog)
          try world.store.inject(fault)
          await assertRefused(.storeError) { try await client.purchase(order: self.order) }
          if isRestarted {
            client.flush()
            client = try world.client(alice, on: world.phone, eventLog: eventLog)
          }
          // By then the order has failed for want of a payment.
          world.clock.advance(by: .seconds(days * 86_400))
          let outcome = try await client.purchase(order: order)
          XCTAssertNotNil(outcome.result.customerInfo, "\(fault) \(isRestarted) \(days)")
          XCTAssertEqual(outcome.order?.status, .success)
          try assertOnePayment(in: world, server)
        }
      }
    }
  }

  func testAReceiptOfTheOrderThatWaitsIsTriedAgain() async throws {
    let server = DeliveryLog()
    let world = try World(delivery: server)
    let network = FaultyBackend(world.access)
    let client = try world.client(alice, on: world.phone, eventLog: MemoryEventLog(), backend: network)
    for call in [FaultyBackend.Call.post, .completePayment] {
      network.fail(call, with: .networkLostBeforeEffect, .always)
    }
    for _ in 0..<2 {
      let outcome = try await client.purchase(order: order)
      XCTAssertEqual(outcome.result, .pendingServerValidation)
      XCTAssertEqual(outcome.failure?.code, .backendUnreachable)
    }
    network.heal()
    let paid = try await client.purchase(order: order)
    XCTAssertNotNil(paid.result.customerInfo)
    try assertOnePayment(in: world, server)
  }

  func testOtherCustomersHaveKeysOfTheirOwn() async throws {
    let server = DeliveryLog()
    let world = try World(delivery: server)
    let client = try world.client(alice, on: world.phone, eventLog: MemoryEventLog())
    _ = try await client.purchase(order: order)
    try await client.identify("bobby-77d0e2b1")
    let outcome = try await client.purchase(order: order)
    XCTAssertEqual(outcome.answer?.booking.customer.text, "bobby-77d0e2b1")
    XCTAssertEqual(outcome.answer?.booking.isReplayed, false)
    XCTAssertEqual(world.store.allTransactions().count, 2)
    XCTAssertEqual(server.codes.count, 2)
  }

  // MARK: Helpers

  private func approveAll(_ world: World) throws {
    for waiting in world.store.allTransactions() where waiting.pendingAskToBuyConfirmation {
      try world.store.approveAskToBuyTransaction(identifier: waiting.identifier)
    }
  }

  private func assertOnePayment(in world: World, _ server: DeliveryLog, line: UInt = #line) throws {
    XCTAssertEqual(world.store.allTransactions().map(\.state), [.purchased], line: line)
    XCTAssertTrue(world.store.allTransactions().allSatisfy(\.isFinished), line: line)
    XCTAssertEqual(try world.balance(alice), 300, line: line)
    let orders = try world.backend.orders(of: CustomerID(alice))
    XCTAssertEqual(orders.map(\.status), [.success], line: line)
    XCTAssertEqual(server.codes, orders.map(\.code), line: line)
    try assertBooksAddUp(world.ledger)
  }
}

/// A game server that confirms every delivery, or none.
final class DeliveryLog: DeliveryTarget {
  private let deliveries = Mutex<[Delivery]>([])
  private let confirms: Bool

  init(confirms: Bool = true) { self.confirms = confirms }

  var all: [Delivery] { deliveries.withLock { $0 } }
  var codes: [PurchaseCode] { all.map(\.purchaseCode) }

  func deliver(_ delivery: Delivery) async -> Bool {
    deliveries.withLock { $0.append(delivery) }
    return confirms
  }
}
