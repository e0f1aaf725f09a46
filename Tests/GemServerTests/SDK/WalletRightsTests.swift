#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import XCTest

@testable import GemServer

/// The table of rights, cell by cell, alone and over the endpoints.
final class WalletRightsTests: XCTestCase {
  private typealias Rights = WalletRights

  /// Every combination of facts.
  private static func cells(of operation: Rights.Operation) -> [Rights.Facts] {
    let sides = Rights.IDKind.allCases.flatMap { kind in
      [true, false].map { Rights.Side(kind, isProven: $0) }
    }
    let others: [Rights.Side?] = operation.joins ? sides : [nil]
    return Rights.Caller.allCases.flatMap { caller in
      sides.flatMap { customer in
        others.flatMap { other in
          [Logins.open, .proven].map { Rights.Facts(caller, customer, other: other, logins: $0) }
        }
      }
    }
  }

  /// The promises of the page, said in another way than the table says them.
  func testEveryCellKeepsThePromises() {
    var rowsUsed: Set<Int> = []
    for operation in Rights.Operation.allCases {
      for facts in Self.cells(of: operation) {
        let decision = Rights.decide(operation, facts)
        let cell = "\(operation) \(facts): \(decision)"
        if let row = Rights.table.firstIndex(where: { $0.fits(operation, facts) }) { rowsUsed.insert(row) }
        if [.otherToken, .endedToken].contains(facts.caller) {
          XCTAssertEqual(decision, .forbidden(.sessionToken), cell)
          continue
        }
        if facts.caller == .publicKey, [.spend, .listOrders, .openCostlyOrder].contains(operation) {
          XCTAssertEqual(decision, .forbidden(.sessionToken), cell)
        }
        if operation == .restore { XCTAssertEqual(decision == .allowed, facts.caller == .secretKey, cell) }
        guard operation.joins, facts.caller != .secretKey, decision == .allowed || decision == .allowedUnproven,
          let other = facts.other
        else { continue }
        // A side with a named id is proven, but for the id that an anonymous customer logs in as.
        for (side, isLogin) in [(facts.customer, false), (other, facts.customer.kind.isAnonymous)]
        where !side.kind.isAnonymous && !side.isProven {
          XCTAssertTrue(isLogin && facts.logins == .open && side.kind != .formerAnonymous, cell)
          XCTAssertEqual(decision, .allowedUnproven, cell)
        }
        if facts.logins == .proven, facts.customer.kind.isAnonymous { XCTAssertTrue(other.isProven, cell) }
      }
    }
    XCTAssertEqual(rowsUsed, Set(Rights.table.indices), "a row of the table decides nothing")
  }

  // MARK: The page

  func testThePageHasTheTable() throws {
    let path = Fixture.path("../Sources/GemServer/GemServer.docc/ThreatModel.md")
    let page = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    let lines = page.split(separator: "\n").drop { $0 != "## The table" }.filter { $0.hasPrefix("|") }
    let expected = Rights.table.enumerated().map { Self.line($0 + 1, $1) }
    XCTAssertEqual(lines.prefix(expected.count + 2).dropFirst(2).map(String.init), expected)
  }

