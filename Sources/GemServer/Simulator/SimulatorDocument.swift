#if Server
internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

/// The simulator's objects as JSON.
enum SimulatorDocument {
  /// The product codes by store product id.
  struct Codes {
    private let codes: [ByteString: ProductCode]

    init(_ simulator: Simulator) throws(LedgerError) {
      let store = simulator.shop.store.description
      let pairs = try simulator.project.ledger.currentCatalog().products.compactMap { product in
        product.storeIDs[store].map { (ByteString($0), product.code) }
      }
      codes = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    subscript(storeProductID: String) -> ProductCode? { codes[ByteString(storeProductID)] }
  }

  /// The purchase in the store's state.
  static func purchase(_ one: ShopTransaction, _ codes: Codes) -> JSONObject {
    let transaction = one.transaction
    return [
      "object": "simulator.purchase", "store_transaction_id": .string(transaction.id.text),
      "order_id": JSONValue(transaction.orderID), "state": .string(one.state),
      "product_id": JSONValue(codes[transaction.storeProductID]?.text),
      "store_product_id": .string(transaction.storeProductID), "quantity": .integer(transaction.quantity),
      "price": money(transaction.price), "store_account": .string(one.account),
      "account_token": JSONValue(transaction.accountToken?.description), "pending": .bool(one.isPending),
      "interrupted": .bool(one.isInterrupted), "paid": .bool(one.isPaid), "finished": .bool(one.isFinished),
      "purchased_at": .integer(transaction.purchasedAt.milliseconds),
      "expires_at": JSONValue(transaction.expiresAt?.milliseconds),
      "refunded_at": JSONValue(transaction.revocation?.revokedAt.milliseconds),
      "refunded_milli_percent": JSONValue(transaction.revocation?.extent.milliPercent),
      "refunded_quantity": JSONValue(transaction.revocation?.extent.units),
    ]
  }

  /// The purchase with the currently signed receipt, and with the notice that was not accepted.
  static func purchase(
    _ one: ShopTransaction, _ simulator: Simulator, noticeFailure: LedgerError? = nil
  ) throws(LedgerError) -> JSONValue {
    var object = purchase(one, try Codes(simulator))
    object["fetch_token"] = one.isPaid ? .string(simulator.shop.receipt(of: one.transaction).text) : .null
    object["notice_error"] = noticeFailure.map(error) ?? .null
    return .object(object)
  }

  /// The outcome of a payment.
  static func receipt(
    _ outcome: Simulator.Outcome<Simulator.Receipt>, of payment: Simulator.Payment
  ) -> JSONValue {
    let receipt = outcome.value
    return [
      "object": "simulator.purchase", "result": .string(receipt.result.rawValue),
      "store_transaction_id": JSONValue(receipt.id?.text), "product_id": .string(payment.product.text),
      "app_user_id": .string(payment.customer.text), "quantity": .integer(payment.quantity),
      "store_account": .string(payment.account), "device": .string(payment.device),
      "fetch_token": JSONValue(receipt.evidence?.receipt.text), "new": receipt.isNew.map(JSONValue.bool) ?? .null,
      "unverified": JSONValue(receipt.evidence?.unverified?.rawValue), "failure": JSONValue(receipt.failure?.rawValue),
      "credit": receipt.credit.map(credit) ?? .null, "credit_error": receipt.creditFailure.map(error) ?? .null,
      "notice_error": outcome.noticeFailure.map(error) ?? .null,
    ]
  }

  static func fault(_ fault: StoreFault) -> JSONValue {
    let (effect, seconds) = fault.effect.words
    let (timing, count) = fault.timing.words
    return [
      "object": "simulator.fault", "api": .string(fault.api.rawValue), "effect": .string(effect),
      "delay_seconds": JSONValue(seconds), "timing": .string(timing), "count": JSONValue(count),
      "store_account": JSONValue(fault.account), "device": JSONValue(fault.device),
    ]
  }

  static func clock(_ simulator: Simulator) -> JSONObject {
    [
      "object": "simulator.clock", "now": .integer(simulator.clock.now.milliseconds),
      "ahead_seconds": .integer(simulator.clock.milliseconds(aheadOf: .system) / 1000),
      "movable": .bool(simulator.canMoveClock),
    ]
  }

  static func error(_ error: LedgerError) -> JSONValue {
    ["code": .string(error.code.description), "message": .string(ErrorStyle.publicMessage(error))]
  }

  private static func credit(_ answer: ReceiptAnswer) -> JSONValue {
    let booking = answer.booking
    var (credited, balances) = (JSONObject(), JSONObject())
    for entry in booking.entries {
      let code = entry.currency.description
      credited[code] = .integer((credited[code]?.integer ?? 0) + entry.amount)
      balances[code] = .integer(entry.balance)
    }
    return [
      "transaction_id": JSONValue(booking.transactionID?.description), "customer_id": .string(booking.customer.text),
      "credited": .object(credited), "balances": .object(balances), "replayed": .bool(booking.isReplayed),
    ]
  }

  private static func money(_ money: Money?) -> JSONValue {
    money.map { ["minor_units": .integer($0.minorUnits), "currency": .string($0.currency)] } ?? .null
  }
}

extension StoreTransaction.Revocation.Extent {
  /// The refunded share in thousandths of a percent; nil if the store counts units.
  fileprivate var milliPercent: Int64? {
    switch self {
    case .full: 100_000
    case .milliPercent(let share): share
    case .quantity, .totalQuantity: nil
    }
  }

  /// The refunded units; nil if the store counts shares.
  fileprivate var units: Int64? {
    switch self {
    case .full, .milliPercent: nil
    case .quantity(let units), .totalQuantity(let units): units
    }
  }
}

extension StoreFault.Effect {
  fileprivate var words: (effect: String, delaySeconds: Int64?) {
    switch self {
    case .failure(let failure): (failure.rawValue, nil)
    case .unverified(let failure): (failure.rawValue, nil)
    case .delay(let length): (Self.delayWord, length.components.seconds)
    case .slow(let length): ("slow", length.components.seconds)
    case .networkCutBefore, .networkCutAfter, .cancel, .reportsCancelled, .reportsPending, .askToBuy, .interrupt,
      .duplicate, .reorder:
      (text, nil)
    }
  }
}

extension StoreFault.Timing {
  fileprivate var words: (timing: String, count: Int64?) {
    switch self {
    case .once: ("once", nil)
    case .always: ("always", nil)
    case .nth(let count): ("nth", count)
    case .times(let count): ("times", count)
    case .chance(let percent): ("chance", percent)
    }
  }
}
#endif
