internal import GemLedger

/// The announcement of an order in its stored form.
enum OrderDocument {
  static func text(of request: OrderRequest, costs: [Adjustment] = []) -> String {
    let context = request.context
    let document: JSONValue = [
      "bundle_id": .string(request.bundleID),
      "price": request.price.map { ["minor_units": .integer($0.minorUnits), "currency": .string($0.currency)] }
        ?? .null,
      "game_id": JSONValue(context.gameID), "role_id": JSONValue(context.roleID),
      "role_name": JSONValue(context.roleName), "server_id": JSONValue(context.serverID),
      "recharge_type": JSONValue(context.rechargeType), "extra_data": JSONValue(context.extraData),
    ]
    guard !costs.isEmpty || request.claim != nil, var members = document.object else { return document.text() }
    // Omitted if empty, so that the documents of older orders stay unchanged.
    if !costs.isEmpty {
      members[LedgerOrder.costsName] = .object(
        JSONObject(
          costs.sorted { $0.currency < $1.currency }.map { ($0.currency.description, .integer($0.amount)) }))
    }
    if let claim = request.claim { members[LedgerOrder.claimName] = .string(claim) }
    return JSONValue.object(members).text()
  }

  /// Reads the order's cost in virtual currency.
  static func costs(of order: LedgerOrder) throws(LedgerError) -> [Adjustment] {
    guard order.announcement.contains("\"\(LedgerOrder.costsName)\"") else { return [] }
    var costs: [Adjustment] = []
    for (name, amount) in try read(order)[LedgerOrder.costsName]?.object?.members ?? [] {
      guard let amount = amount.integer else { continue }
      costs.append(Adjustment(try CurrencyCode(name), amount))
    }
    return costs
  }

  private static func read(_ order: LedgerOrder) throws(LedgerError) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue.parse(order.announcement)
    } catch {
      throw LedgerError(.storageDamaged, "The order \(order.code) cannot be read: \(error)")
    }
  }

  static func request(of order: LedgerOrder, customer: CustomerID) throws(LedgerError) -> OrderRequest {
    let document = try read(order)
    let price = document["price"].flatMap { price -> Money? in
      guard let units = price["minor_units"]?.integer, let currency = price["currency"]?.text else { return nil }
      return Money(minorUnits: units, currency: currency)
    }
    return OrderRequest(
      customer: customer, product: order.product, quantity: order.quantity, store: order.store,
      bundleID: document["bundle_id"]?.text ?? "", price: price,
      context: OrderContext(
        gameID: document["game_id"]?.text, roleID: document["role_id"]?.text,
        roleName: document["role_name"]?.text, serverID: document["server_id"]?.text,
        rechargeType: document["recharge_type"]?.text, extraData: document["extra_data"]?.text), key: order.key,
      claim: document[LedgerOrder.claimName]?.text)
  }
}
