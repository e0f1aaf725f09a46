#if Server
import Foundation
import GemTestSupport
import Synchronization
import SystemHTTP
import XCTest

/// The transport alone, with a handler that says what it got.
final class HTTPServerTests: XCTestCase {
  /// Answers with the parts of the request.
  private struct Echo: HTTPHandler {
    let log = Log()

    final class Log: Sendable {
      let summaries = Mutex<[HTTPSummary]>([])
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
      let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
      let text = "\(request.method) \(request.path) \(query) \(String(decoding: request.body, as: UTF8.self))"
      let response = HTTPResponse(status: 200, content: .bytes(Array(text.utf8)))
      return request.path.first == "later" ? .later { response } : .now(response)
    }

    func refusal(status: Int, reason: String, requestID: String) -> HTTPResponse {
      HTTPResponse(status: status, content: .bytes(Array(reason.utf8)))
    }

    func finished(_ summary: HTTPSummary) { log.summaries.withLock { $0.append(summary) } }
  }

  private func withServer(
    _ settings: HTTPServerSettings = HTTPServerSettings(), _ body: (HTTPServer) async throws -> Void
  ) async throws {
    let server = try HTTPServer(settings, handler: Echo()) { "r1" }
    try await body(server)
    let hasStopped = await server.stop()
    XCTAssertTrue(hasStopped)
  }

  private func exchange(_ server: HTTPServer, _ request: String) throws -> String {
    try exchange(server, Array(request.utf8))
  }

  private func exchange(_ server: HTTPServer, _ request: [UInt8]) throws -> String {
    let client = try RawClient(port: server.port)
    client.send(request)
    return client.readAnswer()
  }

  private func status(_ server: HTTPServer, _ request: String) throws -> String {
    let answer = try exchange(server, request)
    return String(answer.split(separator: " ").dropFirst().first ?? "none")
  }

