#if Server
import GemLedger
import SystemHTTP
import XCTest

@testable import GemServer

final class RouterTests: XCTestCase {
  private func route(_ method: String, _ path: String) -> Route {
    Route(
      method: method, path: path, name: "\(method) \(path)", summary: "", access: .open,
      work: .now { _ in HTTPResponse(status: 200) })
  }

  func testFixedPartsComeBeforeNames() {
    let router = Router([route("GET", "/v2/things/{id}"), route("GET", "/v2/things/new"), route("POST", "/v2/things")])
    guard case .found(let match) = router.find("GET", ["v2", "things", "a/b"]) else { return XCTFail("not found") }
    XCTAssertEqual(match.names["id"], "a/b")
    XCTAssertNil(match.names["name"])
    guard case .found(let fixed) = router.find("GET", ["v2", "things", "new"]) else { return XCTFail("not found") }
    XCTAssertEqual(fixed.route.path, "/v2/things/new")
    guard case .otherMethods(let methods) = router.find("GET", ["v2", "things"]) else { return XCTFail("found") }
    XCTAssertEqual(methods, ["POST"])
    guard case .noSuchPath = router.find("GET", ["v2"]) else { return XCTFail("found") }
  }

  func testANameMayBeThatOfAFixedPart() throws {
    let router = Router([
      route("GET", "/things/{id}"), route("POST", "/things/actions/move"), route("POST", "/things/{id}/actions/end"),
    ])
    guard case .found(let get) = router.find("GET", ["things", "actions"]) else { return XCTFail("not found") }
    XCTAssertEqual(get.names["id"], "actions")
    guard case .found(let end) = router.find("POST", ["things", "actions", "actions", "end"]) else {
      return XCTFail("not found")
    }
    XCTAssertEqual(end.names["id"], "actions")
    guard case .found(let move) = router.find("POST", ["things", "actions", "move"]) else {
      return XCTFail("not found")
    }
    XCTAssertTrue(move.names.isEmpty)
  }
}
#endif
