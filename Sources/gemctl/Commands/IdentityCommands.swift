import GemLedger
import LedgerCharts
import StoreBackend
import StoreClient

/// `login`, `logout`, `whoami`, `alias`: the signed-in customer, with all ids of this customer.
struct IdentityCommands {
  let invocation: Invocation

  func logIn() throws {
    let id = invocation.parsed.positionals[0]
    if invocation.parsed.isDryRun {
      return try preview { (session) async throws(LedgerError) in try await session.client.previewLogIn(id) }
    }
    let (info, isCreated) = try invocation.withClient { (session) async throws(LedgerError) in
      let answer = try await session.client.logIn(id)
      return (answer.customerInfo, answer.created)
    }
    if id.wholeMatch(of: /[^@\s]+@[^@\s]+\.[^@\s]+/) != nil {
      invocation.terminal.error(
        "note: \(SafeText.escaped(id)) is an e-mail address, which others can guess; a random id is safer.\n")
    }
    try invocation.print(Self.json(info, isCreated: isCreated)) {
      "Signed in as \(Self.name(info, $0))\(isCreated ? ", a new customer" : "").\n"
    }
  }

  func identify() throws {
    let id = invocation.parsed.positionals[0]
    let info = try invocation.withClient { (session) async throws(LedgerError) in
      try await session.client.identify(id)
    }
    try invocation.print(Self.json(info)) { "Signed in as \(Self.name(info, $0)); nothing moved.\n" }
  }

  func reset() throws {
    let info = try invocation.withClient { (session) async throws(LedgerError) in try await session.client.reset() }
    try invocation.print(Self.json(info)) { _ in
      "Started over; \(info.record.customer) is signed in now, a new anonymous customer.\n"
    }
  }

  func logOut() throws {
    let info = try invocation.withClient { (session) async throws(LedgerError) in
      do throws(LedgerError) { return try await session.client.logOut() } catch { throw error.asRefusal }
    }
    try invocation.print(Self.json(info)) { _ in
      "Signed out; \(info.record.customer) is signed in now, a new anonymous customer.\n"
    }
  }

  func whoAmI() throws {
    let customer = try invocation.recoveredCustomer()
    let known = try invocation.withLedger {
      (ledger) throws(LedgerError) -> (summary: CustomerSummary, attributes: CustomerAttributes)? in
      do throws(LedgerError) { return (try ledger.customer(customer), try ledger.attributes.all(of: customer)) } catch {
        guard error.code == .customerNotFound else { throw error }
        return nil
      }
    }
    let ids = known?.summary.ids ?? [customer]
    let attributes = known?.attributes.list ?? []
    let json: JSONValue = [
      "customer_id": .string(customer.text), "original_id": .string((known?.summary.originalID ?? customer).text),
      "ids": .array(ids.map { .string($0.text) }), "anonymous": .bool(customer.text.hasPrefix("$RCAnonymousID:")),
      "frozen": .bool(known?.summary.isFrozen ?? false),
      "attributes": .object(attributes) { ($0.name, .string($0.value)) },
    ]
    let others = ids.filter { $0 != customer }
    let also =
      others.isEmpty ? "" : "also known as \(others.map { SafeText.escaped($0.text) }.joined(separator: ", "))\n"
    try invocation.print(json, { "\($0.bold(SafeText.escaped(customer.text)))\n\(also)" })
  }

  func alias() throws {
    let alias = try CustomerID(invocation.parsed.positionals[0])
    let isForAnother = invocation.settings.customer != nil
    if invocation.parsed.isDryRun {
      return try preview { (session) async throws(LedgerError) in
        try session.backend.previewAlias(alias, of: session.client.customerID)
      }
    }
    let info = try invocation.withClient { (session) async throws(LedgerError) in
      guard isForAnother else { return try await session.client.createAlias(alias.text) }
      _ = try await session.backend.createAlias(alias, of: session.client.customerID)
      return try await session.client.customerInfo()
    }
    let ids = info.record.ids.map { SafeText.escaped($0.text) }.joined(separator: ", ")
    try invocation.print(Self.json(info), { _ in "One customer with the ids \(ids).\n" })
  }

  /// Prints the effects of an identity call without making it.
  func preview(
    _ ask: @escaping @Sendable (ClientSession) async throws(LedgerError) -> IdentityPreview
  ) throws(LedgerError) {
    let preview = try invocation.withClient(ask)
    try invocation.print(IdentityPreviewView.json(preview), { IdentityPreviewView.text(preview, style: $0) })
  }

  private static func name(_ info: CustomerInfo, _ style: Style) -> String {
    style.bold(SafeText.escaped(info.record.customer.text))
  }

  private static func json(_ info: CustomerInfo, isCreated: Bool? = nil) -> JSONValue {
    var object: JSONObject = [
      "customer_id": .string(info.record.customer.text), "original_id": .string(info.originalAppUserID),
      "ids": .array(info.record.ids.map { .string($0.text) }),
    ]
    if let isCreated { object["created"] = .bool(isCreated) }
    return .object(object)
  }
}
