#if Server
import Foundation
import GemLedger
import GemTestSupport
import StoreBackend
import StoreClientHTTP
import StoreTestSupport
import SystemHTTP
import XCTest

@testable import GemServer

/// A server that speaks TLS, on a loopback port.
final class TLSTests: XCTestCase {
  /// A certificate for this machine, which nobody signed but itself.
  private func certificate(
    in directory: TemporaryDirectory, _ name: String = "server"
  ) throws -> HTTPServerSettings.TLS {
    let (key, certificate) = (directory.path("\(name).key"), directory.path("\(name).crt"))
    let made = try Self.openssl([
      "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
      "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate,
    ])
    guard made.status == 0 else { throw XCTSkip("openssl makes no certificate here") }
    return .init(
      certificate: try String(contentsOfFile: certificate, encoding: .utf8),
      key: try String(contentsOfFile: key, encoding: .utf8))
  }

  private static func openssl(
    _ arguments: [String], input: String = ""
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    let (toProcess, fromProcess) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardInput = toProcess
    process.standardOutput = fromProcess
    process.standardError = FileHandle.nullDevice
    try process.run()
    // A process that ended already reads nothing.
    try? toProcess.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try toProcess.fileHandleForWriting.close()
    let output = String(decoding: fromProcess.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }

  private func server(_ tls: HTTPServerSettings.TLS, _ world: APIWorld) throws -> GemServer {
    var settings = GemServer.Settings()
    settings.http.tls = tls
    settings.maintenanceInterval = nil
    return try GemServer(settings, projects: [world.project], log: ServerLog(clock: world.time.clock) { _ in })
  }

  func testVersionsThatAreNotToBeUsedAnyMoreAreRefused() async throws {
    let directory = try TemporaryDirectory()
    let server = try server(certificate(in: directory), APIWorld())
    func status(_ version: String) throws -> Int32 {
      // At this level the tool itself would still take the old versions.
      try Self.openssl([
        "s_client", "-connect", "127.0.0.1:\(server.port)", version, "-cipher", "DEFAULT@SECLEVEL=0",
      ]).status
    }
    XCTAssertEqual(try status("-tls1_2"), 0)
    XCTAssertNotEqual(try status("-tls1_1"), 0)
    XCTAssertNotEqual(try status("-tls1"), 0)
    await server.stop()
  }

  func testAClientGetsItsAnswerWhereItTrustsTheCertificate() async throws {
    let directory = try TemporaryDirectory()
    let world = try APIWorld()
    try world.grant(7, to: "alice")
    let key = try KeyRing(world.ledger).create(.app(.test)).text
    let server = try server(certificate(in: directory), world)
    let request = [
      "GET /v1/subscribers/alice/virtual_currencies HTTP/1.1", "Host: localhost", "Authorization: Bearer \(key)",
      "Connection: close", "", "",
    ].joined(separator: "\r\n")
    let answer = try Self.openssl(
      [
        "s_client", "-quiet", "-verify_return_error", "-CAfile", directory.path("server.crt"), "-verify_hostname",
        "localhost", "-connect", "localhost:\(server.port)",
      ], input: request)
    XCTAssertTrue(answer.output.hasPrefix("HTTP/1.1 200 "), answer.output)
    XCTAssertTrue(answer.output.contains(#""balance":7"#), answer.output)
    // To a client that does not trust it, there is no server.
    let url = try XCTUnwrap(URL(string: "https://localhost:\(server.port)"))
    SpendEndpoint.register()
    let stranger = try HTTPBackend(baseURL: url, apiKey: key)
    let error = await assertRefused(.backendUnreachable) { try await stranger.customer(CustomerID("alice")) }
    XCTAssertNil(error?.integer("status"))
    await server.stop()
  }

  /// Outgoing requests check certificates.
  func testRequestsOfTheServerTrustNoUnknownCertificate() async throws {
    let directory = try TemporaryDirectory()
    let server = try server(certificate(in: directory), APIWorld())
    let sender = HTTPSender(to: try OutgoingTarget(allowedHosts: ["localhost"]))
    let answer = await sender.post(
      try OutgoingURL("https://localhost:\(server.port)/healthz"), headers: [], body: [])
    XCTAssertThrowsError(try answer.get())
    await server.stop()
  }

  /// A request without TLS gets no answer that could be taken for one.
  func testARequestWithoutTLSIsNotAnswered() async throws {
    let directory = try TemporaryDirectory()
    let server = try server(certificate(in: directory), APIWorld())
    let client = try RawClient(port: server.port)
    client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    XCTAssertFalse(client.readAnswer().contains("200"))
    await server.stop()
  }

  func testFilesThatDoNotFitAreSaidAtTheStart() throws {
    let directory = try TemporaryDirectory()
    let right = try certificate(in: directory)
    let other = try certificate(in: directory, "other")
    let wrong: [HTTPServerSettings.TLS] = [
      .init(certificate: right.certificate, key: other.key), .init(certificate: right.key, key: right.certificate),
      .init(certificate: "", key: ""), .init(certificate: right.certificate, key: ""),
      .init(certificate: "no certificate", key: right.key),
      .init(certificate: String(right.certificate.prefix(200)), key: right.key),
    ]
    for tls in wrong {
      do {
        _ = try server(tls, APIWorld())
        XCTFail("\(tls)")
      } catch let error as LedgerError {
        XCTAssertEqual(error.code, .inputOutput)
        XCTAssertTrue(error.message.contains("check the files of certificate and key"), error.message)
      }
    }
  }
}
#endif
