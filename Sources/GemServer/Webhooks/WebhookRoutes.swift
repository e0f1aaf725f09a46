#if Server
/// Notifications from stores, and the endpoints of the project's events.
enum WebhookRoutes {
  static var all: [Route] {
    WebhookEndpointRoutes.all + WebhookIntegrationRoutes.all + WebhookSecretRoutes.all + WebhookDeliveryRoutes.all
      + StoreNotificationRoutes.all
  }
}
#endif
