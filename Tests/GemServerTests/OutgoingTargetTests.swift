#if Server
import GemLedger
import GemTestSupport
import SystemHTTP
import XCTest

final class OutgoingTargetTests: XCTestCase {
  /// URLs that are taken, with the form in which they are sent.
  private static let taken: [(line: UInt, text: String, sent: String)] = [
    (#line, "https://example.com", "https://example.com/"),
    (#line, "HTTPS://Example.COM/Hook?a=b", "https://example.com/Hook?a=b"),
    (#line, "http://example.com:80/x", "http://example.com/x"),
    (#line, "https://example.com:443?q=1", "https://example.com/?q=1"),
    (#line, "http://example.com:443/", "http://example.com:443/"),
    (#line, "https://xn--bcher-kva.example/a%20b", "https://xn--bcher-kva.example/a%20b"),
    (#line, "https://a.b-c.example/;x=y:z@w", "https://a.b-c.example/;x=y:z@w"),
    (#line, "https://8.8.8.8/", "https://8.8.8.8/"),
    (#line, "https://100.63.255.255/", "https://100.63.255.255/"),
    (#line, "https://100.128.0.0/", "https://100.128.0.0/"),
    (#line, "https://172.15.0.1/", "https://172.15.0.1/"),
    (#line, "https://172.32.0.1/", "https://172.32.0.1/"),
    (#line, "https://[2606:4700::1111]/", "https://[2606:4700::1111]/"),
    (#line, "https://[64:ff9b::808:808]/", "https://[64:ff9b::808:808]/"),
  ]

  private static let refused: [(line: UInt, text: String)] = [
    // Form.
    (#line, ""), (#line, "example.com"), (#line, "//example.com/"), (#line, "https:/example.com"),
    (#line, "https://"), (#line, "https:///path"), (#line, "ftp://example.com/"), (#line, "file:///etc/passwd"),
    (#line, "gopher://example.com/"), (#line, "javascript://example.com/"), (#line, "https://user@example.com/"),
    (#line, "https://user:secret@example.com/"), (#line, "https://example.com@10.0.0.1/"),
    (#line, "https://example.com#@10.0.0.1/"), (#line, "https://example.com/#part"), (#line, "https://exa mple.com/"),
    (#line, "https://example.com\\@10.0.0.1/"), (#line, "https://example.com/\r\nX: y"),
    (#line, "https://exämple.com/"),
    (#line, "https://example.com:0/"), (#line, "https://example.com:65536/"), (#line, "https://example.com:+80/"),
    (#line, "https://example.com:080/"), (#line, "https://example.com:/"), (#line, "https://example.com:22/"),
    (#line, "https://example.com:8080/"), (#line, "https://example.com./"), (#line, "https://.example.com/"),
    (#line, "https://exa..mple.com/"), (#line, "https://-example.com/"), (#line, "https://%31%30.0.0.1/"),
    (#line, "https://a_b.example/"), (#line, "https://\(String(repeating: "a", count: 64)).example/"),
    (#line, "https://example.com/\(String(repeating: "a", count: 2048))"),
    // This machine.
    (#line, "http://localhost/"), (#line, "http://LOCALHOST/"), (#line, "http://a.localhost/"),
    (#line, "http://127.0.0.1/"), (#line, "http://127.255.255.254/"), (#line, "http://0.0.0.0/"),
    (#line, "http://[::1]/"),
    (#line, "http://[::]/"),
    // Other forms of addresses.
    (#line, "http://2130706433/"), (#line, "http://0x7f000001/"), (#line, "http://0x7f.0.0.1/"),
    (#line, "http://0177.0.0.1/"), (#line, "http://127.1/"), (#line, "http://127.0.1/"), (#line, "http://127.00.0.1/"),
    (#line, "http://256.0.0.1/"), (#line, "http://1.2.3.4.5/"), (#line, "http://8.8.8.8./"), (#line, "http://1/"),
    (#line, "http://example.0x1/"),
    // Private networks, links, and the rest that is not public.
    (#line, "http://10.0.0.1/"), (#line, "http://172.16.0.1/"), (#line, "http://172.31.255.255/"),
    (#line, "http://192.168.1.1/"), (#line, "http://169.254.169.254/latest/meta-data/"), (#line, "http://169.254.0.1/"),
    (#line, "http://100.64.0.1/"), (#line, "http://100.127.255.255/"), (#line, "http://224.0.0.1/"),
    (#line, "http://239.255.255.255/"), (#line, "http://240.0.0.1/"), (#line, "http://255.255.255.255/"),
    (#line, "http://192.0.2.1/"), (#line, "http://198.18.0.1/"), (#line, "http://198.51.100.7/"),
    (#line, "http://203.0.113.9/"), (#line, "http://192.0.0.170/"),
    // Version 6.
    (#line, "http://[fe80::1]/"), (#line, "http://[fe80::1%25eth0]/"), (#line, "http://[fc00::1]/"),
    (#line, "http://[fd12:3456::1]/"), (#line, "http://[ff02::1]/"), (#line, "http://[::ffff:127.0.0.1]/"),
    (#line, "http://[::ffff:8.8.8.8]/"), (#line, "http://[::127.0.0.1]/"), (#line, "http://[2001:db8::1]/"),
    (#line, "http://[2002:7f00:1::]/"), (#line, "http://[2001::1]/"), (#line, "http://[64:ff9b::a00:1]/"),
    (#line, "http://[64:ff9b::7f00:1]/"), (#line, "http://[8.8.8.8]/"), (#line, "http://[::1"), (#line, "http://::1/"),
    (#line, "http://[::1]extra/"), (#line, "http://[fec0::1]/"),
  ]

  func testPublicTargetsAreTakenInOneForm() throws {
    let target = try OutgoingTarget()
    for row in Self.taken {
      XCTAssertEqual(try target.url(row.text).description, row.sent, line: row.line)
    }
  }

  func testAllOtherTargetsAreRefused() throws {
    let target = try OutgoingTarget()
    for row in Self.refused {
      XCTAssertThrowsError(try target.url(row.text), row.text, line: row.line) { error in
        XCTAssertEqual((error as? LedgerError)?.code, .invalidRequest, line: row.line)
        XCTAssertEqual((error as? LedgerError)?.text("param"), "url", line: row.line)
      }
    }
  }

  func testAHostIsAllowedByItsNameOnly() throws {
    let target = try OutgoingTarget(allowedHosts: ["Game.Internal", "10.0.0.7", "[::1]"])
    XCTAssertEqual(try target.url("http://game.internal:8080/x").port, 8080)
    XCTAssertNoThrow(try target.url("http://10.0.0.7:1/"))
    XCTAssertNoThrow(try target.url("http://[0:0::1]:8080/"))
    XCTAssertThrowsError(try target.url("http://10.0.0.8/"))
    XCTAssertThrowsError(try target.url("http://a.game.internal:8080/"))
    XCTAssertThrowsError(try target.url("http://user@game.internal/"))
    XCTAssertThrowsError(try OutgoingTarget(allowedHosts: ["http://game.internal"]))
  }

  func testOnePrivateAddressAmongPublicOnesRefusesTheHost() throws {
    let target = try OutgoingTarget()
    let url = try target.url("https://example.com/")
    let (good, bad) = (try XCTUnwrap(NetworkAddress("8.8.8.8")), try XCTUnwrap(NetworkAddress("10.0.0.1")))
    XCTAssertNoThrow(try target.check([good], of: url))
    XCTAssertThrowsError(try target.check([good, bad], of: url))
  }
}
#endif
