#if Server
import GemLedger
import GemTestSupport
import StoreReceipts
import XCTest

@testable import GemServer

/// A new secret for an endpoint, while receivers know the old one.
final class WebhookSecretTests: XCTestCase {
  private let path = "/webhook_endpoints"

  /// A project with its webhooks, and an endpoint with its secret.
  private func endpoint() async throws -> (world: APIWorld, id: String, secret: String) {
    let world = try APIWorld()
    let answer = try await world.checked("POST", path, ["url": "https://example.com/hook"], status: 201)
    return (world, try XCTUnwrap(answer.body["id"]?.text), try XCTUnwrap(answer.body["secret"]?.text))
  }

  private func rotate(_ world: APIWorld, _ id: String, overlap: Int64?) async throws -> String {
    let body: JSONValue = overlap.map { ["overlap_seconds": .integer($0)] } ?? [:]
    let answer = try await world.checked("POST", "\(path)/\(id)/actions/rotate_secret", body)
    XCTAssertEqual(
      answer.body["previous_secrets_end_at"]?.integer, world.time.now.milliseconds + (overlap ?? 86_400) * 1000)
    return try XCTUnwrap(answer.body["secret"]?.text)
  }

  /// Delivers an event, and says for each secret whether a receiver that knows it alone takes the message.
  private func accepted(_ world: APIWorld, by secrets: [String]) async throws -> [Bool] {
    let receivers = Receivers(world.time)
    let webhooks = Webhooks(
      world.ledger, projectID: "default", clock: world.time.clock, sender: receivers, owner: "the only one")
    try world.grant(1, to: "alice")
    let failures = try await XCTUnwrap(webhooks.dispatcher).runOnce()
    XCTAssertEqual(failures, [:])
    let message = try XCTUnwrap(receivers.messages.last)
    let signature = WebhookSignature(
      id: try XCTUnwrap(message.headers["webhook-id"]), timestamp: try XCTUnwrap(message.headers["webhook-timestamp"]),
      signatures: try XCTUnwrap(message.headers["webhook-signature"]))
    return secrets.map { secret in
      do throws(LedgerError) {
        try signature.check(message.body, secrets: [try WebhookSecret(secret)], now: world.time.now)
        return true
      } catch {
        XCTAssertEqual(error.code, .unauthenticated)
        return false
      }
    }
  }

  func testBothSecretsAreTakenDuringTheOverlapAndTheNewOneAfterIt() async throws {
    let (world, id, old) = try await endpoint()
    let new = try await rotate(world, id, overlap: 3600)
    XCTAssertNotEqual(new, old)
    var taken = try await accepted(world, by: [old, new])
    XCTAssertEqual(taken, [true, true])
    world.time.advance(seconds: 3599)
    taken = try await accepted(world, by: [old, new])
    XCTAssertEqual(taken, [true, true])
    world.time.advance(seconds: 1)
    taken = try await accepted(world, by: [old, new])
    XCTAssertEqual(taken, [false, true])
  }

  func testALostAnswerIsMadeUpForByAnotherRotation() async throws {
    let (world, id, old) = try await endpoint()
    let lost = try await rotate(world, id, overlap: nil)
    let new = try await rotate(world, id, overlap: nil)
    let taken = try await accepted(world, by: [old, lost, new])
    XCTAssertEqual(taken, [true, true, true])
  }

  func testALeakedSecretEndsAtOnceWithAllEarlierOnes() async throws {
    let (world, id, old) = try await endpoint()
    let leaked = try await rotate(world, id, overlap: 3600)
    let new = try await rotate(world, id, overlap: 0)
    let taken = try await accepted(world, by: [old, leaked, new])
    XCTAssertEqual(taken, [false, false, true])
  }

  func testABoundOfSecretsThatSign() async throws {
    let (world, id, _) = try await endpoint()
    for _ in 0..<WebhookEndpoint.previousSecretCountMax { _ = try await rotate(world, id, overlap: 3600) }
    let action = "\(path)/\(id)/actions/rotate_secret"
    try await world.refused("POST", action, ["overlap_seconds": 3600], status: 400, code: "limit_exceeded")
    _ = try await rotate(world, id, overlap: 0)
    _ = try await rotate(world, id, overlap: 3600)
    world.time.advance(seconds: 3600)
    _ = try await rotate(world, id, overlap: 3600)
  }

  func testRefusals() async throws {
    let (world, id, old) = try await endpoint()
    let action = "\(path)/\(id)/actions/rotate_secret"
    for seconds: Int64 in [-1, 2_592_001] {
      try await world.refused(
        "POST", action, ["overlap_seconds": .integer(seconds)], status: 400, code: "invalid_request")
    }
    try await world.refused("POST", action, [:], key: world.key(for: .webhooks), status: 403, code: "forbidden")
    try await world.refused(
      "POST", "\(path)/wh_none/actions/rotate_secret", [:], status: 404, code: "endpoint_not_found")
    let taken = try await accepted(world, by: [old])
    XCTAssertEqual(taken, [true])
    let got = try await world.checked("GET", "\(path)/\(id)")
    XCTAssertFalse(got.body.text().contains("whsec_"))
  }

  func testARunningTurnTakesAChangedEndpoint() async throws {
    let world = try APIWorld()
    let receivers = Receivers(world.time)
    var settings = WebhookSettings()
    settings.pageSize = 1
    let webhooks = Webhooks(
      world.ledger, projectID: "default", clock: world.time.clock, sender: receivers, settings: settings)
    let id = try webhooks.create(url: "https://example.com/hook").id
    receivers.answer { _, _ in
      do throws(LedgerError) {
        _ = try webhooks.store.change(id) { $0.url = "https://example.com/other" }
      } catch { XCTFail("\(error)") }
      return .status(200)
    }
    for _ in 0..<3 { try world.grant(1, to: "alice") }
    _ = try await XCTUnwrap(webhooks.dispatcher).runOnce()
    XCTAssertEqual(
      receivers.messages.map(\.url),
      ["https://example.com/hook", "https://example.com/other", "https://example.com/other"])
  }
}
#endif
