/// The request of a key, short enough to keep for ever.
///
/// It covers the whole request, the conditions and the reference; not actor, reason, time or transport. Its parts are
/// kept apart, so that a conflict can name the field. It has two words. The first has the kind in five bits and 59 bits
/// of digest over the request. The second has 32 bits each for conditions and reference, 0 where there are none.
package struct Fingerprint: Hashable, Sendable {
  package let asked: Int64
  package let qualifiers: Int64

  package init(asked: Int64, qualifiers: Int64) {
    self.asked = asked
    self.qualifiers = qualifiers
  }

  package init(of command: LedgerCommand) { self = command.body.fingerprint }

  init(of action: LedgerCommand.Action, conditions: [Condition], reference: Reference?) {
    asked = Self.asked(action)
    qualifiers = Self.qualifiers(conditions, reference)
  }

  /// The fingerprint of the same action under other conditions and another reference.
  func qualified(by conditions: [Condition], reference: Reference?) -> Self {
    Self(asked: asked, qualifiers: Self.qualifiers(conditions, reference))
  }

  private static func qualifiers(_ conditions: [Condition], _ reference: Reference?) -> Int64 {
    Int64(bitPattern: digest(of: conditions) << 32 | digest(of: reference))
  }

  // MARK: Comparing

  /// The field in which two requests under one key differ, or nil where they are the same request.
  package func differingField(from other: Self) -> String? {
    if kind != other.kind { return "kind" }
    if asked != other.asked { return kind.differingField(UInt64(bitPattern: asked ^ other.asked)) }
    if qualifiers >> 32 != other.qualifiers >> 32 { return "conditions" }
    return qualifiers == other.qualifiers ? nil : "reference"
  }

  private var kind: FingerprintKind { FingerprintKind(number: UInt64(bitPattern: asked) >> 59) }

  // MARK: Digests

  static func asked(_ kind: FingerprintKind, _ digest: UInt64) -> Int64 {
    Int64(bitPattern: kind.rawValue << 59 | digest & (1 << 59 - 1))
  }

  /// Covers every action, without a default: a new action must declare the fields that a key covers.
  private static func asked(_ action: LedgerCommand.Action) -> Int64 {
    switch action {
    case .adjustOne(let adjustment):
      asked(.adjust, digest(of: adjustment), source: .earned, environment: production, expiry: 0)
    case .adjust(let adjust):
      asked(
        adjust.isOpening ? .opening : adjust.createsCustomer ? .grant : .adjust, sum(of: adjust.adjustments),
        source: adjust.source, environment: digest(of: adjust.environment),
        expiry: adjust.expiresAt.map { digest(of: $0.milliseconds) } ?? 0)
    case .buyItem(let item, let quantity), .buyStocked(let item, let quantity):
      // The two halves stay apart so that a conflict can tell the item from the quantity.
      asked(.item, (digest(of: item.text) >> 37) << 32 | half(UInt64(bitPattern: quantity)))
    // The store transaction's identity names the purchase; its other fields were credited with it.
    case .creditPurchase(let purchase): asked(.purchase, digest(of: purchase))
    case .completeOrder(let completion): asked(.purchase, digest(of: completion.purchase))
    // The date of a signature is the transport's: a store signs the same refund again with each delivery.
    case .refund(let refund):
      inParts(
        .refund,
        [digest(of: refund.identity), digest(of: refund.revokedAt.milliseconds), digest(of: refund.extent)])
    case .reverseRefund(let reversal):
      inParts(
        .reversedRefund, [digest(of: reversal.identity), digest(of: reversal.revokedAt.map(\.milliseconds))])
    case .merge(let from): asked(.merge, digest(of: from.text))
    case .createAlias(let id): asked(.alias, digest(of: id.text))
    case .unmerge(let survivor): asked(.unmerge, survivor.map { digest(of: $0.text) } ?? 0)
    case .freeze: asked(.freeze, 0)
    case .unfreeze: asked(.unfreeze, 0)
    case .reverse(let id, let amounts): inParts(.reverse, [digest(of: id), digest(of: amounts)])
    case .hold(let amounts, let milliseconds): inParts(.hold, [digest(of: amounts), digest(of: milliseconds)])
    case .capture(let capture):
      inParts(
        .capture,
        [digest(of: capture.hold.transactionID), digest(of: capture.amounts), capture.keepsOpen ? 1 : 0])
    case .extendHold(let id, let milliseconds):
      inParts(.extend, [digest(of: id.transactionID), digest(of: milliseconds)])
    case .release(let id): asked(.release, digest(of: id.transactionID))
    case .basket(let legs): asked(.basket, digest(of: legs))
    case .exchange(let exchange):
      inParts(
        .exchange,
        [digest(of: exchange.from), digest(of: exchange.into.stableNumber), digest(of: exchange.rate)])
    case .createCustomer: asked(.create, 0)
    // No key is checked for these: their own content makes them idempotent.
    case .openOrder, .advanceOrder, .registerToken, .holdEntitlement, .mergeAnonymous, .bookDue, .erase:
      asked(.order, 0)
    }
  }

  private static let production = digest(of: .production)

  /// Returns the digest of an adjustment; without a list of parts, since most commands are of this kind.
  ///
  /// - Parameters:
  ///   - environment: Its digest.
  ///   - expiry: Its digest; 0 for none.
  @inline(__always)
  private static func asked(
    _ kind: FingerprintKind, _ amounts: UInt64, source: LotSource, environment: UInt64, expiry: UInt64
  ) -> Int64 {
    var whole = StableHash(seed: UInt64(bitPattern: source.rawValue))
    whole.combine(amounts)
    whole.combine(environment)
    whole.combine(expiry)
    let names = UInt64(bitPattern: source.rawValue) << 21 | (environment >> 54) << 11 | expiry >> 53
    return asked(kind, names << FingerprintKind.wholeBits | whole.value >> (64 - FingerprintKind.wholeBits))
  }

  /// A few bits of each part name the field of a conflict; 35 bits over all parts find it.
  private static func inParts(_ kind: FingerprintKind, _ parts: [UInt64]) -> Int64 {
    var (names, whole) = (UInt64(0), StableHash())
    for (field, part) in zip(kind.fields, parts) {
      whole.combine(part)
      names = names << field.bits | (field.bits == 1 ? part & 1 : part >> (64 - field.bits))
    }
    return asked(kind, names << FingerprintKind.wholeBits | whole.value >> (64 - FingerprintKind.wholeBits))
  }
}
