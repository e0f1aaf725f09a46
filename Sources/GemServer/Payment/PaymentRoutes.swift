#if Server
/// The two-step purchase, and the spend by item.
enum PaymentRoutes {
  static var all: [Route] { [] }
}
#endif
