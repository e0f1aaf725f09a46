#if PostgreSQL
/// A table of the schema, with its distribution column and the rights of a service.
package struct SchemaTable: Hashable, Sendable {
  /// The distribution of the rows over the nodes of a cluster.
  package enum Distribution: Hashable, Sendable {
    /// Each node has all rows: for small tables that are read everywhere.
    case everyNode
    /// By the lanes of customers, in a column `lane`: all rows of one lane are on one shard.
    case byCustomer
    /// By a column that is unique across customers; rows of a second table are stored with those of the first.
    case byValue(of: String, with: String?)
  }

  /// The changes that a service may make.
  package enum Change: String, Hashable, Sendable {
    case none = "SELECT"
    case append = "SELECT, INSERT"
    /// Rows that never change, but that an erasure removes.
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

  /// The column that determines a row's place: its customer or its value; nil if each node has all rows.
  package var ownerColumn: String? {
    switch distribution {
    case .everyNode: nil
    case .byCustomer: "customer"
    case .byValue(let column, _): column
    }
  }

  /// All tables of the schema; a table that others are colocated with precedes them.
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

  /// The table that determines the place of customers: other tables with ``Distribution/byCustomer`` follow it.
  package static let placingCustomers = "lanes"

  /// The distribution column on a distributed engine; nil if each node has all rows.
  package var distributionColumn: String? { distribution == .byCustomer ? "lane" : ownerColumn }

  /// The append-only tables.
  package static let appendOnly = all.filter { $0.change == .append }.map(\.name)
}
#endif
