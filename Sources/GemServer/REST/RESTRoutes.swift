#if Server
/// RevenueCat's REST API v2: currencies, products, offerings, customers and their balances.
///
/// Paths, bodies and answers are RevenueCat's. Details that its documentation does not specify:
/// - `update_balance` adds to a balance, and is the same command as a transaction. If one of the two repeats the key
///   and body of the other, it returns the other's answer.
/// - A transaction answers with the balances of the currencies that it names, zeros included.
/// - A balance is the available amount, without held amounts.
/// - An archived currency is in no list of balances, and transactions in it are refused.
/// - A currency that was used can only be archived, not deleted, since the history names it.
/// - A product's id is its id at the first store; the same id at a second store adds that store to the product.
/// - A package has one product, which its creation names with `product_id`; attaching another replaces it.
enum RESTRoutes {
  static var all: [Route] {
    CurrencyRoutes.all + BalanceRoutes.all + CustomerRoutes.all + AttributeRoutes.all + PurchaseRoutes.all
      + ProductRoutes.all + OfferingRoutes.all + PackageRoutes.all
  }

  static let project = "/v2/projects/{project_id}"
  static let customer = project + "/customers/{customer_id}"
}
#endif
