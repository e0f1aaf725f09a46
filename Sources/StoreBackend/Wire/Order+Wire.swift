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

  package var wire: JSONValue {
    [
      "purchase_code": .string(code.text), "request": request.wire,
      "costs": JSONValue(amounts: costs.map { CurrencyAmount(currency: $0.currency, amount: $0.amount) }),
      "status": .string(status.rawValue), "store_product_id": JSONValue(storeProductID),
      "store_transaction_id": JSONValue(storeTransactionID),
      "original_store_transaction_id": JSONValue(originalTransactionID),
      "paid_price": paidPrice?.wire ?? .null, "created_at": JSONValue(createdAt), "updated_at": JSONValue(updatedAt),
      "deadline": JSONValue(deadline),
      "delivery_attempts": .integer(deliveryAttempts), "next_delivery_at": JSONValue(nextDeliveryAt),
      "replayed": .bool(isReplayed),
    ]
  }
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

  package var wire: JSONValue {
    [
      "app_user_id": .string(customer.text), "product": .string(product.text), "quantity": .integer(quantity),
      "store": .string(store.description), "bundle_id": .string(bundleID), "price": price?.wire ?? .null,
      "context": context.wire, "key": JSONValue(key), "claim": JSONValue(claim), "paid_by": paidBy?.wire ?? .null,
    ]
  }
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

  package var wire: JSONValue {
    [
      "environment": .string(environment.description), "session": JSONValue(environment.session),
      "store_transaction_id": .string(id.text),
    ]
  }
}

extension OrderContext: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      gameID: try wire["game_id"].optional?.text(), roleID: try wire["role_id"].optional?.text(),
      roleName: try wire["role_name"].optional?.text(), serverID: try wire["server_id"].optional?.text(),
      rechargeType: try wire["recharge_type"].optional?.text(), extraData: try wire["extra_data"].optional?.text())
  }

  package var wire: JSONValue {
    [
      "game_id": JSONValue(gameID), "role_id": JSONValue(roleID), "role_name": JSONValue(roleName),
      "server_id": JSONValue(serverID), "recharge_type": JSONValue(rechargeType), "extra_data": JSONValue(extraData),
    ]
  }
}
