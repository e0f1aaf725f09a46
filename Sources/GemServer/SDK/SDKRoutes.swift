#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// The v1 endpoints for SDKs in apps.
///
/// Paths and members are RevenueCat's. Features that its SDKs lack, such as orders before payment, have additional
/// paths. `HTTPBackend` uses all of them.
enum SDKRoutes {
  static var all: [Route] {
    (SubscriberRoutes.all + IdentityRoutes.all + ShopRoutes.all + ReceiptRoutes.all.map(\.takingPurchases)
      + OrderRoutes.all + SideRoutes.all).map(\.takingUnknown) + SpendingRoutes.all
  }

  /// The parameters of a page in a customer's list; pages count from 1.
  static let paging = [
    Parameter("page", .stating(["minimum": 1], .integer()), "The page, from 1; 1 by default."),
    Parameter(
      "size", .stating(["minimum": 1, "maximum": .integer(Int64(Limits.historyPage))], .integer()),
      "The number per page, 1 to \(Limits.historyPage); 20 by default."),
  ]
}

extension Route {
  /// Returns an operation of API v1; its name begins with `v1_`.
  static func sdk(
    _ method: String, _ path: String, _ name: String, _ summary: String, access: Access = .app,
    query: [Parameter] = [], headers: [Parameter] = [], body: Schema? = nil, answers: [Int: Schema],
    work: Work
  ) -> Route {
    Route(
      method: method, path: path, name: "v1_\(name)", summary: summary, access: access, style: .sdk, query: query,
      headers: headers, body: body, answers: answers, work: work)
  }
}

extension Route {
  /// Returns the operation with ``takesUnknown``.
  var takingUnknown: Route {
    var route = self
    route.takesUnknown = true
    return route
  }

  /// Returns the operation with ``takesPurchase``.
  fileprivate var takingPurchases: Route {
    var route = self
    route.takesPurchase = true
    return route
  }
}

extension Call {
  var page: (number: Int, size: Int) {
    (Int(clamping: query["page"]?.integer ?? 1), Int(clamping: query["size"]?.integer ?? 20))
  }

  /// The checked body, for reading values from it.
  var wire: WireObject { WireObject(body) }
}

extension Registration {
  /// The response; 201 if the call created the id.
  var response: HTTPResponse { .json(isCreated ? 201 : 200, wire) }
}
#endif
