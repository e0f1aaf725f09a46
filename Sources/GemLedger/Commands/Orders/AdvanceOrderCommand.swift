/// A step that an order takes without a payment.
package enum OrderStep: Hashable, Sendable {
  /// It will not be paid.
  case fail
  /// The delivery was confirmed.
  case deliver
  /// The next try begins, after `attempts` earlier tries; the try after it is due at `nextAt`, or never.
  case tryDelivery(attempts: Int64, nextAt: Timestamp?)
  /// The delivery due at `dueAt` is postponed to `nextAt`.
  case postponeDelivery(dueAt: Timestamp, nextAt: Timestamp)
  /// The refund due at `dueAt` is requested instead of further tries, and again at `nextAt` unless it arrives.
  case requestRefund(dueAt: Timestamp, nextAt: Timestamp)
  /// There will be no refund: the order waits for a person.
  case giveUpRefund
  /// The payment was refunded before the delivery was confirmed.
  case withdraw
  /// The refund of a withdrawn order was reversed; its delivery starts again.
  case resume
}

/// Advances an order by one step.
final class AdvanceOrderCommand: Command {
  let code: PurchaseCode
  let step: OrderStep

  init(_ code: PurchaseCode, _ step: OrderStep) {
    self.code = code
    self.step = step
  }

  var action: LedgerCommand.Action { .advanceOrder(self) }

  static let keyFields = KeyFields(rest: "kind")
  var asked: Int64 { Fingerprint.asked(.keyless, 0) }
  var namedCustomers: NamedCustomers { .none }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    LedgerCommand.Footprint(order: code, subject: .orderer)
  }
  var independence: Independence { .none }

  /// - Throws: `order_not_found`.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    guard var order = try decider.books.work.orders.find(code) else { throw .orderNotFound(code) }
    let isTaken = order.take(step, at: decider.books.work.now)
    if isTaken { decider.books.work.orders.replace(order) }
    return decider.books.work.answer(command.customer, isReplayed: !isTaken)
  }
}

extension LedgerCommand {
  /// Advances an order by one step; the answer is replayed if the order cannot take the step.
  package static func advanceOrder(_ code: PurchaseCode, _ step: OrderStep, customer: CustomerID) -> Self {
    Self(AdvanceOrderCommand(code, step), customer: customer, key: nil)
  }
}
