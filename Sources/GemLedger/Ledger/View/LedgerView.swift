/// A ledger at one instant: reads that must be consistent with each other.
///
/// ``Ledger/view(_:)`` makes one, and it is valid until the closure returns. A purchase backend reads everything
/// through it, grouped by subject: ``customers``, ``purchases``, ``orders`` and the catalog.
///
/// ```swift
/// let order = try ledger.view { (view) throws(LedgerError) in
///   try view.purchases.purchase(store: .apple, environment: .production, transactionID: id)
///     .flatMap { (purchase) throws(LedgerError) in try view.orders.order(paidBy: purchase) }
/// }
/// ```
public struct LedgerView {
  let ledger: Ledger
  let snapshot: any StorageSnapshot

  /// Customers by id and by account token.
  public var customers: Customers { Customers(snapshot: snapshot) }

  /// Credited store transactions, and the entitlements that they give.
  public var purchases: Purchases { Purchases(ledger: ledger, snapshot: snapshot) }

  /// Purchases announced before payment.
  public var orders: Orders { Orders(snapshot: snapshot) }

  /// Returns the number of the catalog's version, which changes with every change of the catalog.
  public func catalogVersion() throws(LedgerError) -> Int64 { try snapshot.catalogVersion() }

  /// The catalog.
  public func catalog() throws(LedgerError) -> Catalog { try Catalog(in: snapshot) }

  /// Returns the former versions of products that were in force at an instant or after it, without the current version.
  ///
  /// - Returns: Nil if some of the versions were not kept.
  public func formerProducts(since instant: Timestamp) throws(LedgerError) -> [Product]? {
    let definitions = try ledger.catalog.definitions(in: snapshot)
    return try ledger.catalog.formerProducts(in: snapshot, definitions: definitions).products(since: instant)
  }
}

extension Ledger {
  /// Reads several things at one instant.
  ///
  /// - Parameter body: Reads from the view; the view must not leave the closure.
  /// - Returns: The result of the closure.
  /// - Throws: ``LedgerError`` if the storage fails, and the errors of the closure.
  public func view<R>(_ body: (LedgerView) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try storage.read { (snapshot) throws(LedgerError) -> R in
      try body(LedgerView(ledger: self, snapshot: snapshot))
    }
  }
}

/// Pages that count from 1, over rows in descending order of their numbers.
enum NumberedPages {
  /// Reads the page, and each page before it once.
  ///
  /// - Parameter read: Returns the rows below a number, up to a limit.
  static func page<Row>(
    _ page: Int, size: Int, number: (Row) -> Int64, _ read: (Int64, Int) throws(LedgerError) -> [Row]
  ) throws(LedgerError) -> [Row] {
    var below = Int64.max
    for _ in 1..<max(1, page) {
      let rows = try read(below, size)
      guard rows.count == size, let last = rows.last else { return [] }
      below = number(last)
    }
    return try read(below, size)
  }
}
