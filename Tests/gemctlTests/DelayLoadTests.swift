// The condition is repeated in Package.swift.
#if os(Linux) && (arch(x86_64) || arch(arm64))
import XCTest

/// The libraries that gemctl loads with the first call of one of their functions.
final class DelayLoadTests: XCTestCase {
  func testStartsWithoutTheLibrariesThatMostRunsDoNotNeed() throws {
    // The dynamic linker prints the libraries of the start instead of running the program.
    let answer = try Shell.run("LD_TRACE_LOADED_OBJECTS=1 gemctl")
    XCTAssertTrue(answer.output.contains("libsqlite3.so"), answer.output + answer.error)
    for name in ["libpq", "libcurl", "libmicrohttpd", "libcrypto", "libssl", "libgnutls"] {
      XCTAssertFalse(answer.output.contains("\(name).so"), answer.output)
    }
  }

  func testNamesALibraryThatCannotBeLoaded() throws {
    let home = try TestHome()
    _ = try home.raw("gemctl init")
    let serve = "serve --listen 127.0.0.1:0 --simulate"
    let rows: [(line: UInt, file: String, verb: String, name: String, package: String)] = [
      (#line, "libpq.so.5", "--storage postgres://localhost/none customers", "PostgreSQL's client library", "libpq5"),
      (#line, "libmicrohttpd.so.12", serve, "GNU libmicrohttpd", "libmicrohttpd12"),
      (#line, "libcurl.so.4", serve, "libcurl", "libcurl4"),
    ]
    for row in rows {
      let answer = try home.raw(
        """
        mkdir broken; echo no library > broken/\(row.file); cp broken/\(row.file) broken/libcurl-gnutls.so.4
        LD_LIBRARY_PATH=$PWD/broken gemctl \(row.verb); status=$?
        rm -r broken; exit $status
        """)
      XCTAssertEqual(answer.status, 74, answer.error, line: row.line)
      let start = "error: \(row.name) cannot be loaded: "
      let end = ". Install it, for example: sudo apt install \(row.package).\n"
      XCTAssertTrue(answer.error.contains(start), answer.error, line: row.line)
      XCTAssertTrue(answer.error.hasSuffix(end), answer.error, line: row.line)
      XCTAssertTrue(answer.error.contains("broken/\(row.file): "), answer.error, line: row.line)
    }
  }

  func testACallWithoutItsLibraryEndsTheProcess() throws {
    let home = try TestHome()
    _ = try home.raw("gemctl init")
    let answer = try home.raw(
      """
      mkdir broken; echo no library > broken/libcrypto.so.3
      LD_LIBRARY_PATH=$PWD/broken gemctl seal
      """)
    XCTAssertNotEqual(answer.status, 0)
    XCTAssertTrue(answer.error.contains("fatal: OpenSSL's libcrypto cannot be loaded: "), answer.error)
  }
}
#endif
