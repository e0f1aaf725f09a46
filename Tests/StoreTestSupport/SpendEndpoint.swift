package import GemLedger
internal import Synchronization

#if canImport(FoundationNetworking)
internal import Foundation
package import FoundationNetworking
#else
package import Foundation
#endif

/// The app's own server: takes the customer from the session, and the price from the item.
package final class SpendEndpoint: URLProtocol {
  private struct Server: Sendable {
    let ledger: Ledger
    let session: String
    let customer: CustomerID
  }

  private static let server = Mutex<Server?>(nil)
  private static let isRegistered = Mutex(false)

  /// Takes the requests of later sessions of Foundation.
  ///
  /// Outside of Apple's platforms the first session of a process puts Foundation's own protocols behind those that are
  /// registered already, and before later ones: whatever test opens a session calls this first.
  package static func register() { isRegistered.withLock { $0 = $0 || URLProtocol.registerClass(SpendEndpoint.self) } }

  package static func open(over ledger: Ledger, session: String, customer: CustomerID) {
    register()
    server.withLock { $0 = Server(ledger: ledger, session: session, customer: customer) }
  }

  package static func close() { server.withLock { $0 = nil } }

  package override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "your-api.example.com" }
  package override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  package override func stopLoading() {}

  package override func startLoading() {
    guard let url = request.url,
      let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
    else { return }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocolDidFinishLoading(self)
  }

  private var status: Int {
    struct Body: Decodable {
      let item: String
      let idempotencyKey: String
    }
    guard let server = Self.server.withLock({ $0 }), request.httpMethod == "POST",
      request.value(forHTTPHeaderField: "Authorization") == "Bearer \(server.session)"
    else { return 401 }
    do {
      let body = try JSONDecoder().decode(Body.self, from: request.httpBody ?? Data())
      try server.ledger.buyItem(
        ItemID(body.item), customer: server.customer, key: IdempotencyKey(body.idempotencyKey))
      return 200
    } catch let error as LedgerError where error.code == .insufficientBalance {
      return 402
    } catch {
      return 400
    }
  }
}
