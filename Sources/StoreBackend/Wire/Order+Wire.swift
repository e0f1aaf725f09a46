package import GemLedger

extension Order: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      code: try wire.identifier("purchase_code"), request: try wire.value("request"),
      costs: try wire.amounts("costs").map { Adjustment($0.currency, $0.amount) },
      status: try wire.word("status", Status.init(rawValue:)),
      storeTransactionID: try wire.optionalIdentifier("store_transaction_id"),
      createdAt: try wire.instant("created_at"), updatedAt: try wire.instant("updated_at"),
      deadline: try wire.instant("deadline"), deliveryAttempts: try wire.integer("delivery_attempts"),
      nextDeliveryAt: try wire.optionalInstant("next_delivery_at"), isReplayed: try wire.flag("replayed"),
      storeProductID: try wire.optionalText("store_product_id"),
      originalTransactionID: try wire.optionalIdentifier("original_store_transaction_id"))
    paidPrice = try wire.optionalValue("paid_price")
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
      customer: try wire.identifier("app_user_id"), product: try wire.identifier("product"),
      quantity: try wire.optionalInteger("quantity") ?? 1, store: try wire.word("store", Store.init(name:)),
      bundleID: try wire.text("bundle_id"), price: try wire.optionalValue("price"),
      context: try wire.optionalValue("context") ?? OrderContext(), key: try wire.optionalIdentifier("key"),
      claim: try wire.optionalText("claim"), paidBy: try wire.optionalValue("paid_by"))
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
    let kind = try wire.word("environment") { name in
      StoreEnvironment.Kind.allCases.first { StoreEnvironment(kind: $0, session: nil).description == name }
    }
    let environment: StoreEnvironment =
      switch kind {
      case .production: .production
      case .sandbox: .sandbox
      case .xcode: try .xcode(session: try wire.text("session"))
      case .localTesting: try .localTesting(session: try wire.text("session"))
      }
    self.init(environment: environment, id: try wire.identifier("store_transaction_id"))
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
      gameID: try wire.optionalText("game_id"), roleID: try wire.optionalText("role_id"),
      roleName: try wire.optionalText("role_name"), serverID: try wire.optionalText("server_id"),
      rechargeType: try wire.optionalText("recharge_type"), extraData: try wire.optionalText("extra_data"))
  }

  package var wire: JSONValue {
    [
      "game_id": JSONValue(gameID), "role_id": JSONValue(roleID), "role_name": JSONValue(roleName),
      "server_id": JSONValue(serverID), "recharge_type": JSONValue(rechargeType), "extra_data": JSONValue(extraData),
    ]
  }
}
