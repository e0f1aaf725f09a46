import GemLedger
import GemLedgerSQLite

/// The ids, keys and codes of an intact ledger that the verbs ask for.
struct KnownLedger {
  var customers: [CustomerID] = []
  var transactions: [TransactionID] = []
  var purchases: [StoreTransactionID] = []
  var codes: [PurchaseCode] = []
  var keys: [IdempotencyKey] = []
  var currencies: [CurrencyCode] = []
  var items: [ItemID] = []
  var products: [ProductCode] = []
  /// When the newest transaction was booked.
  var end = Timestamp(milliseconds: 0)

  init() {}

  init(_ path: String) throws {
    let raw = try RawFile(path)
    // Those with the most to look at, and some others.
    let owners = try raw.rows(
      """
      SELECT a.id, count(*) AS n FROM aliases a JOIN all_transactions t USING (customer)
      WHERE a.id NOT LIKE '$%' GROUP BY a.id ORDER BY n DESC, a.id LIMIT 6
      """)
    customers = try (owners.map { $0[0] } + ["zoe", "yan", "holder"]).map { try CustomerID($0) }
    let salt = UInt64(bitPattern: Int64(try raw.rows("SELECT salt FROM project")[0][0]) ?? 0)
    let ids = TransactionIDMaker(salt: salt)
    for row in try raw.rows("SELECT number, created_at FROM all_transactions ORDER BY number") {
      let instant = Timestamp(milliseconds: Int64(row[1]) ?? 0)
      transactions.append(ids.id(number: Int64(row[0]) ?? 0, createdAt: instant))
      end = max(end, instant)
    }
    purchases = try raw.rows("SELECT store_transaction FROM purchases").map { try StoreTransactionID($0[0]) }
    codes = try raw.rows("SELECT code FROM orders").map { try PurchaseCode($0[0]) }
    keys = try raw.rows("SELECT key FROM keys WHERE typeof(key) = 'text' LIMIT 50").map { try IdempotencyKey($0[0]) }
    currencies = try raw.rows("SELECT code FROM catalog WHERE kind = 1").map { try CurrencyCode($0[0]) }
    products = try raw.rows("SELECT code FROM catalog WHERE kind = 2").map { try ProductCode($0[0]) }
    items = try raw.rows("SELECT code FROM catalog WHERE kind = 4").map { try ItemID($0[0]) }
  }
}
