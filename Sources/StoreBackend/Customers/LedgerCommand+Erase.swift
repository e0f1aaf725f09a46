package import GemLedger

extension LedgerCommand {
  /// Erases the identity of a customer, and what names the customer in the statements of stores.
  ///
  /// - Parameters:
  ///   - ids: All ids of the customer.
  ///   - digest: Computes the SHA-256 of an id.
  package static func erase(
    _ customer: CustomerID, with ids: [CustomerID], digest: (String) -> [UInt8]?
  ) -> Self {
    let tokens = Set(ids.flatMap { AccountToken.all(of: $0, digest: digest($0.text)) }.map(\.description))
    return .erase(customer, tokens: tokens.sorted())
  }
}
