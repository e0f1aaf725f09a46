#if Server
/// The two-step purchase, its deliveries, and the spend by item.
enum PaymentRoutes {
  static var all: [Route] {
    [
      PaymentCatalog.route, PaymentOpening.route, PaymentCompletion.route, PaymentHistory.route,
      SingleCallPayment.apple, SingleCallPayment.google,
    ] + UndeliveredOrderRoutes.all + [ItemSpend.route]
  }

  /// Where the two-step purchase lies.
  static let base = "/api/v1/client/purchase"
}
#endif
