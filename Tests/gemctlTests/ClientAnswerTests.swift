import XCTest

/// Answers that say more than that something was done: unseen purchases, distrust, shares, suggestions, days.
final class ClientAnswerTests: XCTestCase {
  /// The queue of this device is not all that is paid for.
  func testThePurchaseOfAnotherDeviceIsNotCalledCredited() throws {
    let home = try TestHome()
    XCTAssertEqual(try home.raw("gemctl init > /dev/null").status, 0)
    let id = try home.pendingPurchase("gems_300")
    try Row.check(
      [
        Row("gemctl approve \(id) > /dev/null"),
        Row(
          "gemctl queue",
          output: """
            The queue is empty.
            1 purchase is paid for at the store, and the buyer's device has not seen it yet: \
            "gemctl sync --customer alice" credits it.

            """),
        Row("gemctl sync --customer alice", output: "The queue is empty: all paid purchases are credited.\n"),
      ], in: home)
  }

  func testADeviceThatDoesNotTrustAReceiptSaysSo() throws {
    let home = try TestHome()
    XCTAssertEqual(try home.raw("gemctl init; gemctl store fault verification invalidSignature").status, 0)
    try Row.check(
      [
        Row(
          "gemctl buy gems_300 --customer alice > said; echo $?; head -1 said",
          output: """
            3
            Paid for, but this device does not trust the store's receipt; it stays in the queue ("gemctl queue").

            """),
        Row("gemctl queue | grep -c 'The store.s receipt of 1 of them is not trusted'", output: "1\n"),
        Row("gemctl store fault --clear > /dev/null; gemctl sync --customer alice > /dev/null"),
        Row("gemctl balance GEM --customer alice --json | grep -o '\"balance\":[0-9]*'", output: "\"balance\":300\n"),
      ], in: home)
  }

  func testTheListOfTheStoreShowsRefundedShares() throws {
    let home = try TestHome()
    XCTAssertEqual(try home.raw("gemctl init > /dev/null").status, 0)
    let id = try home.purchase("gems_1200")
    try Row.check(
      [
        Row(
          "gemctl store refund \(id) --percent 25 > /dev/null; gemctl store list | grep -o 'refunded 25 %'",
          output: "refunded 25 %\n"),
        Row(
          "gemctl store list --json | grep -o '\"refunded\":{[^}]*}'",
          output: "\"refunded\":{\"milli_percent\":25000}\n"),
        Row("gemctl store refund \(id) > /dev/null; gemctl store list | grep -o 'refunded  '", output: "refunded  \n"),
      ], in: home)
  }

  /// What a narrow terminal shows can be pasted into the next command.
  func testAShortenedIDNamesItsTransactionWhereNoOtherFits() throws {
    let home = try TestHome()
    XCTAssertEqual(try home.raw("gemctl init > /dev/null").status, 0)
    let id = try home.purchase("gems_1200")
    _ = try home.purchase("gems_300")
    try Row.check(
      [
        Row(
          "gemctl store refund '\(id.prefix(6))…\(id.suffix(5))' --json | grep -c '\"store_transaction_id\":\"\(id)\"'",
          output: "1\n"),
        Row("gemctl store refund '2…'", 64, error: "error: \"2…\" fits several ids: "),
        Row("gemctl store refund '3…'", 5, error: "error: The store has no transaction \"3…\""),
      ], in: home, errorsBegin: true)
  }

  /// 64 is for command lines that cannot be understood, and not for what cannot be done now.
  func testARefusalIsNoUsageError() throws {
    try Row.check(
      [
        Row(
          "gemctl init > /dev/null; gemctl logout", 2, error: "error: Cannot sign out: no customer is signed in.\n")
      ], in: try TestHome())
  }

  func testSwitchingMovesNothingAndStartingOverIsAnonymous() throws {
    let home = try TestHome()
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl buy gems_300 > /dev/null"),
        Row("gemctl identify bob", output: "Signed in as bob; nothing moved.\n"),
        Row("gemctl balance GEM --json | grep -o '\"balance\":[0-9]*'", output: "\"balance\":0\n"),
        Row("gemctl reset", output: "Started over; <anonymous> is signed in now, a new anonymous customer.\n"),
        Row("gemctl reset --json | grep -o '\"created[^,]*'; gemctl whoami", 0, output: "<anonymous>\n"),
      ], in: home)
  }

  func testAWrongNameIsAnsweredWithTheRightOne() throws {
    let home = try TestHome()
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl grant GEM=9 --reason x --customer alice > /dev/null"),
        Row("gemctl balance gem", 5, error: "error: There is no currency gem in the catalog. Did you mean \"GEM\"?\n"),
        Row(
          "gemctl spend GEMS=1 --customer alice", 5,
          error: "error: There is no currency GEMS in the catalog. Did you mean \"GEM\"?\n"),
        Row(
          "gemctl spend --item extra_lief --customer alice", 5,
          error: "error: There is no item \"extra_lief\" in the catalog. Did you mean \"extra_life\"?\n"),
        Row(
          "gemctl balance --customer alcie", 5,
          error:
            "error: There is no customer \"alcie\". A purchase, a grant or a login makes one; check the id's spelling. "
            + "Did you mean \"alice\"?\n"
        ),
        Row(
          "gemctl balance --customer bob", 5,
          error:
            "error: There is no customer \"bob\". A purchase, a grant or a login makes one; check the id's spelling.\n"
        ),
        Row("gemctl buy nothing", 5, error: "error: There is no product \"nothing\" in the catalog.\n"),
        Row("gemctl balance gem --json 2>&1 | grep -o '\"suggestion\":\"GEM\"'", output: "\"suggestion\":\"GEM\"\n"),
      ], in: home)
  }

  func testADayIsATimeInAZone() throws {
    let home = try TestHome()
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl grant GEM=9 --reason x --customer alice > /dev/null"),
        Row(
          "gemctl balance GEM --at 2026-01-01 --zone Asia/Tokyo --customer alice --json | grep -o '\"balance\":[0-9]*'",
          output: "\"balance\":0\n"),
        Row("gemctl spends --since 2020-01-31 --customer alice", output: "There are no spends.\n"),
        Row("gemctl balance --at 2026-02-30 --customer alice", 64, error: "error: --at takes a time with its zone"),
        Row("gemctl balance --at 2026-02-03 --zone Mars --customer alice", 64, error: "error: --zone takes the name"),
      ], in: home, errorsBegin: true)
  }
}
