internal import GemLedger

// The format's names; they never change once released.

extension EntryKind {
  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  init?(name: String) {
    guard let kind = Self.byName[name] else { return nil }
    self = kind
  }
}

extension CatalogRow.Kind {
  var name: String {
    switch self {
    case .currency: "currency"
    case .product: "product"
    case .offering: "offering"
    case .item: "item"
    case .settings: "settings"
    case .currencyVersion: "currency_version"
    case .formerProduct: "former_product"
    }
  }
}

extension EvidenceRow.Kind {
  var name: String {
    switch self {
    case .refund: "refund"
    case .reversal: "reversal"
    case .reversalOfAll: "reversal_of_all"
    case .reclaim: "reclaim"
    case .pending: "pending"
    case .cancelled: "cancelled"
    case .bookedBefore: "booked_before"
    case .held: "held"
    case .purchased: "purchased"
    case .decided: "decided"
    }
  }

  init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

extension RefundPartRow.Kind {
  var name: String {
    switch self {
    case .taken: "taken"
    case .owed: "owed"
    case .short: "short"
    case .repaid: "repaid"
    case .expired: "expired"
    }
  }
}

extension OrderRow.State {
  var name: String {
    switch self {
    case .pending: "pending"
    case .success: "success"
    case .failed: "failed"
    case .deliveryPending: "delivery_pending"
    }
  }
}

extension JournalEventRow.Kind {
  var name: String {
    switch self {
    case .reversal: "reversal"
    case .deadline: "deadline"
    case .held: "held"
    case .captured: "captured"
    case .released: "released"
    case .counted: "counted"
    case .late: "late"
    case .linked: "linked"
    case .reclaimed: "reclaimed"
    case .unproven: "unproven"
    }
  }
}

extension CountKey.Kind {
  var name: String {
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

/// The names of environments; an environment with a session also has a number.
enum EnvironmentName {
  static func of(_ kind: StoreEnvironment.Kind) -> String { StoreEnvironment(kind: kind, session: nil).description }

  static func kind(_ name: String) -> StoreEnvironment.Kind? {
    StoreEnvironment.Kind.allCases.first { of($0) == name }
  }
}
