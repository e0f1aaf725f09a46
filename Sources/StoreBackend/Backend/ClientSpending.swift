internal import GemLedger

/// Which spends a backend books for a client.
///
/// A client runs on a device that its owner controls. The device's owner therefore chooses the amounts that the client
/// names, and they prove no price.
public enum ClientSpending: Hashable, Sendable, CaseIterable {
  /// Items at the catalog's prices; amounts are spent by a server, with `Ledger.spend`.
  case itemsOnly
  /// Any amount, also without an item: for tests, and for a ledger on the device itself.
  case anyAmount
}

extension BackendPolicy {
  /// - Throws: `forbidden`.
  func checkClientSpends() throws(LedgerError) {
    guard clientSpending == .itemsOnly else { return }
    throw LedgerError(
      .forbidden,
      "This backend does not let clients spend arbitrary amounts. Buy an item with buyItem, or spend on a server with "
        + "Ledger.spend; BackendPolicy(clientSpending: .anyAmount) permits it.",
      details: [.text("client_spending", "items_only")])
  }
}
