#if Server
import XCTest

/// What `serve` says where it cannot start.
final class ServeStartTests: XCTestCase {
  func testFilesOfTLSThatAreMissingOrWrong() throws {
    let home = try TestHome()
    try home.write("no certificate", to: "bad.pem")
    let serve = "gemctl serve --listen 127.0.0.1:0"
    try Row.check(
      [
        Row("gemctl init > init.txt"),
        Row(
          "\(serve) --tls-cert missing.pem --tls-key bad.pem", 74,
          error: "error: \"missing.pem\" cannot be read: No such file or directory."),
        Row(
          "\(serve) --tls-cert bad.pem --tls-key missing.pem", 74,
          error: "error: \"missing.pem\" cannot be read: No such file or directory."),
        Row("\(serve) --tls-cert bad.pem", 64, error: "error: --tls-cert and --tls-key go together."),
        Row(
          "\(serve) --tls-cert bad.pem --tls-key bad.pem", 74,
          error: "error: The HTTP library did not start; check the files of certificate and key."),
      ], in: home, errorsBegin: true)
  }
}
#endif
