/// The request of a key, short enough to keep for ever.
///
/// It covers the whole request, the conditions and the reference; not actor, reason, time or transport. Its parts are
/// separate, so that a conflict can name the field. It has two words. The first has the kind in five bits and 59 bits
/// of digest over the request. The second has 32 bits each for conditions and reference, 0 if there are none.
package struct Fingerprint: Hashable, Sendable {
  package let asked: Int64
  package let qualifiers: Int64

  package init(asked: Int64, qualifiers: Int64) {
    self.asked = asked
    self.qualifiers = qualifiers
  }

  package init(of command: LedgerCommand) { self = command.body.fingerprint }

  /// - Parameter asked: The digest of the request.
  init(asked: Int64, conditions: [Condition], reference: Reference?) {
    self.asked = asked
    qualifiers = Int64(bitPattern: Self.digest(of: conditions) << 32 | Self.digest(of: reference))
  }

  // MARK: Comparing

  /// Returns the field in which a kept request differs from the command; nil if the requests are equal.
  func differingField(from command: LedgerCommand.Body) -> String? {
    let other = command.fingerprint
    let difference = UInt64(bitPattern: asked ^ other.asked)
    if difference >> 59 != 0 { return "kind" }
    if difference != 0 { return type(of: command.action.command).keyFields.differing(difference) }
    if qualifiers >> 32 != other.qualifiers >> 32 { return "conditions" }
    return qualifiers == other.qualifiers ? nil : "reference"
  }

  // MARK: Digests

  static func asked(_ kind: FingerprintKind, _ digest: UInt64) -> Int64 {
    Int64(bitPattern: kind.rawValue << 59 | digest & (1 << 59 - 1))
  }

  /// A few bits of each part name the field of a conflict; 35 bits over all parts detect it.
  static func asked(_ kind: FingerprintKind, _ parts: [UInt64], in fields: KeyFields) -> Int64 {
    var (names, whole) = (UInt64(0), StableHash())
    for (field, part) in zip(fields.named, parts) {
      whole.combine(part)
      names = names << field.bits | (field.bits == 1 ? part & 1 : part >> (64 - field.bits))
    }
    return asked(kind, names << KeyFields.wholeBits | whole.value >> (64 - KeyFields.wholeBits))
  }
}

/// The fields that a key conflict can name, and the layout of the 59 bits of digest in a fingerprint.
///
/// Fingerprints are kept for ever: the layout of a number never changes.
struct KeyFields: Sendable {
  /// The fields with separate bits, from the highest on.
  let named: [(name: String, bits: UInt64)]
  /// The field that differs if none of those does.
  let rest: String

  init(_ named: [(name: String, bits: UInt64)] = [], rest: String) {
    self.named = named
    self.rest = rest
  }

  /// The bits of the 59 that digest the whole request, if the other bits name fields.
  static let wholeBits: UInt64 = 35

  /// The field that two digests differ in, by the bits that differ.
  func differing(_ difference: UInt64) -> String {
    var position: UInt64 = 59
    for field in named {
      position -= field.bits
      if difference >> position & (1 << field.bits - 1) != 0 { return field.name }
    }
    return rest
  }
}
