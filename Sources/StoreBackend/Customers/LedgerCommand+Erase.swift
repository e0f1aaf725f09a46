package import GemLedger

extension LedgerCommand {
  /// Erases a customer's identity, including the customer's names in the statements of stores.
  ///
  /// - Parameters:
  ///   - ids: All ids of the customer.
  ///   - digest: Computes the SHA-256 of an id.
  /// - Throws: `LedgerError` of the storage.
  package static func erase(
    _ customer: CustomerID, with ids: [CustomerID], in ledger: Ledger, digest: (String) -> [UInt8]?
  ) throws(LedgerError) -> Self {
    var tokens = Set(ids.flatMap { AccountToken.all(of: $0, digest: digest($0.text)) }.map(\.description))
    // The token's UUID in upper case may be the id of another customer with the same token.
    let spellings = tokens.flatMap { [$0, $0.uppercased()] }.map(CustomerID.init(unchecked:))
    for other in spellings where !ids.contains(other) {
      let isKnown = try ledger.view { (view) throws(LedgerError) in try view.customers.find(other) != nil }
      if isKnown { tokens.remove(other.text.lowercased()) }
    }
    return .erase(customer, tokens: tokens.sorted())
  }
}
