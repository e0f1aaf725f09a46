internal import GemLedger

/// What an order announced, as the storage keeps it.
enum OrderDocument {
  static func text(of request: OrderRequest) -> String {
    let context = request.context
    let document: JSONValue = [
      "bundle_id": .string(request.bundleID),
      "price": request.price.map { ["minor_units": .integer($0.minorUnits), "currency": .string($0.currency)] }
        ?? .null,
      "game_id": JSONValue(context.gameID), "role_id": JSONValue(context.roleID),
      "role_name": JSONValue(context.roleName), "server_id": JSONValue(context.serverID),
      "recharge_type": JSONValue(context.rechargeType), "extra_data": JSONValue(context.extraData),
    ]
    return document.text()
  }

  static func request(of row: OrderRow, customer: CustomerID) throws(LedgerError) -> OrderRequest {
    let document: JSONValue
    do throws(JSONError) {
      document = try JSONValue.parse(row.request)
    } catch {
      throw LedgerError(.storageDamaged, "The order \(row.code) cannot be read: \(error)")
    }
    let price = document["price"].flatMap { price -> Money? in
      guard let units = price["minor_units"]?.integer, let currency = price["currency"]?.text else { return nil }
      return Money(minorUnits: units, currency: currency)
    }
    return OrderRequest(
      customer: customer, product: row.product, quantity: row.quantity, store: row.store,
      bundleID: document["bundle_id"]?.text ?? "", price: price,
      context: OrderContext(
        gameID: document["game_id"]?.text, roleID: document["role_id"]?.text,
        roleName: document["role_name"]?.text, serverID: document["server_id"]?.text,
        rechargeType: document["recharge_type"]?.text, extraData: document["extra_data"]?.text), key: row.key)
  }
}
