#if Server
import Dispatch
import GemLedger
import Synchronization
import SystemHTTP
import XCTest

final class HTTPSenderTests: XCTestCase {
  private func sender(threads: Int = 4) throws -> HTTPSender {
    HTTPSender(to: try OutgoingTarget(allowedHosts: ["localhost", "127.0.0.1"]), threadCount: threads)
  }

  private func post(
    _ sender: HTTPSender, _ server: LoopbackServer, _ path: String = "/hook", timeout: Duration = .seconds(60),
    headers: [(name: String, value: String)] = [("Content-Type", "application/json")]
  ) async throws -> Result<HTTPReply, HTTPSendFailure> {
    let url = try OutgoingURL("http://localhost:\(server.port)\(path)")
    return await sender.post(url, headers: headers, body: Array("{\"a\":1}".utf8), timeout: timeout)
  }

  func testPostsTheBodyAsItIs() async throws {
    let server = try LoopbackServer { _ in LoopbackServer.answer(202, "taken", ["Retry-After: 7"]) }
    defer { server.stop() }
    let reply = try await post(try sender(), server, "/hook?x=1").get()
    XCTAssertEqual(reply.status, 202)
    XCTAssertTrue(reply.isSuccess)
    XCTAssertEqual(String(decoding: reply.body, as: UTF8.self), "taken")
    XCTAssertEqual(reply.headers["retry-after"], "7")
    let request = try XCTUnwrap(server.requests.first)
    XCTAssertEqual(request.line, "POST /hook?x=1 HTTP/1.1")
    XCTAssertEqual(String(decoding: request.body, as: UTF8.self), "{\"a\":1}")
    XCTAssertEqual(request.field("User-Agent"), "GemLedger")
    XCTAssertEqual(request.field("Host"), "localhost:\(server.port)")
    XCTAssertNil(request.field("Expect"))
  }

  /// Requests that nobody answers take no threads from the rest of the process, such as those that commit.
  func testRequestsThatHangHoldUpNothingElse() async throws {
    let (count, gate) = (40, DispatchSemaphore(value: 0))
    let began = Mutex(0)
    let server = try LoopbackServer { _ in
      began.withLock { $0 += 1 }
      gate.wait()
      return LoopbackServer.answer(200)
    }
    defer { server.stop() }
    let sender = try sender(threads: count)
    let url = try OutgoingURL("http://localhost:\(server.port)/hook")
    let requests = (0..<count).map { _ in Task { try await sender.get(url, headers: []).get().status } }
    // Dispatch would begin two at once, and then one a second.
    let limit = ContinuousClock.now + .seconds(15)
    while began.withLock({ $0 }) < count, ContinuousClock.now < limit { await Task.yield() }
    XCTAssertEqual(began.withLock { $0 }, count)
    for _ in 0..<count { gate.signal() }
    for request in requests {
      let status = try await request.value
      XCTAssertEqual(status, 200)
    }
  }

  func testGetsWithoutABody() async throws {
    let server = try LoopbackServer { _ in LoopbackServer.answer(200, "there") }
    defer { server.stop() }
    let url = try OutgoingURL("http://localhost:\(server.port)/thing?x=1")
    let reply = try await sender().get(url, headers: [("Authorization", "Bearer t")]).get()
    XCTAssertEqual(String(decoding: reply.body, as: UTF8.self), "there")
    let request = try XCTUnwrap(server.requests.first)
    XCTAssertEqual(request.line, "GET /thing?x=1 HTTP/1.1")
    XCTAssertEqual(request.field("Authorization"), "Bearer t")
    XCTAssertNil(request.field("Content-Length"))
    XCTAssertTrue(request.body.isEmpty)
    guard case .failure(let failure) = await HTTPSender(to: try OutgoingTarget()).get(url, headers: []) else {
      return XCTFail("was sent")
    }
    XCTAssertEqual(failure.kind, .refused)
  }

  func testARedirectIsAFailureAndIsNotFollowed() async throws {
    let server = try LoopbackServer { request in
      request.path == "/hook" ? LoopbackServer.answer(302, "", ["Location: /other"]) : LoopbackServer.answer(200)
    }
    defer { server.stop() }
    let reply = try await post(try sender(), server).get()
    XCTAssertEqual(reply.status, 302)
    XCTAssertFalse(reply.isSuccess)
    XCTAssertEqual(server.requests.count, 1)
  }

  func testALongBodyIsCut() async throws {
    let server = try LoopbackServer { _ in LoopbackServer.answer(200, String(repeating: "x", count: 1_000_000)) }
    defer { server.stop() }
    let reply = try await post(try sender(), server).get()
    XCTAssertTrue(reply.isBodyCut)
    XCTAssertEqual(reply.body.count, HTTPReply.bodyByteCountMax)
    XCTAssertTrue(reply.isSuccess)
  }

  func testAnEndlessHeadIsNoAnswer() async throws {
    let server = try LoopbackServer { _ in
      "HTTP/1.1 200 OK\r\n" + String(repeating: "X-Field: \(String(repeating: "y", count: 500))\r\n", count: 2000)
    }
    defer { server.stop() }
    guard case .failure(let failure) = try await post(try sender(), server) else { return XCTFail("was taken") }
    XCTAssertTrue(failure.mayHaveArrived)
  }

