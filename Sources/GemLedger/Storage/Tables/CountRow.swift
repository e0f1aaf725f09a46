/// A customer's current count; the projection of the newest event about it.
package struct CountRow: Hashable, Sendable {
  package var customer: CustomerNumber
  package var key: CountKey
  /// The start of the counted period, in milliseconds; 0 for a count without periods.
  package var period: Int64
  package var value: Int64

  package init(customer: CustomerNumber, key: CountKey, period: Int64, value: Int64) {
    self.customer = customer
    self.key = key
    self.period = period
    self.value = value
  }
}

extension CountRow: StoredRow {
  package static let table: StaticString = "counters"
  package static let keyColumnCount = 3
  package static var blank: Self { Self(customer: 0, key: CountKey(.bought, ""), period: 0, value: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("customer", &customer, .derived)
    columns.kind("kind", &key.kind, else: .bought, .derived)
    columns.text("subject", &key.subject, .derived)
    columns.value("period", &period, .derived)
    columns.value("value", &value, .derived)
  }
}

extension CountKey.Kind: ExportedKind {
  package var name: String {
    switch self {
    case .bought: "bought"
    case .sold: "sold"
    case .spent: "spent"
    case .granted: "granted"
    case .allowed: "allowed"
    case .recharged: "recharged"
    }
  }
}

// MARK: Indexes

extension CountRow {
  package static var indexes: [RowIndex<Self>] { [byKey, ofCustomer] }

  package static let byKey = RowIndex<Self>(
    "countByKey", key: ["customer", "kind", .text("subject")], inMemory: .one { $0.cold.events.count($1) })
  package static let ofCustomer = RowIndex<Self>(
    "countsOfCustomer", key: ["customer"], order: ["kind", "subject"],
    inMemory: .many { $0.cold.events.counts(of: $1.first) })
}

/// Names a count: its kind, and its currency or item.
package struct CountKey: Hashable, Comparable, Sendable {
  package enum Kind: Int64, CaseIterable, Sendable {
    /// The number of units of an item that a customer bought in a period.
    case bought = 1
    /// The number of units of an item that all customers bought.
    case sold = 2
    /// The amount of a currency that a customer spent in a period.
    case spent = 3
    /// The amount of a currency that a customer was granted in a period.
    case granted = 4
    /// A customer's newest allowance of a currency: the instant in its period from which it was granted, and its lot.
    case allowed = 5
    /// The start of a customer's current recharge tick, 0 if the balance is full, and the start of its catalog version.
    ///
    /// The catalog version is the version under which the recharge was computed.
    case recharged = 6
  }

  package var kind: Kind
  /// The code of the currency, or the id of the item.
  package var subject: String

  package init(_ kind: Kind, _ subject: String) {
    self.kind = kind
    self.subject = subject
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.kind != right.kind
      ? left.kind.rawValue < right.kind.rawValue : left.subject.utf8.lexicographicallyPrecedes(right.subject.utf8)
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && left.subject.hasBytes(of: right.subject)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    for byte in subject.utf8 { hasher.combine(byte) }
  }
}
