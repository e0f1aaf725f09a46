import SimulatedStores
import StoreClientFoundation
import StoreClientHTTP
import StoreReceipts
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The app against a running `gemctl serve --simulate`; `SHOP` names the home of that server.
@MainActor
final class ServedShopTests: XCTestCase {
  func testGemsAreBoughtAndSpentAtTheServer() async throws {
    let variables = ProcessInfo.processInfo.environment
    guard let home = variables["SHOP"] else { throw XCTSkip("SHOP does not name the home of a server") }
    func content(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: "\(home)/\(name)")) }
    func key(_ name: String) throws -> String {
      String(decoding: try content(name), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
    let server = try XCTUnwrap(URL(string: variables["SHOP_URL"] ?? "http://127.0.0.1:8383"))

    // The store of the test signs as the store of that home does, which the server trusts.
    let state = try JSONSerialization.jsonObject(with: content("home.json")) as? [String: Any]
    let session = try XCTUnwrap(state?["store_session"] as? String)
    let authority = try LocalAuthority(file: "\(home)/authority.pem")
    let receipts = try LocalReceipts(authority: authority, environment: .localTesting(session: session))
    let catalog = try Catalog.load([UInt8](content("catalog.json")))
    let customer = "player-\(UUID().uuidString.lowercased())"
    // A random seed: two runs of the test must not make the same store transaction ids.
    let store = try SimulatedStore(
      catalog: catalog, session: session, seed: .random(in: 0 ... .max), signer: receipts)

    // The app's own server would keep the secret key, and hand out the token of a customer who is signed in.
    let secret = try key("server.key")
    let backend = try HTTPBackend(baseURL: server, apiKey: key("app.key")) { request in
      let path = "v2/projects/default/customers/\(request.customer.text)/session_tokens"
      var post = URLRequest(url: server.appending(path: path))
      post.httpMethod = "POST"
      post.httpBody = Data("{}".utf8)
      post.setValue("Bearer \(secret)", forHTTPHeaderField: "Authorization")
      post.setValue("application/json", forHTTPHeaderField: "Content-Type")
      struct Token: Decodable { var token: String }
      return try JSONDecoder().decode(Token.self, from: await URLSession.shared.data(for: post).0).token
    }
    let app = try Purchases(
      configuration: StoreClient.Configuration(
        apiKey: key("app.key"), appUserID: customer, mode: .payment(backend),
        storefront: store.account(customer).device("phone"), eventLog: MemoryEventLog()))

    let bought = try await app.purchase(ProductCode("gems_1200"))
    XCTAssertNotNil(bought.customerInfo)
    try await app.buyItem("extra_life", key: "tap-1")
    let gems = try await app.virtualCurrencies()["GEM"]?.balance
    XCTAssertEqual(gems, 1150)
  }
}
