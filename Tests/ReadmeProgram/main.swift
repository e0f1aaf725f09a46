import GemLedger
import GemLedgerAudit
import GemLedgerSQLite

let (alice, gem) = (try CustomerID("alice"), try CurrencyCode("GEM"))
let pack = Product(code: try ProductCode("gems_1200"), type: .consumable, grants: [Grant(currency: gem, amount: 1200)])
let ledger = try Ledger.createSQLite(at: "shop.sqlite")  // a new file, in the working directory
try ledger.apply(Catalog(currencies: [Currency(code: gem, name: "Gems")], products: [pack]))

// Credited once, however often the store delivers it.
let purchase = StorePurchase(
  store: .apple, environment: .production, transactionID: try StoreTransactionID("2000000123456789"),
  product: pack.code, price: Money(minorUnits: 999, currency: "USD"), purchasedAt: LedgerClock.system.now())
try ledger.creditPurchase(purchase, customer: alice)

// Make the key when the user taps; send the same one with every retry of that tap.
let key = IdempotencyKey.timeOrdered()
let spend = try ledger.spend([Adjustment(gem, 50)], customer: alice, key: key)
let retry = try ledger.spend([Adjustment(gem, 50)], customer: alice, key: key)
precondition(retry.isReplayed)
precondition(retry.transactionID == spend.transactionID)
precondition(spend.balance(gem) == 1150)

// Refused, with nothing changed.
let refusal = ledger.submit([try .spend([Adjustment(gem, 5000)], customer: alice)])[0]
if case .failure(let error) = refusal {
  precondition(error.code == .insufficientBalance)
  print(error.message)  // Not enough GEM: 5000 needed, 1150 available. Nothing was changed.
}

let available = try ledger.balance(of: gem, customer: alice).available
let history = try ledger.history(of: alice).transactions
let books = try ledger.verify()
precondition(available == 1150)
precondition(history.count == 2)
precondition(books.isOK)
