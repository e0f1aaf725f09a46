#if Server
/// The v1 endpoints that SDKs use in apps.
enum SDKRoutes {
  static var all: [Route] { [] }
}
#endif
