#if PostgreSQL
/// A table of the schema: the column by which its rows lie, and the rights of a service.
package struct SchemaTable: Hashable, Sendable {
  /// How the rows lie over the nodes of a cluster.
  package enum Distribution: Hashable, Sendable {
    /// Each node has all rows: tables that are small and read everywhere.
    case everyNode
    /// By the lanes of customers, which a column `lane` names there: the rows of one lane lie together.
    case byCustomer
    /// By a column that is unique across customers; rows of a second table lie with those of the first.
    case byValue(of: String, with: String?)
  }

  /// The changes that a service makes.
  package enum Change: String, Hashable, Sendable {
    case none = "SELECT"
    case append = "SELECT, INSERT"
    /// Rows that never change, and that an erasure removes.
    case appendAndErase = "SELECT, INSERT, DELETE"
    case any = "SELECT, INSERT, UPDATE, DELETE"
  }

  package let name: String
  package let distribution: Distribution
  package let change: Change

  private init(_ name: String, _ distribution: Distribution, _ change: Change = .any) {
    self.name = name
    self.distribution = distribution
    self.change = change
  }

  private static func byValue(_ name: String, _ column: String, with other: String? = nil) -> Self {
    Self(name, .byValue(of: column, with: other))
  }

  /// The column that says where a row belongs: on a customer's lane, or by itself; nil where each node has all rows.
  package var ownerColumn: String? {
    switch distribution {
    case .everyNode: nil
    case .byCustomer: "customer"
    case .byValue(let column, _): column
    }
  }

  /// All tables of the schema, those that others lie with before these.
  package static let all = [
    Self("migrations", .everyNode, .none), Self("project", .everyNode), Self("catalog", .everyNode),
    Self("catalog_versions", .everyNode, .append), Self("environments", .everyNode),
    Self("frozen_products", .everyNode, .append), Self("copy_progress", .everyNode),
    Self("lanes", .byCustomer), Self("accounts", .byCustomer), Self("customers", .byCustomer),
    Self("added_ids", .byCustomer), Self("merged_customers", .byCustomer),
    Self("transactions", .byCustomer, .append),
    Self("entries", .byCustomer, .append), Self("allocations", .byCustomer, .append),
    Self("journal_events", .byCustomer, .append), Self("keys", .byCustomer, .appendAndErase),
    Self("notes", .byCustomer), Self("item_entries", .byCustomer, .append),
    Self("lot_attributes", .byCustomer, .append), Self("merges", .byCustomer, .append),
    Self("purchases", .byCustomer, .append), Self("refunds", .byCustomer, .append),
    Self("refund_parts", .byCustomer, .append), Self("lots", .byCustomer), Self("open_holds", .byCustomer),
    Self("counters", .byCustomer), Self("owned_items", .byCustomer), Self("checkpoints", .byCustomer),
    Self("orders", .byCustomer), Self("entitlements", .byCustomer), Self("commit_tokens", .byCustomer),
    byValue("aliases", "id"), byValue("store_transactions", "store_transaction"),
    byValue("evidence", "store_transaction", with: "store_transactions"),
    byValue("purchase_codes", "code"), byValue("account_tokens", "high"), byValue("entitlement_holders", "purchase"),
    byValue("documents", "name"),
  ]

  /// The table that places customers: the others of ``Distribution/byCustomer`` lie with it.
  package static let placingCustomers = "lanes"

  /// The column by which a distributed engine places the rows; nil where each node has all rows.
  package var distributionColumn: String? { distribution == .byCustomer ? "lane" : ownerColumn }

  /// The tables that are only ever appended to.
  package static let appendOnly = all.filter { $0.change == .append }.map(\.name)
}
#endif
