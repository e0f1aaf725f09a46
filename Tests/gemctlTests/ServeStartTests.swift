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
        Row("\(serve) --tls-cert bad.pem", 64, error: "error: --tls-cert and --tls-key need each other."),
        Row(
          "\(serve) --tls-cert bad.pem --tls-key bad.pem", 74,
          error: "error: The HTTP library did not start; check the files of certificate and key."),
      ], in: home, errorsBegin: true)
  }

  func testRefundsNeedAGameServerAndAStoreThatIssuesThem() throws {
    let home = try TestHome()
    let serve = "gemctl serve --listen 127.0.0.1:0 --refund-undelivered"
    try Row.check(
      [
        Row("gemctl init > init.txt"),
        Row(serve, 64, error: "error: --refund-undelivered needs a game server: --delivery-url"),
        Row(
          "\(serve) --delivery-url https://game.example/deliver", 64,
          error: "error: --refund-undelivered needs --google-service-account or --simulate"),
      ], in: home, errorsBegin: true)
  }

  func testAKeyOfTheAppStoreIsCheckedAtTheStart() throws {
    let home = try TestHome()
    try home.write("no key", to: "bad.p8")
    try home.write(
      "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2\n"
        + "OF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r\n"
        + "1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G\n-----END PRIVATE KEY-----\n", to: "key.p8")
    let root = "--fingerprint \(String(repeating: "0", count: 64)) --tls-cert bad.p8 --tls-key bad.p8"
    let serve = "gemctl serve --listen 127.0.0.1:0"
    let names = "--app-store-key-id 2X9R4HXF34 --app-store-issuer 57246542-96fe-1a63-e053-0824d011072a"
    try Row.check(
      [
        Row("gemctl init > init.txt"),
        Row("\(serve) \(root) --app-store-key key.p8 \(names)", 74, error: "error: The HTTP library did not start"),
        Row(
          "\(serve) \(root) --app-store-key key.p8", 64,
          error: "error: --app-store-key needs --app-store-key-id and --app-store-issuer: App Store Connect shows"),
        Row("\(serve) \(root) \(names)", 64, error: "error: --app-store-key-id needs --app-store-key:"),
        Row("\(serve) --app-store-key key.p8 \(names)", 64, error: "error: --app-store-key needs --root:"),
        Row(
          "\(serve) \(root) --app-store-key bad.p8 \(names)", 64,
          error: "error: \"bad.p8\": The in-app purchase key of the App Store cannot be used: its file holds no private"
        ),
        Row(
          "\(serve) \(root) --app-store-key key.p8 \(names)x", 64,
          error: "error: \"key.p8\": The in-app purchase key of the App Store cannot be used: its issuer id has to be"),
        Row("\(serve) \(root) --app-store-key missing.p8 \(names)", 74, error: "error: \"missing.p8\" cannot be read"),
        Row(
          "\(serve) \(root) --app-store-key key.p8 \(names) --app-store-api-url http://127.0.0.1:1", 64,
          error: "error: "),
        Row("\(serve) --simulate --app-store-key key.p8 \(names)", 64, error: "error: --simulate and --app-store-key"),
      ], in: home, errorsBegin: true)
  }

  func testReceiptsOfTestsAndMoneyExcludeEachOther() throws {
    let home = try TestHome()
    try home.write("no certificate", to: "bad.pem")
    let serve = "gemctl serve --listen 127.0.0.1:0 --tls-cert bad.pem --tls-key bad.pem --test-receipts"
    let warning =
      "{\"time\":\"<time>\",\"level\":\"warning\",\"kind\":\"event\","
      + "\"message\":\"Test receipts are credited, and they can"
    try Row.check(
      [
        Row("gemctl init > init.txt"), Row("\(serve) s1", 74, error: warning),
        Row("\(serve) s1 --simulate", 74, error: warning),
        Row("\(serve) s1 --app-id 1", 64, error: "error: --test-receipts cannot be used with --app-id"),
        Row("\(serve) s1 --play-key bad.pem", 64, error: "error: --test-receipts cannot be used with --play-key"),
        Row("\(serve) ''", 64, error: "error: "),
      ], in: home, errorsBegin: true)
  }

  func testProductionAndSandboxReceiptsOfAnybodyExcludeEachOther() throws {
    let home = try TestHome()
    let serve = "gemctl serve --listen 127.0.0.1:0 --fingerprint \(String(repeating: "0", count: 64))"
    let refusal = "error: The catalog of the project \"default\" accepts sandbox receipts of all customers"
    // The project is open, and the library does not start: so nothing has to be stopped.
    let tls = "--tls-cert bad.pem --tls-key bad.pem"
    let end = "error: The HTTP library did not start"
    try home.write("no certificate", to: "bad.pem")
    try Row.check(
      [
        Row("gemctl init > init.txt"), Row("\(serve) \(tls)", 74, error: end),
        Row("\(serve) \(tls) --app-id 1234567890", 64, error: refusal),
        Row("\(serve) \(tls) --app-id 1234567890 --allow-sandbox-receipts", 74, error: end),
        Row(
          "gemctl catalog show --json | sed 's/\"anybody\"/\"listed\"/' > listed.json; "
            + "gemctl catalog apply listed.json > applied.txt"),
        Row("\(serve) \(tls) --app-id 1234567890", 74, error: end),
      ], in: home, errorsBegin: true)
  }

  func testAStartWithoutABundleIDWarns() throws {
    let home = try TestHome()
    let serve = "gemctl serve --listen 127.0.0.1:0 --tls-cert bad.pem --tls-key bad.pem"
    let warning =
      "{\"time\":\"<time>\",\"level\":\"warning\",\"kind\":\"event\",\"message\":\"The catalog has no bundle_id: "
      + "receipts of every app are credited."
    try home.write("no certificate", to: "bad.pem")
    try Row.check(
      [
        Row("gemctl init > init.txt"),
        Row(
          "gemctl catalog show --json | sed 's/\"bundle_id\": *\"[^\"]*\",//' > every.json; "
            + "gemctl catalog apply every.json > applied.txt"),
        Row(serve, 74, error: warning),
        Row("\(serve) --simulate", 74, error: "error: The HTTP library did not start"),
      ], in: home, errorsBegin: true)
  }

  func testNumbersThatAreNone() throws {
    let home = try TestHome()
    let serve = "gemctl serve --listen 127.0.0.1:0 --delivery-url https://game.example/deliver"
    let retries = "error: --delivery-retries takes at most 100 ascending numbers of minutes, 1 to 43200, such as"
    let fingerprint = String(repeating: "0", count: 64)
    let wrong = ["2,,10", "0", "43201", "10,2", "2,2", "1.5", "soon"]
    try Row.check(
      [Row("gemctl init > init.txt")]
        + wrong.map { Row("\(serve) --delivery-retries \($0)", 64, error: retries) } + [
          Row("\(serve) --fingerprint \(fingerprint) --app-id x", 64, error: "error: --app-id takes")
        ], in: home, errorsBegin: true)
  }

  func testOptionsOfOneProjectNameAProjectThatIsServed() throws {
    let home = try TestHome()
    let serve = "gemctl serve --listen 127.0.0.1:0 --project two=memory:"
    let url = "https://game.example/deliver?a=b"
    func unknown(_ option: String) -> String {
      "error: \(option) names the project \"three\", which is not served; the projects are default, two."
    }
    try Row.check(
      [
        Row("gemctl init > init.txt"),
        Row("\(serve) --delivery-url \(url) --delivery-url three=\(url)", 64, error: unknown("--delivery-url")),
        Row("\(serve) --grant-url two=\(url) --grant-url three=\(url)", 64, error: unknown("--grant-url")),
        Row("\(serve) --package-name three=com.example.gems", 64, error: unknown("--package-name")),
        Row("\(serve) --app-id two=1 --app-id three=2", 64, error: unknown("--app-id")),
        Row(
          "\(serve) --delivery-url two=\(url) --delivery-url two=\(url)", 64,
          error: "error: --delivery-url was given twice for the project \"two\"; give it once."),
        Row(
          "\(serve) --delivery-url \(url) --delivery-url \(url)", 64,
          error: "error: --delivery-url was given twice; write PROJECT=VALUE for a project of several."),
        Row("\(serve) --delivery-url two=ftp://x", 64, error: "error: "),
      ], in: home, errorsBegin: true)
  }

  /// Keys and tokens are kept in the storage, so two projects on one would share them.
  func testEachProjectHasAnIdAndAStorageOfItsOwn() throws {
    let home = try TestHome()
    let serve = "gemctl serve --listen 127.0.0.1:0"
    func shared(_ one: String) -> String {
      "error: The projects \"\(one)\" and \"two\" have the same storage, or a copy of it. Give each "
        + "project a separate storage."
    }
    try Row.check(
      [
        Row("gemctl init > init.txt; mkdir other; gemctl init --home other/home > init.txt"),
        Row("ln -s .gemctl/ledger.sqlite link"),
        Row("\(serve) --project two=sqlite:link", 64, error: shared("default")),
        Row(
          "\(serve) --project one=sqlite:other/home/ledger.sqlite --project two=sqlite:./other/home/ledger.sqlite",
          64, error: shared("one")),
        // The copy has the keys and the secret of its source, which the servers before have made.
        Row("gemctl storage copy sqlite:.gemctl/ledger.sqlite sqlite:copy.sqlite > copied.txt"),
        Row("\(serve) --project two=sqlite:copy.sqlite", 64, error: shared("default")),
        Row("\(serve) --project a/b=memory:", 64, error: "error: A project's id has 1 to 64 letters of ASCII"),
        Row("\(serve) --project =memory:", 64, error: "error: --project takes ID=STORAGE, such as"),
        Row("\(serve) --project default=memory:", 64, error: "error: There are two projects \"default\""),
        Row(
          "gemctl key create --public --store apple --scope x:y:read", 64, error: "error: --scope is for secret keys"),
      ], in: home, errorsBegin: true)
  }
}
#endif
