import GemLedger
import XCTest

/// A contract whose steps play on empty ledgers over one storage.
protocol LedgerContract {
  /// Makes an empty ledger over the storage.
  var make: (LedgerClock) throws -> Ledger { get }
  var time: ManualClock { get }
}

extension LedgerContract {
  /// An empty ledger with the tests' catalog.
  func ledger() throws -> Ledger {
    let ledger = try make(time.clock)
    try ledger.apply(Make.catalog())
    return ledger
  }

  /// Verifies the books and closes the ledger.
  func check(_ ledger: Ledger, line: UInt = #line) throws {
    try assertBooksAddUp(ledger, line: line)
    ledger.close()
  }

  func balance(_ ledger: Ledger, _ customer: CustomerID) throws -> Int64 { try balance(ledger, "GEM", customer) }

  func balance(_ ledger: Ledger, _ code: String, _ customer: CustomerID) throws -> Int64 {
    try ledger.balance(of: CurrencyCode(code), customer: customer).balance
  }
}
