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

  /// Keys and tokens are kept in the storage, so two projects on one would share them.
  func testEachProjectHasAnIdAndAStorageOfItsOwn() throws {
    let home = try TestHome()
    let serve = "gemctl serve --listen 127.0.0.1:0"
    let taken = "error: The project \"two\" has the storage of another one; a storage has one project."
    try Row.check(
      [
        Row("gemctl init > init.txt; mkdir other; gemctl init --home other/home > init.txt"),
        Row("ln -s .gemctl/ledger.sqlite link; ls other/home/ledger.sqlite", output: "other/home/ledger.sqlite\n"),
        Row("\(serve) --project two=sqlite:link", 64, error: taken),
        Row(
          "\(serve) --project one=sqlite:other/home/ledger.sqlite --project two=sqlite:./other/home/ledger.sqlite",
          64, error: taken),
        Row("\(serve) --project a/b=memory:", 64, error: "error: A project's id has 1 to 64 letters of ASCII"),
        Row("\(serve) --project =memory:", 64, error: "error: "),
        Row("\(serve) --project default=memory:", 64, error: "error: There are two projects \"default\""),
        Row(
          "gemctl key create --public --store apple --scope x:y:read", 64, error: "error: --scope is for secret keys"),
      ], in: home, errorsBegin: true)
  }
}
#endif
