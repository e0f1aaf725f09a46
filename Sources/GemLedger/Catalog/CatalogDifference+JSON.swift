extension CatalogDifference: JSONDocument {
  package static let form = JSONForm<Self>([
    .always("added", \.added, entries, "Objects that only the new version has."),
    .always("changed", \.changed, entries, "Objects with other fields."),
    .always("removed", \.removed, entries, "Objects that only the old version has."),
  ])

  private static let entries = JSONKind<[Entry]>.list(
    .form(
      JSONForm<Entry>([
        .always("part", \.part, .word(Part.Kind.allCases.map(Part.init), \.description)),
        .always("id", \.id, .text(), "Empty for the settings and the current offering."),
        .always("fields", \.fields, .list(.text()), "The changed fields, such as `prices.USA: \"9.99\" -> \"8.99\"`."),
      ])))
}

// The form in the history of versions.
extension CatalogDifference {
  /// The number of changed objects that a version's record names.
  package static let recordedEntries = 100
  private static let recordedFields = 10

  package var count: Int { added.count + changed.count + removed.count }

  /// The first ``recordedEntries``, each with its first fields, abridged.
  func shortened() -> Self {
    var (short, room) = (self, Self.recordedEntries)
    for list in [\Self.added, \Self.changed, \Self.removed] {
      short[keyPath: list] = self[keyPath: list].prefix(room).map { entry in
        Entry(
          part: entry.part, id: entry.id, fields: entry.fields.prefix(Self.recordedFields).map(\.abridged))
      }
      room -= short[keyPath: list].count
    }
    return short
  }

  init(reading json: StoredJSON) throws(LedgerError) {
    added = try Self.entries(json["added"])
    changed = try Self.entries(json["changed"])
    removed = try Self.entries(json["removed"])
  }

  private static func entries(_ json: StoredJSON) throws(LedgerError) -> [Entry] {
    try json.elements().map { (entry) throws(LedgerError) in
      let fields = try entry["fields"].elements().map { (field) throws(LedgerError) in try field.text() }
      let part = Part(try entry["part"].word() as Part.Kind)
      return Entry(part: part, id: try entry["id"].text(), fields: fields)
    }
  }
}
