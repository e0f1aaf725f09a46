import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// `receipts held` and `receipts credit`: what an operator sees and does of purchases that are not credited yet.
final class HeldReceiptCommandTests: XCTestCase {
  /// As a server leaves it that sold a product which its catalog does not have.
  private func hold(in home: TestHome) throws {
    let ledger = try Ledger.openSQLite(at: home.path(".gemctl/ledger.sqlite"))
    defer { ledger.close() }
    let content = """
      {"transactionId":"20000001","bundleId":"com.example.gems","productId":"gems_new","purchaseDate":1790000000000,\
      "quantity":1,"type":"Consumable","signedDate":0,"environment":"Sandbox","price":990,"currency":"USD"}
      """
    let hold = ReceiptHold(
      store: .apple, environment: .sandbox, transactionID: try StoreTransactionID("20000001"),
      statedAt: Timestamp(milliseconds: 1_790_000_000_000), statement: StoreStatement(content: content),
      reason: .product)
    _ = try ledger.book(.holdReceipt(hold, customer: try CustomerID("alice")))
  }

  private func edited(_ home: TestHome) -> String {
    "gemctl catalog show --json | sed 's/\"apple\": *\"gems_300\"/\"apple\":\"gems_new\"/' > new.json && "
  }

  func testHeldPurchasesAreListedAndCreditedByHand() throws {
    let home = try TestHome()
    try Row.check([Row("gemctl init > /dev/null")], in: home)
    try Row.check(
      [
        Row(
          "gemctl receipts held",
          output: "No purchase is held: all known paid purchases are credited.\n")
      ], in: home)
    try hold(in: home)
    try Row.check(
      [
        Row(
          "gemctl receipts held --json | grep -o '\"reason\":\"[a-z]*\"\\|\"customer_id\":\"[a-z]*\"' | sort",
          output: "\"customer_id\":\"alice\"\n\"reason\":\"product\"\n"),
        Row("gemctl receipts held | grep -c 'add the product'", output: "1\n"),
        Row("gemctl receipts credit 20000001 2> /dev/null", 64),
        Row("gemctl receipts credit 20000001 --reason why 2> /dev/null", 5),
        Row("gemctl receipts credit 7 --reason why 2> /dev/null", 5),
        Row("gemctl receipts credit 20000001 --product gems_300 --reason 'case 17' > /dev/null"),
        Row("gemctl balance GEM --customer alice --json | grep -o '\"balance\":300'", output: "\"balance\":300\n"),
        Row("gemctl history --customer alice --json | grep -c 'case 17'", output: "1\n"),
        Row("gemctl receipts held --json", output: "{\"held\":[],\"quarantined\":0}\n"),
        Row("gemctl verify > /dev/null"),
      ], in: home)
  }

  func testANewCatalogCreditsThem() throws {
    let home = try TestHome()
    try Row.check([Row("gemctl init > /dev/null")], in: home)
    try hold(in: home)
    try Row.check(
      [
        Row(
          edited(home) + "gemctl catalog apply new.json | tail -1",
          output: "Credited held purchases: 1.\n"),
        Row("gemctl balance GEM --customer alice --json | grep -o '\"balance\":300'", output: "\"balance\":300\n"),
        Row(
          "gemctl export --output out.jsonl > /dev/null && gemctl import out.jsonl --storage sqlite:new > /dev/null"),
        Row("gemctl export --storage sqlite:new | cmp - out.jsonl"), Row("gemctl verify > /dev/null"),
      ], in: home)
  }

  /// What apps have posted of a customer, as a server keeps it.
  func testAttributesAreShown() throws {
    let home = try TestHome()
    try Row.check([Row("gemctl init > /dev/null; gemctl login alice > /dev/null")], in: home)
    let ledger = try Ledger.openSQLite(at: home.path(".gemctl/ledger.sqlite"))
    let change = CustomerAttribute.Change("$email", "alice@example.com", at: Timestamp(milliseconds: 1))
    try ledger.attributes.change([change], of: CustomerID("alice"))
    ledger.close()
    try Row.check(
      [
        Row(
          "gemctl whoami --json | grep -o '\"attributes.*'",
          output: #""attributes":{"$email":"alice@example.com"}}"# + "\n")
      ], in: home)
  }
}
