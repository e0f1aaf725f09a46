#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreClientHTTP
import StoreTestSupport
import Synchronization
import XCTest

/// What the client makes of answers, good and bad.
final class HTTPBackendTests: XCTestCase {
  private func backend(
    _ answer: ClientAnswer, sessionTokens: HTTPBackend.SessionTokens? = nil
  ) throws -> (HTTPBackend, ScriptedTransport) {
    let transport = ScriptedTransport(nil, Array(repeating: .answers(answer), count: 10))
    return (
      try HTTPBackend(transport: transport, apiKey: "appl_hush", sessionTokens: sessionTokens), transport
    )
  }

  private func failure(_ answer: ClientAnswer) async throws -> LedgerError {
    let (backend, _) = try backend(answer)
    do throws(LedgerError) {
      let registration = try await backend.register(CustomerID("alice"))
      XCTFail("\(registration)")
      return LedgerError(.unexpected, "This worked.")
    } catch {
      XCTAssertFalse("\(error) \(error.details)".contains("hush"), "an error repeats the key")
      return error
    }
  }

  private func json(_ text: String) -> [UInt8] { Array(text.utf8) }

  func testAnswersThatAreNotTheServersSayWhatToDo() async throws {
    let page = json("<html>Please sign in to the hotel's network</html>")
    let rows: [(status: Int, body: [UInt8], code: LedgerError.Code)] = [
      (200, page, .backendUnreachable), (200, [], .backendUnreachable), (201, json("[]"), .backendUnreachable),
      (200, json("{}"), .backendUnreachable), (204, [], .backendUnreachable), (301, page, .backendUnreachable),
      (302, [], .backendUnreachable), (307, [], .backendUnreachable), (400, page, .backendUnreachable),
      (401, page, .unauthenticated), (403, page, .forbidden), (404, page, .backendUnreachable),
      (404, json(#"{"object":"error","type":"resource_missing","message":"No."}"#), .backendUnreachable),
      (408, [], .timedOut), (413, [], .backendUnreachable), (423, [], .inProgress), (429, [], .rateLimited),
      (500, page, .backendUnreachable), (502, page, .backendUnreachable), (503, [], .backendUnreachable),
      (504, page, .timedOut), (500, json(#"{"error":{"code":"of_tomorrow","message":"?"}}"#), .backendUnreachable),
    ]
    for row in rows {
      let error = try await failure(ClientAnswer(status: row.status, body: row.body))
      XCTAssertEqual(error.code, row.code, "\(row.status)")
    }
  }

  func testAWaitThatIsAskedForIsTold() async throws {
    let error = try await failure(ClientAnswer(status: 429, headers: [("retry-after", "17")]))
    XCTAssertEqual(error.integer("retry_after"), 17)
    for text in ["soon", "-5", "99999999999999999999", ""] {
      let other = try await failure(ClientAnswer(status: 503, headers: [("Retry-After", text)]))
      XCTAssertNil(other.integer("retry_after"), text)
    }
    let long = try await failure(ClientAnswer(status: 503, headers: [("Retry-After", "999999999")]))
    XCTAssertEqual(long.integer("retry_after"), 86_400)
  }

  func testAnErrorOfTheServerIsTheSameErrorHere() async throws {
    let body = #"""
      {"code":7226,"message":"m","error":{"code":"insufficient_balance","message":"Too little.",
      "details":{"available":3,"currency":"GEM"},"replayed":true,"request_id":"r9"}}
      """#
    let error = try await failure(ClientAnswer(status: 422, body: json(body)))
    var expected = LedgerError(
      .insufficientBalance, "Too little.",
      details: [
        .init(name: "available", value: .integer(3)), .init(name: "currency", value: .text("GEM")),
        .init(name: "request_id", value: .text("r9")),
      ])
    expected.isReplayed = true
    XCTAssertEqual(error, expected)
  }

  func testASecretKeyHasNoPlaceInAnApp() throws {
    for key in ["sk_abc", "", "a b", "clé"] {
      XCTAssertThrowsError(try HTTPBackend(transport: ScriptedTransport(), apiKey: key)) { error in
        XCTAssertEqual((error as? LedgerError)?.code, .configuration, key)
      }
    }
    for text in ["ftp://h", "file:///etc", "https://h?x=1", "h"] {
      let url = try XCTUnwrap(URL(string: text))
      SpendEndpoint.register()
      XCTAssertThrowsError(try HTTPBackend(baseURL: url, apiKey: "appl_1"), text)
    }
  }

  func testAServerThatNeverAnswersIsGivenUp() async throws {
    struct Silence: HTTPTransport {
      func send(_ request: ClientRequest) async throws(LedgerError) -> ClientAnswer {
        do { try await Task.sleep(for: .seconds(600)) } catch {
          throw LedgerError(.backendUnreachable, "The request was given up.")
        }
        return ClientAnswer(status: 200)
      }
    }
    let backend = try HTTPBackend(transport: Silence(), apiKey: "appl_1", timeLimit: .milliseconds(20))
    await assertRefused(.timedOut) { try await backend.register(CustomerID("alice")) }
  }

  // MARK: Session tokens

  /// Only what needs a token has one; one past its end is asked for again, once.
  func testATokenPastItsEndIsAskedForAgain() async throws {
    let asked = Mutex<[String?]>([])
    let refusal = ClientAnswer(status: 401)
    let (backend, transport) = try backend(refusal) { request in
      asked.withLock { asked in
        asked.append(request.refused)
        return "gst_\(asked.count)"
      }
    }
    await assertRefused(.unauthenticated) {
      try await backend.buyItem(ItemID("life"), quantity: 1, customer: CustomerID("alice"), key: IdempotencyKey("k"))
    }
    XCTAssertEqual(asked.withLock { $0 }, [nil, "gst_1"])
    XCTAssertEqual(
      transport.requests.map { $0.headers.first { $0.name == "Authorization" }?.value },
      ["Bearer gst_1", "Bearer gst_2"])
    await assertRefused(.unauthenticated) { try await backend.balances(of: CustomerID("alice")) }
    XCTAssertEqual(asked.withLock(\.count), 2, "a read needs no token")
    XCTAssertEqual(transport.requests.last?.headers.first?.value, "Bearer appl_hush")
  }

  /// Each refusal names the token that is missing: first the customer's, then that of the id that is added.
  func testAnAliasOfTwoNamedIDsSendsBothTokens() async throws {
    func refusal(_ needs: String) -> ScriptedTransport.Step {
      .answers(
        ClientAnswer(
          status: 403, body: json(#"{"error":{"code":"forbidden","message":"m","details":{"needs":"\#(needs)"}}}"#)))
    }
    let transport = ScriptedTransport(
      nil, [refusal("session_token"), refusal("new_session_token"), .answers(ClientAnswer(status: 400))])
    let backend = try HTTPBackend(transport: transport, apiKey: "appl_1") { "gst_\($0.customer)" }
    do {
      _ = try await backend.createAlias(CustomerID("alice-2"), of: CustomerID("alice-1"))
    } catch {
      XCTAssertNotEqual(error.code, .forbidden)
    }
    XCTAssertEqual(
      transport.requests.map { $0.headers.first?.value },
      ["Bearer appl_1", "Bearer gst_alice-1", "Bearer gst_alice-1"])
    let last = try JSONValue.parse(try XCTUnwrap(transport.requests.last?.body))
    XCTAssertEqual(last["new_session_token"], "gst_alice-2")
  }

  func testWithoutATokenNothingIsSpent() async throws {
    struct NoConnection: Error {}
    let (backend, transport) = try backend(ClientAnswer(status: 200)) { _ in throw NoConnection() }
    await assertRefused(.unauthenticated) {
      try await backend.spend(
        [Adjustment(CurrencyCode("GEM"), 1)], customer: CustomerID("alice"), key: IdempotencyKey("k"))
    }
    XCTAssertEqual(transport.requests.count, 0)
  }

  // MARK: Ids

  /// Ids are any text; all of them have to arrive as they are.
  func testEveryIDArrivesAsItIs() async throws {
    let world = try World(policy: BackendPolicy())
    let backend = try HandlerTransport(world.backend).backend()
    let ids = [
      "a b", "a+b", "50%", "%2F", "é", "e\u{301}", "\u{1F48E}", "a?b=c&d#e", "..", ".", "a;b,c:d@e", "\"quoted\"",
      "'; DROP TABLE customers; --", String(repeating: "\u{1F48E}", count: 375), "register", "$dollar",
    ]
    for id in ids {
      let customer = try CustomerID(id)
      let registration = try await backend.register(customer)
      XCTAssertEqual(registration, Registration(customer: customer, isCreated: true))
      let record = try await backend.customer(customer)
      XCTAssertEqual(record.ids, [customer])
    }
  }

  /// A key is any text too, though a header is not.
  func testEveryKeyIsTheSameKeyAgain() async throws {
    let world = try World()
    let backend = try HandlerTransport(world.backend).backend()
    let (alice, gem) = (try CustomerID("alice-1"), try CurrencyCode("GEM"))
    try world.ledger.grant([Adjustment(gem, 100)], customer: alice)
    let keys = ["k", "a b", " k", "\"k\"", "é", "\u{1F48E}", String(repeating: "k", count: 255)]
    for (index, text) in keys.enumerated() {
      let key = try IdempotencyKey(text)
      let first = try await backend.spend([Adjustment(gem, 1)], customer: alice, key: key)
      XCTAssertFalse(first.isReplayed, text)
      let again: Booking = try world.ledger.spend([Adjustment(gem, 1)], customer: alice, key: key)
      XCTAssertEqual(again.transactionID, first.transactionID, text)
      XCTAssertEqual(try world.balance("alice-1"), Int64(99 - index))
    }
  }
}
#endif
