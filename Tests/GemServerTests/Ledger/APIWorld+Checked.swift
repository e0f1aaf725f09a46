#if Server
import GemLedger
import GemTestSupport
import SystemHTTP
import XCTest

@testable import GemServer

extension APIWorld {
  static let projectPath = "/v2/projects/default"

  /// Sends a request under the project's path, and checks that the answer has the form that the description promises.
  func checked(
    _ method: String, _ target: String, _ body: JSONValue? = nil, key: String? = nil, status: Int = 200,
    headers: [(name: String, value: String)] = [], file: StaticString = #filePath, line: UInt = #line
  ) async throws -> Answer {
    let answer = try await send(method, Self.projectPath + target, body, key: key, headers: headers)
    XCTAssertEqual(answer.status, status, answer.body.text(), file: file, line: line)
    let path = (Self.projectPath + target).split(separator: "?")[0].split(separator: "/")
    guard case .found(let match) = Router(Routes.all).find(method, path.map(String.init)) else {
      XCTFail("no route", file: file, line: line)
      return answer
    }
    if answer.status < 300, case .bytes = answer.response.content {
      let schema = try XCTUnwrap(match.route.answers[answer.status], "undescribed status", file: file, line: line)
      do { try schema.check(answer.body) } catch { XCTFail("\(match.route.name): \(error)", file: file, line: line) }
    }
    return answer
  }

  /// Sends a request that is refused, and checks the code.
  func refused(
    _ method: String, _ target: String, _ body: JSONValue? = nil, key: String? = nil, status: Int, code: String,
    headers: [(name: String, value: String)] = [], file: StaticString = #filePath, line: UInt = #line
  ) async throws {
    let answer = try await checked(
      method, target, body, key: key, status: status, headers: headers, file: file, line: line)
    XCTAssertEqual(answer.body["code"]?.text, code, file: file, line: line)
  }

  /// Adds a currency to the catalog.
  func define(_ code: String) throws {
    try ledger.define(Currency(code: CurrencyCode(code), name: code))
  }

  @discardableResult
  func spend(_ amount: Int64, by customer: String) throws -> Booking {
    try ledger.spend([Adjustment(CurrencyCode("GEM"), amount)], customer: CustomerID(customer))
  }

  /// A secret key that may do this only.
  func key(for scope: Scope) -> String {
    let (key, text) = APIKey.make(.secret(scopes: [scope]), at: time.now)
    keys.add(key)
    return text
  }
}

func withKey(_ key: String) -> [(name: String, value: String)] { [("Idempotency-Key", key)] }
#endif
