#if Server
import GemLedger
import GemTestSupport
import SystemHTTP
import XCTest

@testable import GemServer

/// Keys on connections that stay open, whose digests are computed once.
final class ConnectionProofTests: XCTestCase {
  private func withClient(_ world: APIWorld, _ body: (RawClient) throws -> Void) async throws {
    let server = try HTTPServer(HTTPServerSettings(), handler: world.handler) { "r1" }
    try body(RawClient(port: server.port))
    let hasStopped = await server.stop()
    XCTAssertTrue(hasStopped)
  }

  /// Reads balances, which needs a secret key; returns the status.
  private func status(_ client: RawClient, _ field: String) -> String {
    let path = "/v2/projects/default/customers/alice/virtual_currencies"
    client.send("GET \(path) HTTP/1.1\r\nHost: h\r\nAuthorization: \(field)\r\n\r\n")
    return String(client.readAnswer().split(separator: " ").dropFirst().first ?? "none")
  }

  private func makeWorld() throws -> APIWorld {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    return world
  }

  func testARevokedKeyIsRefusedOnItsConnectionWithTheNextRequest() async throws {
    let world = try makeWorld()
    try await withClient(world) { client in
      for _ in 0..<3 { XCTAssertEqual(status(client, "Bearer \(world.secretKey)"), "200") }
      var key = try XCTUnwrap(world.keys.key(id: try XCTUnwrap(APIKey.id(in: world.secretKey))))
      let valid = key
      key.revokedAt = world.time.now
      world.keys.add(key)
      for _ in 0..<3 { XCTAssertEqual(status(client, "Bearer \(world.secretKey)"), "401") }
      world.keys.add(valid)
      XCTAssertEqual(status(client, "Bearer \(world.secretKey)"), "200")
    }
  }

  func testAKeyWithAnotherSecretOrFewerScopesCountsFromTheNextRequest() async throws {
    let world = try makeWorld()
    let id = try XCTUnwrap(APIKey.id(in: world.secretKey))
    try await withClient(world) { client in
      XCTAssertEqual(status(client, "Bearer \(world.secretKey)"), "200")
      let key = try XCTUnwrap(world.keys.key(id: id))
      world.keys.add(APIKey(id: id, kind: .secret(scopes: [.events]), digest: key.digest, createdAt: key.createdAt))
      XCTAssertEqual(status(client, "Bearer \(world.secretKey)"), "403")
      let other = APIKey.make(.secret(scopes: []), at: world.time.now)
      world.keys.add(APIKey(id: id, kind: key.kind, digest: other.key.digest, createdAt: key.createdAt))
      XCTAssertEqual(status(client, "Bearer \(world.secretKey)"), "401")
    }
  }

  func testKeysThatAlternateOnOneConnectionActAsThemselves() async throws {
    let world = try makeWorld()
    // More keys than a connection remembers, so that each is forgotten and proven again.
    let readers = (0..<6).map { _ in APIKey.make(.secret(scopes: [.purchases]), at: world.time.now) }
    for reader in readers { world.keys.add(reader.key) }
    try await withClient(world) { client in
      for _ in 0..<3 {
        XCTAssertEqual(status(client, "Bearer \(world.secretKey)"), "200")
        XCTAssertEqual(status(client, "Bearer \(world.appKey)"), "403")
        XCTAssertEqual(status(client, "bearer \(world.secretKey)"), "200")
        XCTAssertEqual(status(client, "Bearer \(world.secretKey.dropLast())!"), "401")
        XCTAssertEqual(status(client, "Bearer \(world.secretKey)0"), "401")
        for reader in readers { XCTAssertEqual(status(client, "Bearer \(reader.text)"), "200") }
      }
    }
  }

  func testAProofOfOneConnectionIsUnknownToAnother() async throws {
    let world = try makeWorld()
    let server = try HTTPServer(HTTPServerSettings(), handler: world.handler) { "r1" }
    let (first, second) = (try RawClient(port: server.port), try RawClient(port: server.port))
    XCTAssertEqual(status(first, "Bearer \(world.secretKey)"), "200")
    XCTAssertEqual(status(second, "Bearer \(world.secretKey.dropLast())!"), "401")
    XCTAssertEqual(status(second, "Bearer \(world.secretKey)"), "200")
    let hasStopped = await server.stop()
    XCTAssertTrue(hasStopped)
  }

  func testTheProofsOfAConnectionAreBounded() {
    let proofs = ConnectionProofs()
    for number in UInt8(0)..<100 {
      proofs.add(ConnectionProofs.Proof(field: [number], keyID: "\(number)", digest: []))
    }
    XCTAssertNil(proofs.first { $0.field == [0] })
    XCTAssertEqual(proofs.first { $0.field == [99] }?.keyID, "99")
  }
}
#endif
