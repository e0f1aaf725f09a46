/// When an item can be bought: always, never, or between two instants.
public struct Availability: Hashable, Sendable {
  /// Whether there is an instant at which it can be bought.
  public let isEverForSale: Bool
  /// The first instant at which it can be bought, or nil if there is no lower bound.
  public let from: Timestamp?
  /// The first instant at which it can no longer be bought, or nil if there is no upper bound.
  public let until: Timestamp?

  private init(isEverForSale: Bool, from: Timestamp?, until: Timestamp?) {
    self.isEverForSale = isEverForSale
    self.from = from
    self.until = until
  }

  /// At any time.
  public static let always = Self(isEverForSale: true, from: nil, until: nil)
  /// At no time.
  public static let never = Self(isEverForSale: false, from: nil, until: nil)

  /// From the first instant until just before the second; nil means no bound.
  public static func between(_ from: Timestamp?, _ until: Timestamp?) -> Self {
    Self(isEverForSale: true, from: from, until: until)
  }

  /// Whether the item can be bought at that instant.
  public func holds(at instant: Timestamp) -> Bool {
    guard isEverForSale else { return false }
    if let from, instant < from { return false }
    if let until, instant >= until { return false }
    return true
  }
}

extension Availability {
  /// Reads `null` (always), `false` (never), or `{"from": TIME, "until": TIME}`.
  init?(reading field: CatalogField) {
    switch field.value {
    case .null: self = .always
    case .bool(false): self = .never
    case .object:
      guard let fields = field.fields(["from", "until"]) else { return nil }
      let from = fields.optional("from") { try $0.timestamp() }
      let until = fields.optional("until") { try $0.timestamp() }
      if let from, let until, from >= until { field.context.add(field.path, "The end is not after the beginning.") }
      self = .between(from, until)
    default:
      field.context.add(field.path, "This should be null, false, or an object with \"from\" and \"until\".")
      return nil
    }
  }

  func json() -> JSONValue {
    guard isEverForSale else { return false }
    guard from != nil || until != nil else { return .null }
    return ["from": JSONValue(from?.description), "until": JSONValue(until?.description)]
  }
}

extension CatalogField {
  package func timestamp() throws(LedgerError) -> Timestamp {
    guard let text = value?.text else { throw refused(expected: "a time as a text") }
    // A year has four digits: a text that could not be written back the same way is not read.
    guard text.utf8.count <= 40, text.utf8.dropFirst(4).first == ASCII.minus, let timestamp = Timestamp(text) else {
      throw refused("\"\(text.abridged)\" is not a time such as \"2026-11-21T09:30:00Z\".")
    }
    return timestamp
  }
}
