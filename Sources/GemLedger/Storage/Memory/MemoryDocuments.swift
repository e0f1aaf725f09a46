/// The documents of a ledger that lives in memory.
struct MemoryDocuments {
  /// In the order of their names.
  private(set) var rows: [DocumentRow] = []

  subscript(name: DocumentName) -> DocumentRow? {
    let place = place(of: name)
    return place.isEmpty ? nil : rows[place.lowerBound]
  }

  mutating func write(_ changes: ColdChanges) {
    for row in changes.documents { rows.replaceSubrange(place(of: row.name), with: [row]) }
    for row in changes.removedDocuments { rows.removeSubrange(place(of: row.name)) }
  }

  /// Returns the range of the row with the name; an empty range at its insertion position if there is none.
  private func place(of name: DocumentName) -> Range<Int> {
    let index = rows.partitioningIndex { $0.name >= name }
    return index..<(index < rows.count && rows[index].name == name ? index + 1 : index)
  }
}
