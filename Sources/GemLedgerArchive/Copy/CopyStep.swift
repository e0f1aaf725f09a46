internal import GemLedger

/// The parts of a copy, in writing order.
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
  case checkpoints
  case merges
  case refunds
  case evidence
  case orders
  case accountTokens
  case events
  case holds
  case counts
  case documents

  static let pageSize = 4096
}
