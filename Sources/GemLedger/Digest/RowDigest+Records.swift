// Rows that belong to no transaction: they are summed up by kind.

extension RowDigest {
  static func of(_ row: CustomerRow) -> UInt64 { customer(row.number, row.id, row.createdAt) }

  static func customer(_ number: CustomerNumber, _ id: CustomerID, _ createdAt: Timestamp) -> UInt64 {
    var digest = RowDigest(.customer)
    digest.add(number)
    digest.add(id.text)
    digest.add(createdAt)
    return digest.value
  }

  static func of(_ row: AddedIDRow) -> UInt64 {
    var digest = RowDigest(.addedID)
    digest.add(row.customer)
    digest.add(row.id.text)
    return digest.value
  }

  static func of(_ row: AccountTokenRow) -> UInt64 {
    var digest = RowDigest(.accountToken)
    digest.add(row.token.high)
    digest.add(row.token.low)
    digest.add(row.customer)
    return digest.value
  }

  /// The announced fields of an order, without those that an erasure removes and those that change with its state.
  static func of(_ row: OrderRow) -> UInt64 {
    var digest = RowDigest(.order)
    digest.add(row.number)
    digest.add(row.code.text)
    digest.add(row.customer)
    digest.add(row.store.number)
    digest.add(row.product.text)
    digest.add(row.quantity)
    digest.add(row.createdAt)
    digest.add(row.deadline)
    return digest.value
  }

  static func of(_ row: EnvironmentRow) -> UInt64 {
    var digest = RowDigest(.environment)
    digest.add(row.number)
    digest.add(row.environment.kind.rawValue)
    digest.add(row.environment.session)
    return digest.value
  }

  static func of(_ row: CatalogRow) -> UInt64 {
    var digest = RowDigest(.catalogObject)
    digest.add(row.kind.rawValue)
    digest.add(row.code)
    digest.add(row.position)
    digest.add(row.document)
    return digest.value
  }

  static func catalogVersion(appliedAt instant: Timestamp) -> UInt64 {
    var digest = RowDigest(.catalogVersion)
    digest.add(instant)
    return digest.value
  }
}
