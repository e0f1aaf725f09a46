public import GemLedger

/// Reports about purchases and about spent currency; see `Ledger.sales`.
public struct SalesReports: Sendable {
  let ledger: Ledger
}

extension Ledger {
  /// Reports about purchases and about spent currency.
  public var sales: SalesReports { SalesReports(ledger: self) }
}
