import GemTestSupport
import XCTest

@testable import GemLedger

final class OrderRulesTests: XCTestCase {
  private let now = Timestamp(milliseconds: 500)

  private func opening(_ change: (inout OrderOpening) throws -> Void = { _ in }) throws -> OrderOpening {
    var opening = OrderOpening(
      code: try PurchaseCode("ORDER"), store: .apple, product: try ProductCode("gems"), quantity: 2,
      request: #"{"note":"a"}"#, key: nil, lifetimeMilliseconds: 1000, paidBy: nil)
    try change(&opening)
    return opening
  }

  private func order(
    _ state: OrderRow.State = .pending, attempts: Int64 = 0, dueAt: Int64? = nil
  ) throws -> OrderRow {
    let opening = try opening()
    var order = OrderRow(
      number: 1, code: opening.code, customer: 1, store: opening.store, product: opening.product,
      quantity: opening.quantity, request: opening.request, key: nil, createdAt: Timestamp(milliseconds: 0),
      deadline: Timestamp(milliseconds: 1000))
    (order.state, order.deliveryAttempts) = (state, attempts)
    if let dueAt { order.dueAt = dueAt }
    return order
  }

  private func purchase(
    _ store: Store = .apple, _ product: String = "gems", _ quantity: Int64 = 2, id: String = "t",
    environment: Int64 = 1, original: String? = nil
  ) throws -> PurchaseRow {
    PurchaseRow(
      number: 8,
      identity: PurchaseIdentity(
        store: store, environment: environment, transactionID: try StoreTransactionID(id)), customer: 1,
      transaction: 3, product: try ProductCode(product), quantity: quantity, price: nil, purchasedAt: now,
      frozenProduct: "{}", originalTransactionID: try original.map { (id) throws in try StoreTransactionID(id) })
  }

  func testTheSameAnnouncement() throws {
    let order = try order()
    let rows: [(line: UInt, opening: OrderOpening, field: String?)] = [
      (#line, try opening(), nil), (#line, try opening { $0.store = .google }, "store"),
      (#line, try opening { $0.product = try ProductCode("coins") }, "product"),
      (#line, try opening { $0.quantity = 3 }, "quantity"), (#line, try opening { $0.request = "{}" }, "note"),
      (#line, try opening { $0.request = "not JSON" }, "order"),
      (#line, try opening { $0.request = #"{ "note": "a" }"# }, nil),
      // The client's claim and the costs are not part of the request.
      (#line, try opening { $0.request = #"{"note":"a","claim":"x","costs":{"GEM":1}}"# }, nil),
      (#line, try opening { $0.lifetimeMilliseconds = 5 }, nil),
    ]
    for row in rows { XCTAssertEqual(order.differingField(from: row.opening), row.field, line: row.line) }
  }

  func testThePurchaseThatPays() throws {
    let order = try order()
    let rows: [(line: UInt, purchase: PurchaseRow, fits: Bool)] = [
      (#line, try purchase(), true), (#line, try purchase(.google), false),
      (#line, try purchase(.apple, "coins"), false), (#line, try purchase(.apple, "gems", 1), false),
    ]
    for row in rows { XCTAssertEqual(order.fits(row.purchase), row.fits, line: row.line) }
  }

  func testPaidOrders() throws {
    for (delivery, state, dueAt, attempts) in [(nil, .success, .max, 0), (60, .deliveryPending, 560, 1)]
      as [(Int64?, OrderRow.State, Int64, Int64)]
    {
      for before in [OrderRow.State.pending, .failed] {
        var order = try order(before)
        order.complete(by: try purchase(), at: now, retryAfterMilliseconds: delivery)
        XCTAssertEqual(order.purchase, 8)
        XCTAssertEqual(order.state, state)
        XCTAssertEqual(order.dueAt, dueAt)
        XCTAssertEqual(order.deliveryAttempts, attempts)
        XCTAssertEqual(order.updatedAt, now)
      }
    }
  }

  func testSteps() throws {
    let (due, later) = (Timestamp(milliseconds: 7), Timestamp(milliseconds: 900))
    let asked = OrderRow.refundMark + 2
    typealias Row = (line: UInt, order: OrderRow, step: OrderStep, state: OrderRow.State?, dueAt: Int64)
    let rows: [Row] = [
      (#line, try order(), .fail, .failed, 500), (#line, try order(.failed), .fail, nil, 0),
      (#line, try order(.success), .fail, nil, 0), (#line, try order(.deliveryPending), .fail, nil, 0),
      (#line, try order(.deliveryPending), .deliver, .success, .max), (#line, try order(), .deliver, nil, 0),
      (#line, try order(.success, dueAt: .max), .deliver, nil, 0),
      // The confirmation came after the refund.
      (#line, try order(.success, dueAt: 7), .deliver, .success, .max),
      (
        #line, try order(.deliveryPending, attempts: 2), .tryDelivery(attempts: 2, nextAt: later), .deliveryPending, 900
      ),
      (
        #line, try order(.deliveryPending, attempts: 2), .tryDelivery(attempts: 2, nextAt: nil), .deliveryPending, .max
      ),
      // Another process took this try.
      (#line, try order(.deliveryPending, attempts: 3), .tryDelivery(attempts: 2, nextAt: later), nil, 0),
      (#line, try order(.success, attempts: 2), .tryDelivery(attempts: 2, nextAt: later), nil, 0),
      (
        #line, try order(.deliveryPending, dueAt: 7), .postponeDelivery(dueAt: due, nextAt: later), .deliveryPending,
        900
      ),
      (#line, try order(.deliveryPending, dueAt: 7), .requestRefund(dueAt: due, nextAt: later), .deliveryPending, 900),
      (#line, try order(.deliveryPending, dueAt: 8), .requestRefund(dueAt: due, nextAt: later), nil, 0),
      (#line, try order(.success, dueAt: 7), .requestRefund(dueAt: due, nextAt: later), nil, 0),
      (#line, try order(.deliveryPending, attempts: asked, dueAt: 7), .giveUpRefund, .deliveryPending, .max),
      (#line, try order(.deliveryPending, dueAt: .max), .giveUpRefund, nil, 0),
      (#line, try order(.failed, dueAt: 7), .giveUpRefund, nil, 0),
      // Once the refund is asked for, no try begins.
      (#line, try order(.deliveryPending, attempts: asked), .tryDelivery(attempts: 2, nextAt: later), nil, 0),
      (#line, try order(.deliveryPending, dueAt: 8), .postponeDelivery(dueAt: due, nextAt: later), nil, 0),
      (#line, try order(.failed, dueAt: 7), .postponeDelivery(dueAt: due, nextAt: later), nil, 0),
      (#line, try order(.deliveryPending), .withdraw, .success, 500), (#line, try order(), .withdraw, nil, 0),
      (#line, try order(.success), .withdraw, nil, 0), (#line, try order(.failed), .withdraw, nil, 0),
      (#line, try order(.success, dueAt: 7), .resume, .deliveryPending, 500),
      (#line, try order(.success, dueAt: .max), .resume, nil, 0),
      (#line, try order(.failed, dueAt: 7), .resume, nil, 0),
    ]
    for row in rows {
      var order = row.order
      XCTAssertEqual(order.take(row.step, at: now), row.state != nil, line: row.line)
      guard let state = row.state else {
        XCTAssertEqual(order, row.order, line: row.line)
        continue
      }
      XCTAssertEqual(order.state, state, line: row.line)
      XCTAssertEqual(order.dueAt, row.dueAt, line: row.line)
      XCTAssertEqual(order.updatedAt, now, line: row.line)
    }
  }

  func testTriesAreCountedBesideTheMarkOfARefund() throws {
    var order = try order(.deliveryPending, attempts: 8, dueAt: 7)
    for _ in 0..<3 {
      let due = Timestamp(milliseconds: order.dueAt)
      XCTAssertTrue(order.take(.requestRefund(dueAt: due, nextAt: due.advanced(milliseconds: 1)), at: now))
      XCTAssertTrue(order.isRefundRequested)
      XCTAssertEqual(order.tryCount, 8)
    }
    for step in [OrderStep.giveUpRefund, .withdraw] {
      var after = order
      XCTAssertTrue(after.take(step, at: now))
      XCTAssertEqual(after.deliveryAttempts, 8)
    }
  }

  /// An entitlement moves with all cycles of its subscription.
  func testCyclesOfOneSubscription() throws {
    let first = try purchase(id: "a")
    let rows: [(line: UInt, other: PurchaseRow, isOfOne: Bool)] = [
      (#line, try purchase(id: "a"), true), (#line, try purchase(id: "b", original: "a"), true),
      (#line, try purchase(id: "b"), false), (#line, try purchase(id: "b", original: "c"), false),
      (#line, try purchase(.google, id: "b", original: "a"), false),
      (#line, try purchase(id: "b", environment: 2, original: "a"), false),
    ]
    for row in rows {
      XCTAssertEqual(first.isOfOneSubscription(as: row.other), row.isOfOne, line: row.line)
      XCTAssertEqual(row.other.isOfOneSubscription(as: first), row.isOfOne, line: row.line)
    }
  }
}
