#if Server
/// RevenueCat's REST API v2: currencies, products, offerings, customers and their balances.
///
/// Paths, bodies and answers are RevenueCat's. Where its documentation is silent:
/// - `update_balance` adds to a balance, and is the same command as a transaction: a key that was used for one of the
///   two gives its first answer at the other, for the same body.
/// - A transaction answers with the balances of the currencies that it names, zeros included.
/// - A balance is the available amount: what holds set aside is left out.
/// - An archived currency is in no list of balances, and transactions in it are refused.
/// - A currency that was used is archived and never deleted, since history names it.
enum RESTRoutes {
  static var all: [Route] {
    CurrencyRoutes.all + BalanceRoutes.all + CustomerRoutes.all + AttributeRoutes.all + PurchaseRoutes.all
      + ProductRoutes.all
      + OfferingRoutes.all
  }

  static let project = "/v2/projects/{project_id}"
  static let customer = project + "/customers/{customer_id}"
}
#endif
