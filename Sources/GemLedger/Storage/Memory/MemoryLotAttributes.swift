/// The attributes of lots, in the order of lots.
struct MemoryLotAttributes {
  private(set) var rows: [LotAttributesRow] = []

  subscript(number: LotNumber) -> LotAttributesRow? {
    // A lot's attributes are at index `number - 1`, or earlier if refused commands drew numbers in vain.
    let own = Int(number) - 1
    if rows.indices.contains(own), rows[own].lot == number { return rows[own] }
    let position = rows.partitioningIndex { $0.lot >= number }
    return position < rows.count && rows[position].lot == number ? rows[position] : nil
  }

  mutating func append(_ new: [LotAttributesRow]) { rows += new }
}
