#if Server
/// All operations of the server.
package enum Routes {
  package static var all: [Route] {
    RESTRoutes.all + LedgerRoutes.all + SDKRoutes.all + PaymentRoutes.all + WebhookRoutes.all
      + ErrorPages.all
  }
}
#endif
