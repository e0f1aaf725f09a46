/// The changes when one catalog replaces another.
///
/// The order of currencies, products, offerings and items among themselves does not count.
public struct CatalogDifference: Hashable, Sendable {
  /// The kind of thing that changes.
  public struct Part: CatalogOption {
    package enum Kind: String, CaseIterable, Sendable {
      case currency
      case product
      case offering
      case item
      case currentOffering = "current_offering"
      case settings
    }

    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// A currency.
    public static let currency = Self(.currency)
    /// A product.
    public static let product = Self(.product)
    /// An offering.
    public static let offering = Self(.offering)
    /// An item.
    public static let item = Self(.item)
    /// The choice of the offering that is shown.
    public static let currentOffering = Self(.currentOffering)
    /// The settings.
    public static let settings = Self(.settings)

    /// The option's name, such as `current_offering`.
    public var description: String { kind.rawValue }
  }

  /// One thing that changes.
  public struct Entry: Hashable, Sendable {
    /// The kind of thing.
    public let part: Part
    /// Its code or id; empty for the settings and the current offering.
    public let id: String
    /// The fields that change, such as `prices.USA: "9.99" -> "8.99"`; empty if the whole object is added or removed.
    public let fields: [String]
  }

  /// The parts that only the new catalog has.
  public internal(set) var added: [Entry] = []
  /// The parts that both have, with different fields.
  public internal(set) var changed: [Entry] = []
  /// The parts that only the old catalog has.
  public internal(set) var removed: [Entry] = []

  /// Compares two catalogs.
  public init(from old: Catalog, to new: Catalog) {
    compare(.currency, old.currencies, new.currencies, by: \.code.description)
    compare(.product, old.products, new.products, by: \.code.text)
    compare(.offering, old.offerings, new.offerings, by: \.id.text)
    compare(.item, old.items, new.items, by: \.id.text)
    note(.currentOffering, "", Self.choice(old), Self.choice(new))
    note(.settings, "", old.settings.json(), new.settings.json())
  }

  /// Whether nothing changes.
  public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

  private static func choice(_ catalog: Catalog) -> JSONValue {
    ["current_offering": JSONValue(catalog.currentOffering?.text)]
  }

  private mutating func compare<Value: CatalogDocument>(
    _ part: Part, _ old: [Value], _ new: [Value], by id: (Value) -> String
  ) {
    var before = Dictionary(old.map { (ByteString(id($0)), $0) }) { first, _ in first }
    for value in new {
      let id = id(value)
      if let other = before.removeValue(forKey: ByteString(id)) {
        note(part, id, other.json(), value.json())
      } else {
        added.append(Entry(part: part, id: id, fields: []))
      }
    }
    for value in old where before[ByteString(id(value))] != nil {
      removed.append(Entry(part: part, id: id(value), fields: []))
    }
  }

  private mutating func note(_ part: Part, _ id: String, _ old: JSONValue, _ new: JSONValue) {
    guard old != new else { return }
    changed.append(Entry(part: part, id: id, fields: JSONDifference.lines(from: old, to: new)))
  }
}

extension Catalog {
  /// Returns the problems that prevent this catalog from replacing the old one: a currency cannot be removed.
  public func problemsReplacing(_ old: Catalog) -> [CatalogProblem] { problemsReplacing(old, removing: nil) }

  /// - Parameter removed: A currency that may be missing.
  func problemsReplacing(_ old: Catalog, removing removed: CurrencyCode?) -> [CatalogProblem] {
    let codes = Set(currencies.map(\.code) + (removed.map { [$0] } ?? []))
    return old.currencies.filter { !codes.contains($0.code) }.map { currency in
      CatalogProblem(
        path: "$.currencies",
        message: "The currency \"\(currency.code)\" is missing. Balances and history may name it, so it must stay;"
          + " to stop its use, set \"active\" to false.")
    }
  }
}
