import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient

/// `order open`, `order cancel`, `order report`: the separate steps of a two-step purchase.
struct OrderCommands {
  let invocation: Invocation

  func open() throws {
    let product = try ProductCode(invocation.parsed.positionals[0])
    let (quantity, key) = (try invocation.quantity() ?? 1, try invocation.key())
    let context = invocation.orderContext
    let order = try invocation.withClient { (session) async throws(LedgerError) in
      try await session.backend.initPayment(
        OrderRequest(
          customer: session.client.customerID, product: product, quantity: quantity, store: session.store.store,
          bundleID: session.client.configuration.bundleID, context: context, key: key))
    }
    try show(order)
  }

  func cancel() throws {
    let text = invocation.parsed.positionals[0]
    let order = try invocation.withClient { (session) async throws(LedgerError) in
      let code = try await invocation.purchaseCode(text) { () async throws(LedgerError) in
        try await session.client.orders(size: 100)
      }
      return try await session.client.cancelOrder(code)
    }
    try show(order)
  }

  func report() throws {
    let from = try invocation.time("--from") ?? Timestamp(milliseconds: 0)
    let until = try invocation.time("--until") ?? invocation.now()
    let (limit, cursor) = (try invocation.limit(), try invocation.ordersCursor())
    let page = try invocation.withClient(onlyReads: true) { (session) async throws(LedgerError) in
      try session.backend.ordersReport(from: from, until: until, limit: limit, after: cursor)
    }
    try invocation.print(OrderView.json(page), { OrderView.report(page, style: $0) })
  }

  private func show(_ order: Order) throws(LedgerError) {
    guard case .object(var object) = OrderView.json(order) else { return }
    object["replayed"] = .bool(order.isReplayed)
    let text = "\(order.code): \(order.status.rawValue)\(order.isReplayed ? " (replayed)" : "")\n"
    try invocation.print(.object(object), { _ in text })
  }
}

/// `deliveries list`, `deliveries undelivered`, `deliveries retry`: paid orders on their way to a game server.
struct DeliveryCommands {
  let invocation: Invocation

  func list() throws {
    try show(none: "No delivery is pending.") { (backend, limit, cursor) throws(LedgerError) in
      try backend.pendingDeliveries(limit: limit, after: cursor)
    }
  }

  func undelivered() throws {
    try show(none: "No delivery has used up its tries.") { (backend, limit, cursor) throws(LedgerError) in
      try backend.undelivered(limit: limit, after: cursor)
    }
  }

  /// - Throws: ``ExitStatus/incomplete`` if the named order is not delivered.
  func retry() throws {
    guard invocation.settings.deliver != nil else {
      throw invocation.usageError(
        "name the shell command that delivers with --deliver or GEMCTL_DELIVER")
    }
    guard let text = invocation.parsed.positionals.first else { return try retryDue() }
    let order = try invocation.withClient { (session) async throws(LedgerError) in
      let code = try await invocation.purchaseCode(text) { () throws(LedgerError) in
        try session.backend.pendingDeliveries(limit: 1000, after: nil).orders
          + session.backend.undelivered(limit: 1000, after: nil).orders
      }
      return try await session.backend.retryDelivery(of: code)
    }
    let next = order.nextDeliveryAt.map { ", next try at \($0)" } ?? ""
    let line = "\(order.code): \(order.status.rawValue)\(next)\n"
    try invocation.print(OrderView.json(order), { _ in line })
    if order.status != .success { throw ExitStatus.incomplete }
  }

  private func retryDue() throws {
    let round = try invocation.withClient { (session) async throws(LedgerError) in
      try await session.backend.retryDeliveries()
    }
    let json: JSONValue = [
      "tried": .integer(Int64(round.tried)), "confirmed": .integer(Int64(round.confirmed)),
      "exhausted": .integer(Int64(round.exhausted)),
    ]
    try invocation.print(json) { _ in
      "Tried \(round.tried), confirmed \(round.confirmed), without a try left \(round.exhausted).\n"
    }
  }

  private func show(
    none: String, _ page: @escaping @Sendable (LocalBackend, Int, OrdersPage.Cursor?) throws(LedgerError) -> OrdersPage
  ) throws {
    let (limit, cursor) = (try invocation.limit(), try invocation.ordersCursor())
    let found = try invocation.withClient(onlyReads: true) { (session) async throws(LedgerError) in
      try page(session.backend, limit, cursor)
    }
    try invocation.print(OrderView.json(found), { OrderView.deliveries(found, none: none, style: $0) })
  }
}

extension Invocation {
  /// The data of the options that an order passes to its delivery.
  var orderContext: OrderContext {
    OrderContext(
      gameID: parsed.value("--game"), roleID: parsed.value("--role"), serverID: parsed.value("--server"),
      extraData: parsed.value("--extra"))
  }

  /// The cursor of a page of orders.
  func ordersCursor() throws(UsageError) -> OrdersPage.Cursor? {
    try parsed.value("--after") { (text) throws(UsageError) in
      if let cursor = OrdersPage.Cursor(text) { return cursor }
      throw usageError("--after takes a cursor that a page of this list printed; got \(text.quotedForPeople)")
    }
  }
}
