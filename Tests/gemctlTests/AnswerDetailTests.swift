import XCTest

@testable import gemctl

/// Answers that say whose balance it is, what was paid, what a refund took, and what to do next.
final class AnswerDetailTests: XCTestCase {
  private func shop() throws -> TestHome {
    let home = try TestHome()
    XCTAssertEqual(try home.run("gemctl init && gemctl login alice").status, 0)
    return home
  }

  func testBalancesAndGrantsNameTheCustomer() throws {
    try Row.check(
      [
        Row("gemctl grant GEM=5 --reason r | tail -n 1", output: "customer     alice\n"),
        Row("gemctl balance | tail -n 1", output: "customer  alice\n"),
      ], in: try shop())
  }

  /// The store hands out the paid purchase that waits, whatever the customer does at the payment sheet.
  func testAnEarlierPurchaseIsNoSecondPayment() throws {
    try Row.check(
      [
        Row("gemctl buy gems_300 --offline > /dev/null", 3),
        Row(
          "gemctl buy gems_300 --cancel | head -n 1",
          output: "Credited the earlier purchase of gems_300 for $2.99; nothing was paid now\n"),
        Row("gemctl buy gems_300 | head -n 1", output: "Bought gems_300 for $2.99\n"),
        Row("gemctl buy gems_300 --offline > /dev/null", 3),
        Row("gemctl buy gems_300 --json | grep -c '\"paid_before\":true'", output: "1\n"),
      ], in: try shop())
  }

  func testARefundShowsWhatItTook() throws {
    let home = try shop()
    let id = try home.purchase("gems_1200")
    try Row.check(
      [
        Row("gemctl spend GEM=200 > /dev/null"),
        Row(
          "gemctl store refund \(id) --percent 50 | tail -n 4",
          output:
            "CURRENCY  CHANGE  BALANCE  WHY\nGEM         -600      400  refund\ntransaction  <id>\ncustomer     alice\n"
        ),
        Row("gemctl store redeliver \(id) | grep -c customer", 1, output: "0\n"),
        Row(
          "gemctl store reverse-refund \(id) --json | grep -o '\"adjustments\":{[^}]*}'",
          output: "\"adjustments\":{\"GEM\":600}\n"),
      ], in: home)
  }

  func testTheNextStepAfterInitExists() throws {
    let home = try TestHome()
    try home.write(#"{"currencies": [{"code": "GEM", "name": "Gems"}]}"#, to: "bare.json")
    try home.write(
      """
      {"currencies": [{"code": "GEM", "name": "Gems"}],
       "products": [{"code": "gems", "store_ids": {"apple": "gems"}, "type": "consumable",
         "localizations": [{"locale": "en_US", "title": "Gems"}], "prices": {"USA": "0.99"},
         "grants": [{"currency": "GEM", "amount": 10}]}]}
      """, to: "product.json")
    try Row.check(
      [
        Row("gemctl --home a init bare.json | tail -n 1", output: "Next: gemctl catalog show\n"),
        Row("gemctl --home b init product.json | tail -n 1", output: "Next: gemctl buy gems\n"),
        Row("gemctl --home b buy gems | head -n 1", output: "Bought gems for $0.99\n"),
      ], in: home)
  }

  /// The text of a variable without a value names nobody, nor does an id with a slash, in a grant and in an import.
  func testTextsOfUnsetVariablesAreNobody() throws {
    let home = try shop()
    for id in ["null", "undefined", "NaN", "none", "0", "[object Object]", " ", "a/b"] {
      try home.write("customer_id,currency,amount\n\(id),GEM,5\n", to: "balances.csv")
      let refusal = "\"\(id)\" cannot name a customer; use an id that is hard to guess.\n"
      try Row.check(
        [
          Row("gemctl grant GEM=5 --customer '\(id)' --reason r", 64, error: "error: \(refusal)"),
          Row(
            "gemctl import --format csv balances.csv", 65,
            error: "error: The file has a problem; nothing was imported:\nLine 2: \(refusal)"),
        ], in: home)
    }
  }

  func testAnAnnouncedOrderIsBoughtWithItsContext() throws {
    let open = "gemctl order open gems_300 --key tap-1 --role char-1"
    try Row.check(
      [
        Row("\(open) > /dev/null"),
        Row(
          "gemctl buy gems_300 --key tap-1", 4,
          error: "error: The key \"tap-1\" was used before for another order: it differs in role_id. "
            + "Use a new key for a new order.\n"),
        Row("gemctl buy gems_300 --key tap-1 --role char-1 | head -n 1", output: "Bought gems_300 for $2.99\n"),
        Row(
          "gemctl buy gems_300 --role char-1", 64, error: "error: --game, --role, --server and --extra need --key."),
      ], in: try shop(), errorsBegin: true)
  }
}
