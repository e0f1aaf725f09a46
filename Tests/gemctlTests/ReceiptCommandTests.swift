#if Receipts
import XCTest

/// `receipt`, and purchases whose keys were exchanged on the way.
final class ReceiptCommandTests: XCTestCase {
  private let id =
    "id=$(gemctl store list --json | grep -o '\"store_transaction_id\":\"[^\"]*' | cut -d'\"' -f4 | head -1)"

  func testAReceiptIsShownReadAndRefusedAfterOneByteChanged() throws {
    let home = try TestHome()
    try Row.check(
      [
        Row("gemctl init > /dev/null; gemctl receipt verify /dev/null 2> /dev/null", 65),
        Row(
          "gemctl buy gems_1200 > /dev/null; \(id); gemctl receipt show $id > r.jws; gemctl receipt verify r.jws",
          output: "Verified: every check passed.\n"),
        Row("gemctl receipt inspect r.jws --json | grep -c '\"verified\":true'", output: "1\n"),
        Row(
          "sed 's/./B/3000' r.jws > bad.jws; cmp -s r.jws bad.jws && sed 's/./C/3000' r.jws > bad.jws; "
            + "gemctl receipt verify bad.jws 2> /dev/null", 65),
        Row("gemctl receipt inspect bad.jws | grep -c 'Verifies: no'", output: "1\n"),
        Row(
          "\(id); gemctl receipt show $id --environment sandbox > s.jws; gemctl receipt root > root.pem; "
            + "gemctl receipt verify s.jws --root root.pem --bundle-id com.example.gems",
          output: "Verified: every check passed.\n"),
        Row("gemctl receipt verify s.jws --root root.pem --bundle-id com.other 2> /dev/null", 65),
      ], in: home)
  }

  func testAPurchaseIsCreditedAlthoughTheKeysWereLost() throws {
    for (store, file) in [("", "authority.pem"), ("--store google", "play-key.pem")] {
      let home = try TestHome()
      try Row.check(
        [
          Row("gemctl init \(store) > /dev/null; gemctl buy gems_1200 --offline > /dev/null 2>&1; true"),
          Row(
            "rm .gemctl/\(file); gemctl sync > /dev/null 2>&1; gemctl sync > /dev/null 2>&1; "
              + "gemctl balance --json | grep -o '\"balance\":[0-9]*'", output: "\"balance\":1200\n"),
          Row(
            "gemctl queue --json | grep -o '\"pending\":0,\"dead_lettered\":0'",
            output: "\"pending\":0,\"dead_lettered\":0\n"),
        ], in: home)
    }
  }
}
#endif
