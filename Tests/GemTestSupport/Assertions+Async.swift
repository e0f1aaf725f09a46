package import GemLedger
internal import XCTest

/// Fails unless the expression is refused with this code; gives the refusal.
@discardableResult
package func assertRefused<T: Sendable>(
  _ code: LedgerError.Code, file: StaticString = #filePath, line: UInt = #line,
  _ expression: () async throws -> T
) async -> LedgerError? {
  do {
    let value = try await expression()
    XCTFail("expected \(code), got \(value)", file: file, line: line)
  } catch let error as LedgerError {
    XCTAssertEqual(error.code, code, error.message, file: file, line: line)
    return error
  } catch {
    XCTFail("expected \(code), got \(error)", file: file, line: line)
  }
  return nil
}
