/// Every bound of the ledger, in one place.
public enum Limits {
  /// Longest customer id, in bytes of UTF-8.
  public static let customerIDBytes = 1500
  /// Longest idempotency key, in bytes of UTF-8.
  public static let keyBytes = 255
  /// Longest reference, in bytes of UTF-8.
  public static let referenceBytes = 1500
  /// Longest reason, in bytes of UTF-8.
  public static let reasonBytes = 500
  /// Longest actor, in bytes of UTF-8.
  public static let actorBytes = 255
  /// Longest product code, store product id, item id or offering id, in bytes of UTF-8.
  public static let catalogIDBytes = 255
  /// Longest store transaction id (on Google Play the purchase token), in bytes of UTF-8.
  public static let storeTransactionIDBytes = 4096
  /// Longest currency code, in characters.
  public static let currencyCodeLength = 10
  /// Most adjustments in one request.
  public static let adjustmentsPerRequest = 100
  /// Most commands that one commit makes durable.
  public static let commandsPerGroup = 1024
  /// Most currencies in one project.
  public static let currenciesPerProject = 1000
  /// Most products in one catalog.
  public static let productsPerCatalog = 10_000
  /// Most localizations, grants or item grants of one product.
  public static let entriesPerProduct = 1000
  /// Longest name of a currency, in characters.
  public static let currencyNameLength = 50
  /// Longest title, description or other text of a catalog, in bytes of UTF-8.
  public static let catalogTextBytes = 4096
  /// Longest time between two recharges of a currency, in seconds: 366 days.
  public static let rechargeSeconds: Int64 = 31_622_400
  /// Most metadata of one object, in bytes of JSON.
  public static let metadataBytes = 8192
  /// Deepest nesting of a JSON text that we read.
  public static let jsonDepth = 64
  /// Most steps of one basket.
  public static let legsPerBasket = 200
  /// How long a hold may last from its beginning: thirty days.
  public static let holdDuration = Duration.seconds(30 * 86_400)
  /// Most units of one product in one purchase, or of one item in one spend.
  public static let quantity: Int64 = 1_000_000
  /// Most transactions on one page of history.
  public static let historyPage = 1000
  /// How far a machine's clock may be ahead of the newest transaction: two years, since a ledger may be idle that long.
  public static let clockAhead = Duration.seconds(2 * 366 * 86_400)
  /// How far the newest transaction may be ahead of a machine's clock: a day, during which journal time does not
  /// advance.
  public static let clockBehind = Duration.seconds(86_400)
  /// Expiries must be before this instant, the last millisecond of the year 9999, in milliseconds since 1970.
  public static let expiryMilliseconds: Int64 = 253_402_300_799_999
  /// Largest balance and largest amount: the largest integer that JSON readers represent exactly.
  public static let amount: Int64 = 9_007_199_254_740_991

  /// Most attributes of a customer; names that begin with "$" have a separate limit of the same size.
  package static let attributesPerCustomer = 50
  /// Longest name of an attribute, in bytes of UTF-8.
  package static let attributeNameBytes = 40
  /// Longest value of an attribute, in bytes of UTF-8.
  package static let attributeValueBytes = 500

  /// Longest name of a document, in bytes of UTF-8.
  package static let documentNameBytes = 255
  /// Most stored statements about one store transaction; of further statements only the newest is stored.
  package static let statementsPerPurchase = 32
  /// Longest content of a document, in bytes of UTF-8: 1 MiB.
  package static let documentBytes = 1 << 20
  /// Most documents on one page; a page is held in memory as a whole.
  package static let documentsPerPage = 100

  /// Checks the page size of transactions or other records.
  ///
  /// - Throws: `limit_exceeded`.
  package static func check(page limit: Int, of most: Int = historyPage) throws(LedgerError) {
    guard (1...most).contains(limit) else {
      throw LedgerError(
        .limitExceeded, "A page of \(limit) is out of range: 1 to \(most).",
        details: [.integer("limit", Int64(most))])
    }
  }
}