  func testASlowServerTimesOut() async throws {
    let isOver = DispatchSemaphore(value: 0)
    let server = try LoopbackServer { _ in
      isOver.wait()
      return nil
    }
    defer {
      isOver.signal()
      server.stop()
    }
    let start = ContinuousClock.now
    guard case .failure(let failure) = try await post(try sender(), server, timeout: .seconds(2)) else {
      return XCTFail("was answered")
    }
    XCTAssertEqual(failure.kind, .timedOut)
    XCTAssertTrue(failure.mayHaveArrived)
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(30))
  }

  func testALostConnectionAndAClosedPortDiffer() async throws {
    let server = try LoopbackServer { _ in nil }
    guard case .failure(let lost) = try await post(try sender(), server) else { return XCTFail("was answered") }
    XCTAssertEqual(lost.kind, .lost)
    XCTAssertTrue(lost.mayHaveArrived)
    server.stop()
    // The listening ends on another thread.
    try await Task.sleep(for: .milliseconds(100))
    guard case .failure(let closed) = try await post(try sender(), server) else { return XCTFail("was answered") }
    XCTAssertEqual(closed.kind, .unreachable)
    XCTAssertFalse(closed.mayHaveArrived)
  }

  func testANameOfAPrivateAddressIsRefusedWithoutAConnection() async throws {
    let server = try LoopbackServer { _ in LoopbackServer.answer(200) }
    defer { server.stop() }
    let lookup = AddressLookup { _ in [NetworkAddress("8.8.8.8"), NetworkAddress("127.0.0.1")].compactMap(\.self) }
    let sender = HTTPSender(to: try OutgoingTarget(), lookup: lookup)
    let url = try OutgoingURL("http://rebind.example/")
    guard case .failure(let failure) = await sender.post(url, headers: [], body: []) else {
      return XCTFail("was sent")
    }
    XCTAssertEqual(failure.kind, .refused)
    XCTAssertTrue(server.requests.isEmpty)
  }

  func testTheConnectionGoesToTheCheckedAddress() async throws {
    let server = try LoopbackServer { _ in LoopbackServer.answer(200) }
    defer { server.stop() }
    let count = Mutex(0)
    // No resolver knows this name: only the pinned address leads to the server.
    let lookup = AddressLookup { _ in
      count.withLock { $0 += 1 }
      return [NetworkAddress("127.0.0.1")].compactMap(\.self)
    }
    let sender = HTTPSender(to: try OutgoingTarget(allowedHosts: ["game.invalid"]), lookup: lookup)
    let reply = await sender.post(try OutgoingURL("http://game.invalid:\(server.port)/"), headers: [], body: [])
    XCTAssertEqual(try reply.get().status, 200)
    XCTAssertEqual(count.withLock { $0 }, 1)
    XCTAssertEqual(server.requests.first?.field("Host"), "game.invalid:\(server.port)")
  }

  func testAHostThatIsAnAddressIsConnectedTo() async throws {
    let server = try LoopbackServer { _ in LoopbackServer.answer(200) }
    defer { server.stop() }
    let url = try OutgoingURL("http://127.0.0.1:\(server.port)/")
    let reply = try await sender().post(url, headers: [("X-Empty", "")], body: []).get()
    XCTAssertEqual(reply.status, 200)
    XCTAssertEqual(server.requests.first?.field("X-Empty"), "")
    XCTAssertEqual(server.requests.first?.field("Content-Length"), "0")
  }

  func testTheProxyOfTheEnvironmentIsNotUsed() async throws {
    setenv("http_proxy", "http://127.0.0.1:1", 1)
    defer { unsetenv("http_proxy") }
    let server = try LoopbackServer { _ in LoopbackServer.answer(200) }
    defer { server.stop() }
    let reply = try await post(try sender(), server).get()
    XCTAssertEqual(reply.status, 200)
  }

  func testAFieldWithALineBreakIsRefused() async throws {
    let server = try LoopbackServer { _ in LoopbackServer.answer(200) }
    defer { server.stop() }
    let result = try await post(try sender(), server, headers: [("X-A", "b\r\nX-C: d")])
    guard case .failure(let failure) = result else { return XCTFail("was sent") }
    XCTAssertEqual(failure.kind, .refused)
    XCTAssertTrue(server.requests.isEmpty)
  }

  func testManyRequestsShareFewThreads() async throws {
    let atOnce = Mutex((now: 0, most: 0))
    let server = try LoopbackServer { _ in
      atOnce.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      Thread.sleep(forTimeInterval: 0.01)
      atOnce.withLock { $0.now -= 1 }
      return LoopbackServer.answer(200)
    }
    defer { server.stop() }
    let sender = try sender(threads: 2)
    let url = try OutgoingURL("http://localhost:\(server.port)/")
    let successes = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<40 {
        group.addTask {
          guard case .success(let reply) = await sender.post(url, headers: [], body: []) else { return false }
          return reply.isSuccess
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    XCTAssertEqual(successes, 40)
    XCTAssertLessThanOrEqual(atOnce.withLock { $0.most }, 2)
  }
}
#endif
