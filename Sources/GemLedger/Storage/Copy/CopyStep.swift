/// The parts of a copy, in the order in which they are written; a new one goes to the end, so that a copy that an older
/// version began can be gone on with.
enum CopyStep: Int64, CaseIterable {
  case foundations
  case customers
  case journal
  case keys
  case purchases
  case accounts
  case lots
  case formerLots
  case items
  case anchors
  case merges
  case refunds
  /// Of older versions; now the newest refund says it.
  case refundStates
  case refundEvidence
  case orders
  case accountTokens
  case effects
  case holds
  case counts

  static let pageSize = 4096
}
