#if Server
internal import GemLedger
internal import GemServer

/// A kind of object in the catalog, with the inputs of its form; members without an input stay as they are.
struct CatalogKind: Sendable {
  /// The list in the catalog's document, also the part of the path.
  let list: String
  let noun: String
  /// The permissions that a change needs, as in the API.
  let scopes: [Scope]
  /// The member that identifies an object, and never changes.
  let id: CatalogInput
  let inputs: [CatalogInput]
  /// Whether an object can be removed; a currency cannot, since the history names it.
  let isRemovable: Bool

  static let all = [currency, product, offering, item]

  /// The permission to see the objects.
  var readingScope: Scope { scopes.first ?? .catalog }

  static let currency = CatalogKind(
    list: "currencies", noun: "currency", scopes: [.currencies],
    id: .text("code", "Code", hint: "1 to 10 of A-Z, a-z, 0-9 and _, such as GEM. It never changes."),
    inputs: [
      .text("name", "Name", hint: "Such as Gems."), .text("description", "Description", isRequired: false),
      .amount("maximum_balance", "Maximum balance", hint: "None without it. Paid purchases may pass it."),
      .choice(
        "burn_order", "Spent first", [("free_first", "free before paid"), ("paid_first", "paid before free")]),
      .choice(
        "refund_policy", "Refund of spent currency",
        [("floor", "take what is left"), ("debt", "owe the rest"), ("freeze", "freeze the customer")]),
      .check("active", "Active"),
    ], isRemovable: false)

  static let product = CatalogKind(
    // The API changes what a product grants with the currency.
    list: "products", noun: "product", scopes: [.products, .currencies],
    id: .text("code", "Code", hint: "Such as gems_1200. It never changes."),
    inputs: [
      .choice("type", "Type", ProductType.Kind.allCases.map { ($0.rawValue, $0.rawValue.replacing("_", with: " ")) }),
      .texts("store_ids", "Ids at the stores", hint: "One a line, such as apple=gems_1200 and google=gems_1200."),
      .list("localizations", "Titles", "locale", "title", hint: "One a line, such as en_US=1,200 Gems."),
      .texts("prices", "Prices", hint: "By storefront, one a line, such as USA=9.99. The store decides what is paid."),
      .list(
        "grants", "Currency that one unit gives", "currency", "amount", isNumber: true,
        hint: "One a line, such as GEM=1200."),
      .list(
        "item_grants", "Items that one unit gives", "item", "quantity", isNumber: true,
        hint: "One a line, such as sword=1."),
      .text("entitlement", "Entitlement", isRequired: false),
      .text("period", "Period of a subscription", hint: "Such as P1M.", isRequired: false), .check("active", "Active"),
    ], isRemovable: true)

  static let offering = CatalogKind(
    list: "offerings", noun: "offering", scopes: [.offerings],
    id: .text("id", "Id", hint: "Such as gems. It never changes."),
    inputs: [
      .note("description", "Description"),
      .list(
        "packages", "Packages", "id", "product",
        hint: "In the order of the shop window, one a line, such as medium=gems_1200."),
    ], isRemovable: true)

  static let item = CatalogKind(
    list: "items", noun: "item", scopes: [.catalog],
    id: .text("id", "Id", hint: "Such as extra_life. It never changes."),
    inputs: [
      .text("name", "Name"), .amounts("price", "Price", hint: "One currency a line, such as GEM=50."),
      .amount("limit", "Limit for each customer", hint: "None without it."),
    ], isRemovable: true)

  func mayChange(_ session: ConsoleSession) -> Bool { scopes.allSatisfy { session.allows($0.writing) } }

  // MARK: Documents

  /// Returns the object with this id.
  func find(_ id: String, in document: JSONObject) -> JSONObject? {
    document[list]?.array?.first { $0[self.id.member]?.text?.hasBytes(of: id) ?? false }?.object
  }

  /// Returns the form's inputs with the values of an object; of a new one without.
  func fields(_ object: JSONObject?) -> [Field] {
    (object == nil ? [id] : []).map(\.field)
      + inputs.map { input in input.field.with(value: input.text(object?[input.member] ?? .null)) }
  }

  /// Returns the document with the object that the form describes.
  ///
  /// - Parameter known: The id of the object to change; nil to add one.
  /// - Throws: `LedgerError` with `already_exists`, `invalid_request`; `not_available` if the object is gone.
  func edited(_ document: JSONObject, _ known: String?, by form: FormValues) throws(LedgerError) -> JSONObject {
    var list = document[self.list]?.array ?? []
    let name = known ?? form[id.member] ?? ""
    let place = list.firstIndex { $0[id.member]?.text?.hasBytes(of: name) ?? false }
    guard known == nil || place != nil else { throw LedgerError(.notAvailable, "The \(noun) is no longer there.") }
    guard known != nil || place == nil else {
      throw LedgerError(.alreadyExists, "There is a \(noun) \"\(name.prefix(100))\" already.")
    }
    var object = place.flatMap { list[$0].object } ?? JSONObject([(id.member, .string(name))])
    for input in inputs {
      let value = try input.value(form[input.member] ?? "")
      object[input.member] = Self.merged(object[input.member], value)
    }
    if let place { list[place] = .object(object) } else { list.append(.object(object)) }
    var edited = document
    edited[self.list] = .array(list)
    return edited
  }

  func removed(_ document: JSONObject, _ name: String) -> JSONObject {
    var edited = document
    edited[list] = .array(
      (document[list]?.array ?? []).filter { !($0[id.member]?.text?.hasBytes(of: name) ?? false) })
    return edited
  }

  /// Keeps the members of a list's objects that the form does not show, such as a grant's bonus.
  private static func merged(_ old: JSONValue?, _ new: JSONValue) -> JSONValue {
    guard let new = new.array, let old = old?.array else { return new }
    return .array(
      new.map { element in
        guard let object = element.object, let key = object.members.first,
          var known = old.first(where: { $0[key.name] == key.value })?.object
        else { return element }
        for member in object.members { known[member.name] = member.value }
        return .object(known)
      })
  }
}
#endif
