#if Server
import GemLedger
import XCTest

@testable import GemServer

/// The description as generators of clients and of requests read it.
final class OpenAPITests: XCTestCase {
  private let document = OpenAPIDocument(Routes.all, projectIDs: ["default"]).json

  /// Generators of clients do not know the schemas `true` and `false`.
  func testEverySchemaIsAnObject() {
    var count = 0
    func check(_ value: JSONValue, _ path: String) {
      for (index, element) in (value.array ?? []).enumerated() { check(element, "\(path)[\(index)]") }
      for member in value.object?.members ?? [] {
        let path = "\(path).\(member.name)"
        switch member.name {
        case "schema", "items", "not", "propertyNames":
          count += 1
          XCTAssertNotNil(member.value.object, path)
        case "additionalProperties": XCTAssertTrue(member.value == false || member.value.object != nil, path)
        case "properties":
          for property in member.value.object?.members ?? [] { XCTAssertNotNil(property.value.object, path) }
        default: break
        }
        check(member.value, path)
      }
    }
    check(document, "$")
    XCTAssertGreaterThan(count, 200)
  }

  /// What the work refuses, a schema forbids as far as it can.
  func testTheSchemasForbidWhatIsRefused() throws {
    let transaction = try schema("/v2/projects/{project_id}/customers/{customer_id}/virtual_currencies/transactions")
    let adjustments = transaction["properties"]?["adjustments"]
    XCTAssertEqual(adjustments?["propertyNames"], ["pattern": "^[a-zA-Z0-9_]{1,10}$"])
    let id = try schema("/v2/projects/{project_id}/customers")["properties"]?["id"]
    XCTAssertEqual(id?["not"]?["enum"]?.array?.contains("0"), true)
    XCTAssertEqual(id?["maxLength"], 1500)
    let purchases = try parameter("size", "/v1/subscribers/{app_user_id}/purchases")
    XCTAssertEqual(purchases, ["type": "integer", "minimum": 1, "maximum": 1000])
    XCTAssertEqual(try parameter("purchase_code", "/v1/orders/{purchase_code}/payment")["maxLength"], 64)
    let storefront = try parameter("storefront", "/v1/products")["enum"]?.array ?? []
    XCTAssertTrue(storefront.contains("VNM") && !storefront.contains("000"))
  }

  func testAChangedSchemaStillChecks() async throws {
    let world = try APIWorld()
    for (path, status) in [
      ("/v1/subscribers/alice/purchases?size=0", 400), ("/v1/subscribers/alice/purchases?size=x", 400),
      ("/v1/products?storefront=000", 400), ("/v1/products?storefront=VNM", 200),
    ] {
      _ = try await world.send("GET", "/v1/subscribers/alice")
      let answer = try await world.send("GET", path)
      XCTAssertEqual(answer.status, status, path)
    }
  }

  private func schema(_ path: String) throws -> JSONValue {
    let content = document["paths"]?[path]?["post"]?["requestBody"]?["content"]
    return try XCTUnwrap(content?["application/json"]?["schema"])
  }

  private func parameter(_ name: String, _ path: String) throws -> JSONValue {
    let list = document["paths"]?[path]?["get"]?["parameters"]?.array
    return try XCTUnwrap(list?.first { $0["name"]?.text == name }?["schema"])
  }
}
#endif
