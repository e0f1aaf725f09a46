#if Server
import GemLedger

/// A request of one of RevenueCat's SDKs, as its sources write it.
struct SDKCall {
  let method: String
  let path: String
  var body: JSONValue?
  var headers: [(name: String, value: String)] = []

  /// The call without what differs from run to run: `POST receipts`, `GET virtual_currencies`.
  var name: String {
    let parts = path.split(separator: "/")
    let last = parts.last.map(String.init) ?? ""
    if last == "app" { return "\(method) config" }
    return "\(method) \(parts.count == 3 && parts[1] == "subscribers" && method == "GET" ? "customer" : last)"
  }
}

/// What comes back to an SDK.
enum SDKReply {
  case answer(status: Int, body: JSONValue?)
  /// No connection, or it ended before the answer.
  case noConnection

  /// The body of an answer with a status below 400, which both SDKs take for success.
  var success: JSONValue? {
    guard case .answer(let status, let body) = self, (200..<400).contains(status) else { return nil }
    return body ?? .null
  }
}

/// What goes wrong with one call.
enum SDKFault: Hashable, CustomStringConvertible {
  /// The request does not reach the server.
  case offline
  /// The server has done its work, and its answer is lost.
  case answerLost
  /// Something in front of the server answers with this status and no JSON.
  case status(Int)
  /// Something in front of the server answers 200 with a page of its own.
  case page
  /// The server's process dies at this commit of the run, before or after it.
  case killed(step: Int, isAfter: Bool)

  var description: String {
    switch self {
    case .offline: "offline"
    case .answerLost: "answer lost"
    case .status(let status): "status \(status)"
    case .page: "foreign page"
    case .killed(_, let isAfter): isAfter ? "killed after a commit" : "killed before a commit"
    }
  }
}

/// A device with an app and an SDK in it, at one store account.
protocol SDKDevice: AnyObject {
  var platform: String { get }
  /// Starts the app: the SDK is configured and the app comes to the foreground.
  func launch() async throws
  func foreground() async throws
  func logIn(_ id: String) async throws
  func logOut() async throws
  func offerings() async throws
  func balance() async throws -> Int64?
  /// Buys 300 gems, if the store sells them.
  func buy() async throws
  /// Buys 300 gems past the SDK, as older code of an app does.
  func buyOutside() throws
  func restore() async throws
  /// Tells the SDK to look for purchases that were made past it.
  func sync() async throws
  /// Deletes the app with all it keeps, and installs it again; it does not start.
  func reinstall()
  /// What is not done: purchases that are not finished or consumed, and posts that wait.
  var unfinished: [String] { get }
}

/// What both SDKs have in common.
enum SDKCustomerInfo {
  /// Whether the decoder of the iOS SDK takes it: one bad entry makes the whole undecodable.
  static func isReadOnIOS(_ body: JSONValue) -> Bool {
    guard body["request_date"]?.text != nil, let subscriber = body["subscriber"]?.object,
      subscriber["original_app_user_id"]?.text != nil, subscriber["first_seen"]?.text != nil
    else { return false }
    let lists = subscriber["non_subscriptions"]?.object?.members ?? []
    for (_, list) in lists {
      guard let entries = list.array else { return false }
      for entry in entries where entry["purchase_date"]?.text == nil || entry["is_sandbox"]?.bool == nil {
        return false
      }
    }
    for (_, entry) in subscriber["subscriptions"]?.object?.members ?? [] where entry["purchase_date"]?.text == nil {
      return false
    }
    return true
  }

  /// Whether the parser of the Android SDK takes it.
  static func isReadOnAndroid(_ body: JSONValue) -> Bool {
    guard body["request_date"]?.text != nil, let subscriber = body["subscriber"]?.object,
      subscriber["first_seen"]?.text != nil, subscriber["subscriptions"]?.object != nil,
      let lists = subscriber["non_subscriptions"]?.object
    else { return false }
    return lists.members.allSatisfy { _, list in
      list.array?.allSatisfy { $0["id"]?.text != nil && $0["purchase_date"]?.text != nil && $0["store"]?.text != nil }
        ?? false
    }
  }

  /// The ids of the store's transactions that it lists.
  static func listed(_ body: JSONValue) -> Set<String> {
    let lists = body["subscriber"]?["non_subscriptions"]?.object?.members ?? []
    return Set(lists.flatMap { $0.1.array ?? [] }.compactMap { $0["store_transaction_id"]?.text })
  }

  /// The balance in gems, as both decoders read it: an entry without a number, a name or a code fails the whole.
  static func gems(_ body: JSONValue) -> Int64? {
    guard let currencies = body["virtual_currencies"]?.object else { return nil }
    for (_, entry) in currencies.members
    where entry["balance"]?.integer == nil || entry["name"]?.text == nil || entry["code"]?.text == nil { return nil }
    return currencies["GEM"]?["balance"]?.integer
  }
}
#endif
