package import GemLedger

extension Order: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      code: try wire["purchase_code"].identifier(), request: try wire["request"].read(),
      costs: try wire["costs"].amounts().map { Adjustment($0.currency, $0.amount) },
      status: try wire["status"].word(Status.init(rawValue:)),
      storeTransactionID: try wire["store_transaction_id"].optional?.identifier(),
      createdAt: try wire["created_at"].instant(), updatedAt: try wire["updated_at"].instant(),
      deadline: try wire["deadline"].instant(), deliveryAttempts: try wire["delivery_attempts"].integer(),
      nextDeliveryAt: try wire["next_delivery_at"].optional?.instant(), isReplayed: try wire["replayed"].flag(),
      storeProductID: try wire["store_product_id"].optional?.text(),
      originalTransactionID: try wire["original_store_transaction_id"].optional?.identifier())
    paidPrice = try wire["paid_price"].optional?.read()
  }

  package static let form = JSONForm<Order>([
    .always("purchase_code", \.code, .identifier()), .always("request", \.request, .value),
    .always("costs", { $0.costs.map { CurrencyAmount(currency: $0.currency, amount: $0.amount) } }, .amounts),
    .always("status", \.status, .word(Order.Status.allCases, \.rawValue)),
    .always("store_product_id", \.storeProductID, .nullable(.text())),
    .always("store_transaction_id", \.storeTransactionID, .nullable(.identifier())),
    .always("original_store_transaction_id", \.originalTransactionID, .nullable(.identifier())),
    .always("paid_price", \.paidPrice, .nullable(.value), "For all units."),
    .always("created_at", \.createdAt, .instant), .always("updated_at", \.updatedAt, .instant),
    .always("deadline", \.deadline, .instant), .always("delivery_attempts", \.deliveryAttempts, .integer()),
    .always("next_delivery_at", \.nextDeliveryAt, .nullable(.instant)), .always("replayed", \.isReplayed, .boolean),
  ])
}

extension OrderRequest: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      customer: try wire["app_user_id"].identifier(), product: try wire["product"].identifier(),
      quantity: try wire["quantity"].optional?.integer() ?? 1, store: try wire["store"].word(Store.init(name:)),
      bundleID: try wire["bundle_id"].text(), price: try wire["price"].optional?.read(),
      context: try wire["context"].optional?.read() ?? OrderContext(), key: try wire["key"].optional?.identifier(),
      claim: try wire["claim"].optional?.text(), paidBy: try wire["paid_by"].optional?.read())
  }

  package static let form = JSONForm<OrderRequest>([
    .always("app_user_id", \.customer, .identifier(), "The buyer."), .always("product", \.product, .identifier()),
    .defaulted("quantity", \.quantity, .integer(), "1 by default."), .always("store", \.store, .store),
    .always("bundle_id", \.bundleID, .text(), "The app."),
    .defaulted(
      "price", \.price, .nullable(.value), "The price of all units as shown by the app, to be checked."),
    .defaulted(
      "context", { .some($0.context) }, .nullable(.value), "Carried through to history and delivery; at most 8 KiB."),
    .defaulted("key", \.key, .nullable(.identifier()), "The same request under the same key is one order."),
    .defaulted("claim", \.claim, .nullable(.text()), "The client that means to pay; at most 100 bytes."),
    .defaulted(
      "paid_by", \.paidBy, .nullable(.value), "The store transaction that has paid for it already."),
  ])
}

extension OrderRequest.PaidTransaction: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    let kind = try wire["environment"].word { name in
      StoreEnvironment.Kind.allCases.first { StoreEnvironment(kind: $0, session: nil).description == name }
    }
    let environment: StoreEnvironment =
      switch kind {
      case .production: .production
      case .sandbox: .sandbox
      case .xcode: try .xcode(session: try wire["session"].text())
      case .localTesting: try .localTesting(session: try wire["session"].text())
      }
    self.init(environment: environment, id: try wire["store_transaction_id"].identifier())
  }

  package static let form = JSONForm<OrderRequest.PaidTransaction>([
    .always("environment", \.environment.description, .word(["production", "sandbox", "xcode", "local_testing"])),
    .defaulted(
      "session", \.environment.session, .nullable(.text(1...255)), "The test session, for xcode and local_testing."),
    .always("store_transaction_id", \.id, .identifier()),
  ])
}

extension OrderContext: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      gameID: try wire["game_id"].optional?.text(), roleID: try wire["role_id"].optional?.text(),
      roleName: try wire["role_name"].optional?.text(), serverID: try wire["server_id"].optional?.text(),
      rechargeType: try wire["recharge_type"].optional?.text(), extraData: try wire["extra_data"].optional?.text())
  }

  package static let form = JSONForm<OrderContext>([
    .defaulted("game_id", \.gameID, .nullable(.text())), .defaulted("role_id", \.roleID, .nullable(.text())),
    .defaulted("role_name", \.roleName, .nullable(.text())), .defaulted("server_id", \.serverID, .nullable(.text())),
    .defaulted("recharge_type", \.rechargeType, .nullable(.text())),
    .defaulted("extra_data", \.extraData, .nullable(.text())),
  ])
}