  func testPartsOfPathsAreDecodedOnTheirOwn() async throws {
    try await withServer { server in
      let answer = try exchange(server, "GET /a%2Fb/c+d/?q=x+y%26&z HTTP/1.1\r\nHost: h\r\n\r\n")
      XCTAssertTrue(answer.hasSuffix(#"GET ["a/b", "c+d", ""] q=x y&&z= "#), answer)
    }
  }

  func testBodiesComeWholeByLength() async throws {
    try await withServer { server in
      let client = try RawClient(port: server.port)
      client.send("POST /later HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n")
      for part in ["he", "l", "lo"] { client.send(part) }
      let answer = client.readAnswer()
      XCTAssertTrue(answer.hasSuffix("hello"), answer)
    }
  }

  /// The library takes chunk lines that end without CR, so that no chunks are taken at all.
  func testChunksAreRefused() async throws {
    let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    try await withServer { server in
      for chunks in ["5\r\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", "5;a\nhello\r\n0\r\n\r\n", ""] {
        XCTAssertEqual(try status(server, head + chunks), "411", chunks.debugDescription)
      }
    }
  }

  func testRequestsThatTwoReadersCouldReadDifferentlyAreRefused() async throws {
    try await withServer { server in
      let cases: [(String, String)] = [
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nhello", "400"),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "501"),
        ("GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        ("GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        ("GET /%ff HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        ("GET /a\u{0}b HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        ("GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        ("GET /a HTTP/1.1\r\nHost: h\r\nX: a\u{0}b\r\n\r\n", "400"),
        ("GET /a HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n", "400"),
        ("GET /a HTTP/1.1\r\nHost: h\r\nX: a\r\n\tb\r\nY: c\r\n\r\n", "400"),
        ("GET /a HTTP/1.1\r\nHost: h\r\nX: \u{1}\r\n\r\n", "400"),
        ("GET /a HTTP/1.1\r\nHost: h\r\n\u{0}X: y\r\n\r\n", "400"),
        ("GET /a HTTP/1.1\r\nHost: h\r\nX: a\u{0}\r\n\r\n", "400"),
        ("GET /a HTTP/1.1\r\nHost: h\r\n\n", "400"),
        ("GET\u{0}X /a HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        ("GET  /a HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "411"),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
        ("GET /a HTTP/1.1\r\nHost: h\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n", "413"),
        ("GET / HTTP/1.0\r\n\r\n", "200"),
      ]
      for (request, expected) in cases {
        XCTAssertEqual(try status(server, request), expected, request.debugDescription)
        // One answer, and the handler's: the library's own are pages for people.
        let answer = try exchange(server, request)
        XCTAssertEqual(answer.components(separatedBy: "HTTP/1.1 ").count, 2, answer)
        XCTAssertFalse(answer.contains("<html>"), answer)
      }
      // It still serves.
      XCTAssertEqual(try status(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"), "200")
    }
  }

  func testOrdinaryHeadsAreTakenHoweverTheyCome() async throws {
    let long = (0..<150).map { "X-\($0): " + String(repeating: "v", count: 100) + "\r\n" }.joined()
    let cases = [
      "Host: h\r\nX:\r\n\r\n", "Host: h\r\nX:  \r\n\r\n", "Host: h\r\nX: a \t \r\n\r\n",
      "Host:h\r\nX: a\r\nX: a\r\n\r\n", "Host: h\r\nCookie: a=b; c=\"d e\"; f\r\n\r\n", "\(long)Host: h\r\n\r\n",
    ]
    try await withServer { server in
      for fields in cases {
        for start in ["GET /a?b=c HTTP/1.1\r\n", "\r\n\r\nGET http://h/a?b=c HTTP/1.1\r\n"] {
          XCTAssertEqual(try status(server, start + fields), "200", fields.debugDescription)
          let client = try RawClient(port: server.port)
          for byte in (start + fields).utf8 { client.send([byte]) }
          XCTAssertTrue(client.readAnswer().hasPrefix("HTTP/1.1 200"), fields.debugDescription)
        }
      }
    }
  }

  func testRequestsInOnePieceAreAnsweredInTheirOrder() async throws {
    try await withServer { server in
      let client = try RawClient(port: server.port)
      client.send(
        "GET /later/1 HTTP/1.1\r\nHost: h\r\n\r\nGET /now/2 HTTP/1.1\r\nHost: h\r\n\r\n"
          + "GET /later/3 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
      let answer = client.read()
      let order = ["1", "2", "3"].compactMap { answer.range(of: "\"\($0)\"")?.lowerBound }
      XCTAssertEqual(order.count, 3, answer)
      XCTAssertEqual(order, order.sorted())
    }
  }

  func testASlowSenderIsCut() async throws {
    var settings = HTTPServerSettings()
    settings.requestSeconds = 1
    try await withServer(settings) { server in
      let client = try RawClient(port: server.port)
      client.send("GET / HTTP/1.1\r\nHo")
      let start = ContinuousClock.now
      XCTAssertEqual(client.read(), "")
      XCTAssertLessThan(ContinuousClock.now - start, .seconds(30))
    }
  }

  func testConnectionsTakeTurnsOnTheThreads() async throws {
    /// Answers with the thread that answers.
    struct WhichThread: HTTPHandler {
      func answer(_ request: HTTPRequest) -> HTTPAnswer {
        .now(HTTPResponse(status: 200, content: .bytes(Array("thread \(pthread_self())".utf8))))
      }

      func refusal(status: Int, reason: String, requestID: String) -> HTTPResponse { HTTPResponse(status: status) }

      func finished(_ summary: HTTPSummary) {}
    }
    var settings = HTTPServerSettings()
    settings.threads = 2
    let server = try HTTPServer(settings, handler: WhichThread()) { "r1" }
    let clients = try (0..<8).map { _ in try RawClient(port: server.port) }
    var connectionsOfThread: [String: Int] = [:]
    for client in clients {
      client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
      let thread = try XCTUnwrap(client.readAnswer().firstMatch(of: /thread .*/)?.output)
      connectionsOfThread[String(thread), default: 0] += 1
    }
    XCTAssertEqual(connectionsOfThread.values.sorted(), [4, 4])
    let hasStopped = await server.stop()
    XCTAssertTrue(hasStopped)
  }

  func testAFullServerLetsFurtherConnectionsWait() async throws {
    var settings = HTTPServerSettings()
    settings.connectionCountMax = 2
    let request = "GET /now HTTP/1.1\r\nHost: h\r\n\r\n"
    try await withServer(settings) { server in
      var first: RawClient? = try RawClient(port: server.port)
      let second = try RawClient(port: server.port)
      for client in [first, second] {
        client?.send(request)
        XCTAssertEqual(client?.readAnswer().contains(" 200 "), true)
      }
      let third = try RawClient(port: server.port)
      third.send(request)
      second.send(request)
      XCTAssertTrue(second.readAnswer().contains(" 200 "))
      XCTAssertEqual(server.connectionCount, 2)
      first = nil
      XCTAssertTrue(third.readAnswer().contains(" 200 "))
    }
  }

  private struct Streaming: HTTPHandler {
    let stream = HTTPStream()

    func answer(_ request: HTTPRequest) -> HTTPAnswer { .now(HTTPResponse(status: 200, content: .stream(stream))) }

    func refusal(status: Int, reason: String, requestID: String) -> HTTPResponse { HTTPResponse(status: status) }

    func finished(_ summary: HTTPSummary) {}
  }

  func testAStreamThatNobodyReadsDoesNotDelayTheEnd() async throws {
    let handler = Streaming()
    let server = try HTTPServer(HTTPServerSettings(), handler: handler) { "r1" }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    XCTAssertTrue(client.read(until: "\r\n\r\n").contains(" 200 "))
    let filler = String(repeating: "x", count: 65_536)
    while handler.stream.write(filler) { await Task.yield() }
    let start = ContinuousClock.now
    let hasStopped = await server.stop()
    XCTAssertTrue(hasStopped)
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(10))
    XCTAssertTrue(handler.stream.isClosed)
  }

  func testAStreamIsReadAsItGrowsAndEndsWithTheServer() async throws {
    let handler = Streaming()
    let server = try HTTPServer(HTTPServerSettings(), handler: handler) { "r1" }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    handler.stream.write("first\n")
    XCTAssertTrue(client.read(until: "first").contains("first"))
    handler.stream.write("second\n")
    XCTAssertTrue(client.read(until: "second").contains("second"))
    let hasStopped = await server.stop()
    XCTAssertTrue(hasStopped)
    XCTAssertTrue(handler.stream.isClosed)
    XCTAssertTrue(client.read().hasSuffix("0\r\n\r\n"))
  }
}
#endif
