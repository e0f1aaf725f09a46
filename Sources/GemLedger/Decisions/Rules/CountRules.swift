/// Merges the counts of two customers; pure.
enum CountRules {
  static func merged(_ row: CountRow, with own: CountRow?, of customer: CustomerNumber) -> CountRow {
    var row = row
    row.customer = customer
    guard let own else { return row }
    switch row.key.kind {
    case .bought, .spent, .granted, .sold:
      guard row.period == own.period else { return row.period > own.period ? row : own }
      row.value += own.value
      return row
    // A merge does not give one allowance twice.
    case .allowed: return row.period > own.period ? row : own
    case .recharged: return own
    }
  }
}
