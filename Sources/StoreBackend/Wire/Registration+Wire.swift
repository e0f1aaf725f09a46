package import GemLedger

extension Registration: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(customer: try wire["customer_id"].identifier(), isCreated: try wire["created"].flag())
  }

  package var wire: JSONValue { ["customer_id": .string(customer.text), "created": .bool(isCreated)] }
}

extension IdentityPreview: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      customer: try wire["customer_id"].identifier(), isCreated: try wire["created"].flag(),
      merges: try wire["merges"].values(), movedEntitlements: try wire["moved_entitlements"].identifiers(),
      uncredited: try wire["uncredited"].identifiers())
  }

  package var wire: JSONValue {
    [
      "customer_id": .string(customer.text), "created": .bool(isCreated), "merges": merges.wire,
      "moved_entitlements": .array(movedEntitlements.map { .string($0.text) }),
      "uncredited": .array(uncredited.map { .string($0.text) }),
    ]
  }
}

extension EntitlementSharing {
  /// The rule's name in requests.
  package var name: String {
    switch self {
    case .alias: "alias"
    case .transfer: "transfer"
    case .keepWithOwner: "keep_with_owner"
    }
  }

  package static let all: [Self] = [.alias, .transfer, .keepWithOwner]

  /// The rule with this name.
  package init?(name: String) {
    guard let rule = Self.all.first(where: { $0.name == name }) else { return nil }
    self = rule
  }
}

extension Money: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(minorUnits: try wire["minor_units"].integer(), currency: try wire["currency"].text())
  }

  package var wire: JSONValue { ["minor_units": .integer(minorUnits), "currency": .string(currency)] }
}
