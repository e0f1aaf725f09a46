package import GemLedger

extension LedgerCommand {
  /// Erases the identity of a customer, and what names the customer in the statements of stores.
  ///
  /// - Parameters:
  ///   - ids: All ids of the customer.
  ///   - digest: Computes the SHA-256 of an id.
  /// - Throws: `LedgerError` of the storage.
  package static func erase(
    _ customer: CustomerID, with ids: [CustomerID], in ledger: Ledger, digest: (String) -> [UInt8]?
  ) throws(LedgerError) -> Self {
    var tokens = Set(ids.flatMap { AccountToken.all(of: $0, digest: digest($0.text)) }.map(\.description))
    // An id that is a UUID in other letters may be another customer's, whose token it is too.
    let spellings = tokens.flatMap { [$0, $0.uppercased()] }.map(CustomerID.init(unchecked:))
    for other in spellings where !ids.contains(other) {
      let isKnown = try ledger.view { (view) throws(LedgerError) in try view.customers.find(other) != nil }
      if isKnown { tokens.remove(other.text.lowercased()) }
    }
    return .erase(customer, tokens: tokens.sorted())
  }
}
