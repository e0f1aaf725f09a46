import Foundation
import GemLedger
import GemLedgerArchive
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// A catalog that no ledger writes is damage that every command names.
final class DamagedCatalogTests: XCTestCase {
  private let time = ManualClock()

  func testCurrenciesThatCannotBeToldApartAreDamage() throws {
    let directory = try TemporaryDirectory()
    let healthy = directory.path("healthy.sqlite")
    let made = try Ledger.createSQLite(at: healthy, clock: time.clock, salt: 1)
    try made.apply(Make.catalog())
    try made.grant([Make.amount("GEM", 10)], customer: Make.customer("alice"))
    made.close()
    for (position, damage) in [
      "UPDATE catalog SET position = 1 WHERE kind = 1", "UPDATE catalog SET position = position + 1023 WHERE kind = 1",
      "UPDATE catalog SET position = -position WHERE kind = 1",
      "UPDATE catalog SET position = \(Int64.max) WHERE kind = 1 AND code = 'RUBY'",
      "UPDATE catalog SET document = (SELECT document FROM catalog WHERE kind = 1 AND code = 'GEM') WHERE kind = 1",
    ].enumerated() {
      let path = directory.path("\(position).sqlite")
      try FileManager.default.copyItem(atPath: healthy, toPath: path)
      let raw = try RawSQLite(path)
      raw.disarm()
      XCTAssertNil(raw.run(damage), damage)
      let ledger = try Ledger.openSQLite(at: path, clock: time.clock)
      defer { ledger.close() }
      for ask: () throws -> Any in [
        { try ledger.verify() }, { try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("alice")) },
        { try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice")) },
        { try ledger.export(to: { _ in }) },
      ] {
        XCTAssertThrowsError(try ask(), damage) { error in
          XCTAssertEqual((error as? LedgerError)?.code, .storageDamaged, "\(damage): \(error)")
          XCTAssertTrue("\(error)".contains("catalog"), "\(damage): \(error)")
        }
      }
    }
  }
}
