#if Server
internal import GemLedger

/// Finds customers by any name that support may have.
struct CustomerSearch {
  struct Match {
    let customer: CustomerID
    let kind: String
    let match: String
  }

  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func find(_ text: String) throws(LedgerError) -> [Match] {
    guard let id = try? CustomerID(text) else { return [] }
    do throws(LedgerError) {
      let customer = try ledger.customer(id)
      return [Match(customer: customer.originalID, kind: "id", match: id.text)]
    } catch { return [] }
  }
}
#endif
