package import GemLedger

extension Registration: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(customer: try wire["customer_id"].identifier(), isCreated: try wire["created"].flag())
  }

  package static let form = JSONForm<Registration>([
    .always("customer_id", \.customer, .identifier()), .always("created", \.isCreated, .boolean),
  ])
}

extension IdentityPreview: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      customer: try wire["customer_id"].identifier(), isCreated: try wire["created"].flag(),
      merges: try wire["merges"].values(), movedEntitlements: try wire["moved_entitlements"].identifiers(),
      uncredited: try wire["uncredited"].identifiers())
  }

  package static let form = JSONForm<IdentityPreview>([
    .always("customer_id", \.customer, .identifier()), .always("created", \.isCreated, .boolean),
    .always("merges", \.merges, .list(.value)),
    .always("moved_entitlements", \.movedEntitlements, .list(.identifier())),
    .always("uncredited", \.uncredited, .list(.identifier())),
  ])
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

  package static let form = JSONForm<Money>([
    .always("minor_units", \.minorUnits, .integer(), "Cents for USD, whole yen for JPY."),
    .always("currency", \.currency, .text(), "ISO 4217."),
  ])
}
