#if Server
/// RevenueCat's REST API v2: currencies, products, offerings, customers and their balances.
enum RESTRoutes {
  static var all: [Route] { [] }
}
#endif
