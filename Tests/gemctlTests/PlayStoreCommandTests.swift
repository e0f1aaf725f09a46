import XCTest

/// The client's and the store's verbs in a home with a store that behaves as Google Play does.
final class PlayStoreCommandTests: XCTestCase {
  func testACrashAfterAnyStepIsRepairedByTheNextVerb() throws {
    for step in ["paid", "queued", "credited", "finished"] {
      let home = try Self.home()
      try Row.check(
        [
          Row(
            "(gemctl buy gems_300 --customer alice --crash-after \(step); exit $?) 2>/dev/null; echo $?",
            output: "137\n"),
          Row(Self.balance, output: "\"balance\":300\n"),
          Row("gemctl queue --json", output: #"{"pending":0,"dead_lettered":0,"items":[]}"# + "\n"),
          Row("gemctl store list --json | grep -o '\"finished\":[a-z]*'", output: "\"finished\":true\n"),
          Row("gemctl verify > /dev/null"),
        ], in: home)
    }
  }

  func testAPurchaseHasATokenAndAnOrder() throws {
    let home = try Self.home()
    let bought = try home.raw("gemctl buy gems_1200 --customer alice --json").output
    XCTAssertTrue(bought.contains(/"store_transaction_id":"[a-p]{24}\.AO-J1O[\w-]{86}"/), bought)
    let listed = try home.raw("gemctl store list").output
    XCTAssertTrue(listed.contains(/GPA\.\d{4}-\d{4}-\d{4}-\d{5}  purchased  yes +alice +gems_1200/), listed)
    // The window of such a home is Google's too.
    let window = try home.raw("gemctl offerings --json | grep -o '\"store\":\"[a-z]*\"' | sort -u").output
    XCTAssertEqual(
      window, try home.raw("gemctl offerings --store google --json | grep -o '\"store\":\"[a-z]*\"' | sort -u").output)
  }

  func testAPaymentThatTakesItsTimeIsCreditedOnceItArrives() throws {
    let home = try Self.home()
    let first = try home.order(of: "gems_300", "--ask-to-buy")
    let second = try home.order(of: "gems_1200", "--ask-to-buy")
    try Row.check(
      [
        Row(
          "gemctl buy gems_300 --customer alice --json | grep -o '\"result\":\"[a-z]*'",
          output: "\"result\":\"pending\n"),
        Row(Self.balance, output: "\"balance\":0\n"),
        Row("gemctl decline \(first) --json | grep -o '\"state\":\"[a-z_]*'", output: "\"state\":\"canceled\n"),
        Row("gemctl approve \(second) --json | grep -o '\"state\":\"[a-z_]*'", output: "\"state\":\"purchased\n"),
        Row(Self.balance, output: "\"balance\":1200\n"),
        Row("gemctl buy gems_300 --customer alice > /dev/null"), Row(Self.balance, output: "\"balance\":1500\n"),
      ], in: home)
  }

  func testMoneyIsGivenBackByUnitsAndStaysGivenBack() throws {
    let home = try Self.home()
    let id = try home.order(of: "gems_300", "--quantity 3")
    try Row.check(
      [
        Row("gemctl store refund \(id) --quantity 1 > /dev/null"), Row(Self.balance, output: "\"balance\":600\n"),
        Row("gemctl store refund \(id) --quantity 1 > /dev/null"), Row(Self.balance, output: "\"balance\":300\n"),
        Row("gemctl store refund \(id) --quantity 2", 2, error: "error: The purchase: 1 units can be refunded"),
        Row("gemctl store refund \(id) --percent 50", 2, error: "error: Google Play gives money back by units"),
        Row("gemctl store reverse-refund \(id)", 2, error: "error: Google Play takes no refund back"),
        Row("gemctl store redeliver \(id)", 2, error: "error: Google Play delivers nothing again by itself"),
        Row("gemctl store refund \(id) > /dev/null"), Row(Self.balance, output: "\"balance\":0\n"),
        Row("gemctl verify > /dev/null"),
      ], in: home, errorsBegin: true)
  }

  func testFaultsOutliveTheCommandThatMadeThem() throws {
    try Row.check(
      [
        Row("gemctl store fault purchase --after-effect --once", output: "purchase: networkCutAfter, once\n"),
        Row("gemctl buy gems_300 --customer alice > /dev/null", 3), Row(Self.balance, output: "\"balance\":300\n"),
        Row("gemctl buy gems_300 --customer alice --offline > /dev/null", 3),
        Row("gemctl sync", output: "The queue is empty: all paid purchases are credited.\n"),
        Row(Self.balance, output: "\"balance\":600\n"),
        Row(
          "gemctl buy gems_300 --customer alice --key k1 --json | grep -o '\"replayed\":[a-z]*'",
          output: "\"replayed\":false\n"),
        Row(
          "gemctl buy gems_300 --customer alice --key k1 --json | grep -o '\"replayed\":[a-z]*'",
          output: "\"replayed\":true\n"),
        Row(Self.balance, output: "\"balance\":900\n"),
      ], in: try Self.home())
  }

  func testAStoreKitFileDescribesNoGooglePlay() throws {
    try Row.check(
      [
        Row(
          "gemctl init --store google --storekit x.storekit", 64,
          error: "error: A StoreKit file describes the App Store")
      ],
      in: try TestHome(), errorsBegin: true)
  }

  private static let balance = "gemctl balance GEM --customer alice --json | grep -o '\"balance\":[0-9]*'"

  private static func home() throws -> TestHome {
    let home = try TestHome()
    XCTAssertEqual(try home.raw("gemctl init --store google > /dev/null").status, 0)
    return home
  }
}

extension TestHome {
  /// Buys for alice and gives the order id.
  fileprivate func order(of product: String, _ options: String = "") throws -> String {
    _ = try raw("gemctl buy \(product) --customer alice \(options) --json")
    let output = try raw("gemctl store list --limit 1 --json").output
    return String(output.firstMatch(of: /"order_id":"(GPA[\d.-]+)"/)?.1 ?? "none")
  }
}