  private static func line(_ number: Int, _ rule: Rights.Rule) -> String {
    let operations = rule.operations.count == Rights.Operation.allCases.count ? "any" : words(rule.operations)
    let other = rule.operations.contains(where: \.joins) ? side(rule.other, rule.isOtherProven) : "–"
    let cells = [
      "\(number)", operations, rule.callers.count == Rights.Caller.allCases.count ? "any" : words(rule.callers),
      side(rule.customer, rule.isCustomerProven), other, answer(rule),
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  private static func words<Word: RawRepresentable<String>>(_ words: [Word]) -> String {
    words.map(\.rawValue).joined(separator: "; ")
  }

  private static func side(_ kinds: [Rights.IDKind], _ isProven: Bool?) -> String {
    let kind = kinds.count == Rights.IDKind.allCases.count ? "any" : words(kinds)
    return kind + (isProven.map { $0 ? ", proven" : ", not proven" } ?? "")
  }

  private static func answer(_ rule: Rights.Rule) -> String {
    let answer =
      switch rule.decision {
      case .allowed: "allowed"
      case .allowedUnproven: "allowed, unproven"
      case .allowedSwitch: "allowed; nothing moves"
      case .allowedEntitlements: "allowed; entitlements only"
      case .forbidden(let need): "403, needs `\(need.rawValue)`"
      }
    return answer + (rule.logins.map { ", if `logins` is `\($0)`" } ?? "")
  }

  // MARK: Over the endpoints

  func testEveryOperationOnOneCustomerAsksTheTable() async throws {
    for operation in Rights.Operation.allCases where !operation.joins {
      // An order has a customer.
      for kind in Rights.IDKind.allCases where operation != .useOrder || ![.newAnonymous, .newNamed].contains(kind) {
        for caller in Rights.Caller.allCases {
          let scene = try await RightsScene(orderOf: operation == .useOrder ? kind : nil)
          let isProven = caller == .token || caller == .secretKey
          let decision = Rights.decide(operation, Rights.Facts(caller, Rights.Side(kind, isProven: isProven)))
          let answer = try await scene.send(operation, kind, as: caller)
          check(answer, decision, isEnded: caller == .endedToken, "\(operation) \(kind) \(caller)")
        }
      }
    }
  }

  func testEveryJoiningOfTwoIDsAsksTheTable() async throws {
    let kinds = Rights.IDKind.allCases.flatMap { kind in Rights.IDKind.allCases.map { (kind, $0) } }
    let requests = RightsScene.Proof.allCases.flatMap { proof in [Logins.open, .proven].map { (proof, $0) } }
    for operation in Rights.Operation.allCases where operation.joins {
      let cells = kinds.flatMap { kinds in requests.map { (kinds, $0) } }
      for ((kind, other), (proof, logins)) in Tier.current.items(60, of: cells) {
        let scene = try await RightsScene(orderOf: nil, logins: logins)
        let decision = Rights.decide(operation, proof.facts(kind, other, logins))
        let answer = try await scene.join(operation, kind, other, by: proof)
        let cell = "\(operation) \(kind) \(other) \(proof) \(logins)"
        check(answer, decision, isEnded: false, cell)
        let isOne = try scene.isOne(kind, other)
        XCTAssertEqual(isOne, decision == .allowed || decision == .allowedUnproven, cell)
      }
    }
  }

  private func check(_ answer: APIWorld.Answer, _ decision: Rights.Decision, isEnded: Bool, _ cell: String) {
    // An SDK gives a purchase up for 4xx; the error says why all the same.
    let code = answer.body["error"]?["code"]?.text ?? answer.body["code"]?.text
    let isKept = answer.status == 503 && ["unauthenticated", "forbidden"].contains(code)
    if isEnded { return XCTAssertTrue(answer.status == 401 || isKept, cell) }
    guard case .forbidden = decision else {
      XCTAssertFalse(isKept, cell)
      return XCTAssertFalse([401, 403].contains(answer.status), cell)
    }
    XCTAssertTrue(answer.status == 403 || isKept, "\(cell) \(answer.body)")
  }
}

/// A shop with an id of each kind, twice, so that requests can name two.
private struct RightsScene {
  let shop: SDKShop
  let code: String

  /// What a request with two ids shows.
  enum Proof: CaseIterable {
    case publicKey
    case publicKeyAndNewToken
    case token
    case tokenAndNewToken
    case newToken
    case otherToken
    case secretKey

    func facts(
      _ kind: WalletRights.IDKind, _ other: WalletRights.IDKind, _ logins: Logins
    ) -> WalletRights.Facts {
      let caller: WalletRights.Caller =
        switch self {
        case .publicKey, .publicKeyAndNewToken: .publicKey
        case .token, .tokenAndNewToken, .newToken: .token
        case .otherToken: .otherToken
        case .secretKey: .secretKey
        }
      return WalletRights.Facts(
        caller, WalletRights.Side(kind, isProven: [.token, .tokenAndNewToken, .secretKey].contains(self)),
        other: WalletRights.Side(
          other, isProven: [.publicKeyAndNewToken, .tokenAndNewToken, .newToken, .secretKey].contains(self)),
        logins: logins)
    }
  }

  /// - Parameter kind: The id that has an order; nil for none.
  init(orderOf kind: WalletRights.IDKind?, logins: Logins = .open) async throws {
    var policy = BackendPolicy(clientSpending: .anyAmount)
    policy.currencyPrices = [try ProductCode("gems_1200"): [Adjustment(try CurrencyCode("GEM"), 1)]]
    shop = try SDKShop(policy: policy)
    let ledger = shop.world.ledger
    if logins == .proven {
      let text = String(decoding: try Fixture.bytes("gems.json"), as: UTF8.self)
      try ledger.apply(
        Catalog.load(Array(text.replacing(#""settings": {"#, with: #""settings": {"logins": "proven", "#).utf8)))
    }
    for isOther in [false, true] {
      for kind in [WalletRights.IDKind.anonymous, .named] {
        try shop.world.grant(10, to: Self.id(kind, isOther: isOther))
      }
      let owner = Self.prover(of: .formerAnonymous, isOther: isOther)
      try shop.world.grant(10, to: owner)
      try ledger.createAlias(
        CustomerID(Self.id(.formerAnonymous, isOther: isOther)), of: CustomerID(owner))
    }
    try shop.world.grant(10, to: "stranger-1")
    guard let kind else {
      code = ""
      return
    }
    let order = try await shop.send(
      "POST", "/v1/orders", Self.order("gems_300", of: Self.id(kind), key: "first"), key: shop.world.secretKey)
    code = try XCTUnwrap(order.body["order"]?["purchase_code"]?.text, "\(order.body)")
  }

  static func id(_ kind: WalletRights.IDKind, isOther: Bool = false) -> String {
    let digit = isOther ? "1" : "2"
    return switch kind {
    case .newAnonymous: "$RCAnonymousID:0000000000000000000000000000000" + digit
    case .anonymous: "$RCAnonymousID:1000000000000000000000000000000" + digit
    case .formerAnonymous: "$RCAnonymousID:2000000000000000000000000000000" + digit
    case .newNamed: "newcomer-" + digit
    case .named: "member-" + digit
    }
  }

  /// The id whose session token proves an id of the kind.
  static func prover(of kind: WalletRights.IDKind, isOther: Bool = false) -> String {
    kind == .formerAnonymous ? "owner-\(isOther)" : id(kind, isOther: isOther)
  }

  func isOne(_ kind: WalletRights.IDKind, _ other: WalletRights.IDKind) throws -> Bool {
    let other = try CustomerID(Self.id(other, isOther: true))
    do throws(LedgerError) {
      return try shop.world.ledger.customerIDs(of: CustomerID(unchecked: Self.id(kind))).contains(other)
    } catch {
      guard error.code == .customerNotFound else { throw error }
      return false
    }
  }

  private func key(of caller: WalletRights.Caller, _ kind: WalletRights.IDKind) throws -> String {
    switch caller {
    case .publicKey: shop.world.appKey
    case .token: try shop.token(Self.prover(of: kind))
    case .otherToken: try shop.token("stranger-1")
    case .endedToken: try shop.token(Self.id(.formerAnonymous))
    case .secretKey: shop.world.secretKey
    }
  }

  func send(
    _ operation: WalletRights.Operation, _ kind: WalletRights.IDKind, as caller: WalletRights.Caller
  ) async throws -> APIWorld.Answer {
    let (id, key) = (Self.id(kind), try key(of: caller, kind))
    let path = "/v1/subscribers/\(id)"
    switch operation {
    case .read: return try await shop.send("GET", path, key: key)
    case .listOrders: return try await shop.send("GET", path + "/orders", key: key)
    case .postReceipt:
      return try await shop.send(
        "POST", "/v1/receipts", ["fetch_token": .string(try shop.receipt("7")), "app_user_id": .string(id)], key: key)
    case .restore:
      return try await shop.send(
        "POST", path + "/restore", ["receipts": [.string(try shop.receipt("8"))], "sharing": "transfer"], key: key)
    case .openOrder:
      return try await shop.send("POST", "/v1/orders", Self.order("gems_300", of: id, key: "k"), key: key)
    case .openCostlyOrder:
      return try await shop.send("POST", "/v1/orders", Self.order("gems_1200", of: id, key: "k"), key: key)
    case .useOrder: return try await shop.send("POST", "/v1/orders/\(code)/cancel", [:], key: key)
    case .spend:
      return try await shop.send(
        "POST", "/v1/customer/virtual_currencies/spend", ["amounts": ["GEM": 1], "app_user_id": .string(id)],
        key: key, idempotencyKey: "k")
    case .createSessionToken:
      return try await shop.send("POST", "/v2/projects/default/customers/\(id)/session_tokens", [:], key: key)
    case .logIn, .createAlias: throw LedgerError(.unexpected, "Two ids are needed.")
    }
  }

  func join(
    _ operation: WalletRights.Operation, _ kind: WalletRights.IDKind, _ other: WalletRights.IDKind, by proof: Proof
  ) async throws -> APIWorld.Answer {
    let (id, new) = (Self.id(kind), Self.id(other, isOther: true))
    let newToken = try shop.token(Self.prover(of: other, isOther: true))
    let key =
      switch proof {
      case .publicKey, .publicKeyAndNewToken: shop.world.appKey
      case .token, .tokenAndNewToken: try key(of: .token, kind)
      case .newToken: newToken
      case .otherToken: try key(of: .otherToken, kind)
      case .secretKey: shop.world.secretKey
      }
    var body: JSONObject = ["new_app_user_id": .string(new)]
    if proof == .publicKeyAndNewToken || proof == .tokenAndNewToken { body["new_session_token"] = .string(newToken) }
    guard operation == .logIn else {
      return try await shop.send("POST", "/v1/subscribers/\(id)/alias", .object(body), key: key)
    }
    body["app_user_id"] = .string(id)
    return try await shop.send("POST", "/v1/subscribers/identify", .object(body), key: key)
  }

  private static func order(_ product: String, of customer: String, key: String) -> JSONValue {
    [
      "app_user_id": .string(customer), "product": .string(product), "store": "apple",
      "bundle_id": "com.example.gems", "key": .string(key),
    ]
  }
}
#endif
