#if Server
/// Store notifications in, and the endpoints that events go out to.
enum WebhookRoutes {
  static var all: [Route] {
    WebhookEndpointRoutes.all + WebhookIntegrationRoutes.all + WebhookSecretRoutes.all + WebhookDeliveryRoutes.all
      + StoreNotificationRoutes.all
  }
}
#endif
