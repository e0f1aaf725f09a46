package import GemLedger
internal import GemLedgerArchive
internal import GemLedgerAudit
internal import XCTest

/// Fails unless the expression is refused with this code; gives the refusal.
@discardableResult
package func assertRefused<T>(
  _ code: LedgerError.Code, file: StaticString = #filePath, line: UInt = #line, _ expression: () throws -> T
) -> LedgerError? {
  do {
    let value = try expression()
    XCTFail("expected \(code), got \(value)", file: file, line: line)
  } catch let error as LedgerError {
    XCTAssertEqual(error.code, code, error.message, file: file, line: line)
    return error
  } catch {
    XCTFail("expected \(code), got \(error)", file: file, line: line)
  }
  return nil
}

/// Fails unless the books add up.
package func assertBooksAddUp(_ ledger: Ledger, file: StaticString = #filePath, line: UInt = #line) throws {
  let verification = try ledger.verify()
  XCTAssertEqual(verification.problems.map(\.description), [], file: file, line: line)
  XCTAssertTrue(verification.isOK, file: file, line: line)
}

/// The whole export of a ledger.
package func exportedText(_ ledger: Ledger) throws -> String {
  var bytes: [UInt8] = []
  try ledger.export { bytes += $0 }
  return String(decoding: bytes, as: UTF8.self)
}
