internal import GemLedger

/// Which spends a backend books for a client.
///
/// A client runs on a device that its owner controls. An amount that the client names is thus the device owner's
/// choice, and the price of nothing.
public enum ClientSpending: Hashable, Sendable, CaseIterable {
  /// Items at the catalog's prices; amounts are spent by a server, with `Ledger.spend`.
  case itemsOnly
  /// Any amount, also without an item: for tests, and for a ledger that lies on the device itself.
  case anyAmount
}

extension BackendPolicy {
  /// - Throws: `forbidden`.
  func checkClientSpends() throws(LedgerError) {
    guard clientSpending == .itemsOnly else { return }
    throw LedgerError(
      .forbidden,
      "A client may not spend an amount of its own choice here. Buy an item with buyItem, or spend on a server with "
        + "Ledger.spend; BackendPolicy(clientSpending: .anyAmount) permits it.",
      details: [.text("client_spending", "items_only")])
  }
}
