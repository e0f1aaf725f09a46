#if Server
import Foundation
import GemLedger
import SystemHTTP
import XCTest

@testable import GemServer

/// The pages that `doc_url` leads to.
final class ErrorPageTests: XCTestCase {
  func testTheAddressInEachErrorHasAPage() async throws {
    let world = try APIWorld()
    for kind in ErrorKind.allCases {
      let response = ErrorStyle.rest.response(LedgerError(LedgerError.Code(kind), "for the test"), requestID: "r1")
      let error = try APIWorld.Answer(response)
      let url = try XCTUnwrap(error.body["doc_url"]?.text)
      XCTAssertEqual(url, "/docs/errors/\(kind.rawValue)")
      let page = try page(world, url, 200)
      XCTAssertTrue(page.contains("<h2 id=\"\(kind.rawValue)\">"), url)
      XCTAssertTrue(page.contains("\(kind.row.httpStatus), <code>\(kind.row.type)</code>"), url)
    }
    // Paths that do not exist and requests that cannot be read have a type alone.
    for status in [400, 404, 405, 500] {
      let refusal = world.handler.refusal(status: status, reason: "for the test", requestID: "r1")
      let url = try XCTUnwrap(APIWorld.Answer(refusal).body["doc_url"]?.text)
      XCTAssertTrue(try page(world, url, 200).contains("<dt>What to do</dt>"), url)
    }
    XCTAssertTrue(try page(world, "/docs/errors", 200).contains("<h2 id=\"unexpected\">"))
    _ = try page(world, "/docs/errors/no_such_code", 404)
  }

  /// The texts are those of the documentation, and no markup of it is left.
  func testTheTextsAreThoseOfTheDocumentation() async throws {
    let path = Fixture.path("../Sources/GemLedger/GemLedger.docc/ErrorCodes.md")
    let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let world = try APIWorld()
    for kind in ErrorKind.allCases {
      let row = try XCTUnwrap(rows.first { $0.first == "`\(kind.rawValue)`" })
      XCTAssertEqual(ErrorTexts.all[kind.rawValue]?.meaning, row[1])
      XCTAssertEqual(ErrorTexts.all[kind.rawValue]?.remedy, row[6])
      let page = try page(world, "/docs/errors/\(kind.rawValue)", 200)
      XCTAssertFalse(page.contains("`") || page.contains("doc:"), page)
    }
    XCTAssertEqual(ErrorTexts.all.count, ErrorKind.allCases.count)
  }

  private func page(_ world: APIWorld, _ path: String, _ status: Int) throws -> String {
    let parts = path.dropFirst().split(separator: "/").map(String.init)
    let request = HTTPRequest(
      method: "GET", path: parts, query: [], headers: HTTPHeaders([]), body: [], id: "r1")
    guard case .now(let response) = world.handler.answer(request), case .bytes(let bytes) = response.content else {
      XCTFail("\(path) has no page at once")
      return ""
    }
    XCTAssertEqual(response.status, status, path)
    return String(decoding: bytes, as: UTF8.self)
  }
}
#endif
