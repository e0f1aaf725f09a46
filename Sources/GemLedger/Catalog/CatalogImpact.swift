/// What a change of the catalog concerns: balances, open orders and offerings.
package struct CatalogImpact: Hashable, Sendable {
  /// A count that stops after a bounded number of rows.
  package struct Count: Hashable, Sendable, CustomStringConvertible {
    package fileprivate(set) var value: Int64 = 0
    /// Whether all rows were counted; otherwise there are at least ``value``.
    package fileprivate(set) var isComplete = true

    package var description: String { isComplete ? "\(value)" : "at least \(value)" }
  }

  /// The customers with a balance in a changed currency, by the currency's code.
  package let balances: [String: Count]
  /// The pending two-step orders of changed or removed products.
  package let openOrders: Count
  /// The offerings, old and new, with a package of a changed or removed product.
  package let offerings: [OfferingID]
}

extension CatalogImpact {
  private static let pageSize = 1000
  /// The number of accounts, and of orders, that are read.
  package static let rowsMax = 10_000

  /// - Parameters:
  ///   - difference: The changes from the old catalog to the new one.
  init(
    of difference: CatalogDifference, from old: Catalog, to new: Catalog, in snapshot: any StorageSnapshot
  ) throws(LedgerError) {
    let touched = difference.changed + difference.removed
    func ids(_ part: CatalogDifference.Part) -> Set<ByteString> {
      Set(touched.filter { $0.part == part }.map { ByteString($0.id) })
    }
    let products = ids(.product)
    balances = try Self.balances(in: ids(.currency), snapshot)
    openOrders = products.isEmpty ? Count() : try Self.orders(of: products, snapshot)
    var offerings: [OfferingID] = []
    for offering in new.offerings + old.offerings where !offerings.contains(offering.id) {
      guard offering.packages.contains(where: { products.contains(ByteString($0.product.text)) }) else { continue }
      offerings.append(offering.id)
    }
    self.offerings = offerings
  }

  private static func balances(
    in codes: Set<ByteString>, _ snapshot: any StorageSnapshot
  ) throws(LedgerError) -> [String: Count] {
    let rows = try snapshot.catalogRows(.currency).filter { codes.contains(ByteString($0.code)) }
    guard !rows.isEmpty else { return [:] }
    var counts = Dictionary(rows.map { ($0.position, Count()) }) { first, _ in first }
    let scan = try snapshot.scan()
    var last: AccountRow?
    let isComplete = try readPages { (limit) throws(LedgerError) in
      let page: [AccountRow] = try scan.page(after: last, limit: limit)
      for account in page where account.balance > 0 { counts[account.number.currency]?.value += 1 }
      last = page.last
      return page.count
    }
    for number in counts.keys { counts[number]?.isComplete = isComplete }
    return Dictionary(rows.map { ($0.code, counts[$0.position] ?? Count()) }) { first, _ in first }
  }

  private static func orders(
    of products: Set<ByteString>, _ snapshot: any StorageSnapshot
  ) throws(LedgerError) -> Count {
    var (count, position) = (Count(), OrderPosition(dueAt: .min, number: 0))
    count.isComplete = try readPages { (limit) throws(LedgerError) in
      let page = try snapshot.orders(.pending, after: position, dueUntil: .max, limit: limit)
      count.value += Int64(page.filter { products.contains(ByteString($0.product.text)) }.count)
      if let end = page.last { position = OrderPosition(of: end) }
      return page.count
    }
    return count
  }

  /// Reads pages until one is not full, and at most ``rowsMax`` rows.
  ///
  /// - Returns: Whether all rows were read.
  private static func readPages(_ read: (Int) throws(LedgerError) -> Int) throws(LedgerError) -> Bool {
    for _ in 0..<(rowsMax / pageSize) {
      guard try read(pageSize) == pageSize else { return true }
    }
    return false
  }
}

extension CatalogImpact: JSONDocument {
  package static let form = JSONForm<Self>([
    .always(
      "balances", \.balances,
      JSONKind(.map(Count.schema)) { counts in
        .object(JSONObject(counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }))
      }, "The customers with a balance in a changed currency, by code."),
    .always("open_orders", \.openOrders, .value, "The pending two-step orders of changed or removed products."),
    .always("offerings", \.offerings, .list(.anyIdentifier()), "The offerings with changed or removed products."),
  ])
}

extension CatalogImpact.Count: JSONDocument {
  package static let form = JSONForm<Self>([
    .always("count", \.value, .integer()),
    .always("is_complete", \.isComplete, .boolean, "False if there may be more."),
  ])
}
