#if Server
/// The two-step purchase, its deliveries, and the spend by item.
enum PaymentRoutes {
  static var all: [Route] {
    twoSteps.map(\.takingUnknown) + UndeliveredOrderRoutes.all + [ItemSpend.route]
  }

  private static var twoSteps: [Route] {
    [
      PaymentCatalog.route, PaymentOpening.route, PaymentCompletion.route, PaymentHistory.route,
      SingleCallPayment.apple, SingleCallPayment.google,
    ]
  }

  /// The base path of the two-step purchase.
  static let base = "/api/v1/client/purchase"
}
#endif
