#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemCrypto
internal import SystemHTTP

/// The customers of a project.
enum CustomerRoutes {
  static var all: [Route] { [list, create, get, delete, aliases, activeEntitlements, createSessionToken] }

  private static let path = RESTRoutes.project + "/customers"

  private static let list = Route(
    method: "GET", path: path, name: "list_customers",
    summary: "Lists customers, oldest first, each under its original id.", access: .secret(.customers),
    query: Page.parameters + [
      Parameter(
        "search", .text(1...1500),
        "Lists the customer with exactly this id and those whose attribute $email is exactly this. A page may have "
          + "no items and a next page.")
    ], answers: [200: Schema.page(of: CustomerDocument.schema)], rate: .customerInformation,
    work: .later { (call) async throws(LedgerError) in
      let searched = call.query["search"]?.text
      let (ids, next) = if let searched { try found(searched, call) } else { try originalIDs(call) }
      var page = Page([], next: next?.description)
      for id in ids { try append(id, to: &page, of: call.project) }
      return page.response(to: call)
    })

  /// Returns the ids of the page and the next cursor; a client may delete the page's customers before the next page.
  private static func originalIDs(_ call: Call) throws(LedgerError) -> (ids: [CustomerID], next: PageCursor?) {
    let ledger = call.project.ledger
    guard let text = call.query["starting_after"]?.text else {
      return try ledger.originalCustomerIDs(limit: call.limit)
    }
    do throws(LedgerError) {
      return try ledger.originalCustomerIDs(after: try CustomerID(text), limit: call.limit)
    } catch {
      guard error.code == .customerNotFound else { throw error.about("starting_after") }
      throw .parameter("starting_after", "names no customer")
    }
  }

  /// Returns the customer with the id, and then those with the text as their e-mail address.
  private static func found(
    _ text: String, _ call: Call
  ) throws(LedgerError) -> (ids: [CustomerID], next: PageCursor?) {
    let (ledger, place) = (call.project.ledger, call.query["starting_after"]?.text.map(PageCursor.init))
    let named: CustomerID?
    do throws(LedgerError) {
      named = try ledger.customerIDs(of: CustomerID(text)).first
    } catch {
      guard error.code == .customerNotFound || error.code == .invalidIdentifier else { throw error }
      named = nil
    }
    do throws(LedgerError) {
      let (ids, next) = try ledger.attributes.customerIDs(with: "$email", value: text, after: place)
      let first = place == nil ? named.map { [$0] } ?? [] : []
      return (first + ids.filter { $0 != named }, next)
    } catch {
      throw error.about("starting_after")
    }
  }

  private static func append(_ id: CustomerID, to page: inout Page, of project: ServerProject) throws(LedgerError) {
    do throws(LedgerError) {
      page.items.append(try CustomerDocument(id, in: project).json())
    } catch {
      // The customer was erased in between.
      guard error.code == .customerNotFound else { throw error }
    }
  }

  private static let create = Route(
    method: "POST", path: path, name: "create_customer", summary: "Makes a customer.",
    access: .secret(.customers.writing), headers: [.idempotencyKey],
    body: .object([
      Schema.Field("id", .appUserID, "The app user id.", isRequired: true),
      Schema.Field(AttributeRoutes.member, AttributeRoutes.requestSchema(valueIsNullable: false), "The attributes."),
    ]),
    answers: [201: CustomerDocument.schema], rate: .customerInformation,
    work: .later { (call) async throws(LedgerError) in
      let (id, attributes) = (try newID(call), AttributeRoutes.changes(call))
      try AttributeRoutes.check(attributes)
      let key = try call.idempotencyKey()
      do throws(LedgerError) {
        // One booking, so that a repeated key always gets the first answer.
        let registration = try await call.project.backend.register(id, key: key)
        guard key != nil || registration.isCreated else { throw .customerExists(id) }
      } catch {
        throw error.code == .alreadyExists ? error.about("id") : error
      }
      if !attributes.isEmpty {
        try await BlockingWork.run { () throws(LedgerError) in
          _ = try call.project.ledger.attributes.change(attributes, of: id)
        }
      }
      return .json(201, try CustomerDocument(id, in: call.project).json())
    })

  private static func newID(_ call: Call) throws(LedgerError) -> CustomerID {
    do throws(LedgerError) {
      let id = try CustomerID(call.body["id"]?.text ?? "")
      try UserID.check(id)
      return id
    } catch {
      throw error.about("id")
    }
  }

  private static let get = Route(
    method: "GET", path: RESTRoutes.customer, name: "get_customer", summary: "One customer.",
    access: .secret(.customers),
    query: [Parameter("expand", .word(["attributes"]), "Adds the list of attributes.")],
    answers: [200: CustomerDocument.schema], rate: .customerInformation,
    work: .now { (call) throws(LedgerError) in
      let (customer, project) = (try call.customer(), call.project)
      let attributes = call.query["expand"] == nil ? nil : try project.ledger.attributes.all(of: customer)
      return .json(200, try CustomerDocument(customer, in: project).json(attributes))
    })

  private static let delete = Route(
    method: "DELETE", path: RESTRoutes.customer, name: "delete_customer",
    summary: "Erases a customer: all ids, keys and texts about the customer go, and the books stay.",
    access: .secret(.customers.writing), answers: [200: RESTSchemas.deleted("customer")], rate: .customerInformation,
    work: .later { (call) async throws(LedgerError) in
      let (id, project) = (try call.customer(), call.project)
      let ids = try project.ledger.customerIDs(of: id)
      let booking = try await project.ledger.book(
        .erase(id, with: ids, in: project.ledger, digest: TextDigest.sha256))
      try project.quarantine.erase(ids)
      return RESTSchemas.deletedAnswer("customer", id: id.text, at: booking.createdAt)
    })

  private static let aliases = Route(
    method: "GET", path: RESTRoutes.customer + "/aliases", name: "list_customer_aliases",
    summary: "Lists all ids of a customer, the original one first.", access: .secret(.customers),
    query: Page.parameters, answers: [200: Schema.page(of: CustomerDocument.Alias.schema)],
    rate: .customerInformation,
    work: .now { (call) throws(LedgerError) in
      let document = try CustomerDocument(call.customer(), in: call.project)
      return try Page(of: document.aliases, call, cursor: \.id.text, item: \.json).response(to: call)
    })

  private static let activeEntitlements = Route(
    method: "GET", path: RESTRoutes.customer + "/active_entitlements", name: "list_customer_active_entitlements",
    summary: "Lists the entitlements that a customer has now.", access: .secret(.customers), query: Page.parameters,
    answers: [200: Schema.page(of: CustomerDocument.entitlementForm.schema)], rate: .customerInformation,
    work: .now { (call) throws(LedgerError) in
      let document = try CustomerDocument(call.customer(), in: call.project)
      return try Page(of: document.activeEntitlements, call, cursor: \.id, item: CustomerDocument.entitlementForm.json)
        .response(to: call)
    })

  // MARK: Session tokens

  private static let lifetimeDefault: Int64 = 3600

  private static let createSessionToken = Route(
    method: "POST", path: RESTRoutes.customer + "/session_tokens", name: "create_session_token",
    summary: "Creates a token with which the customer's app spends the customer's currency for a limited time.",
    access: .secret(.customers.writing),
    body: .object([
      Schema.Field(
        "expires_in", .nullable(.integer(SessionTokens.lifetimes)), "The lifetime in seconds; 3,600 by default.")
    ]),
    answers: [201: sessionTokenSchema], rate: .customerInformation,
    work: .now { (call) throws(LedgerError) in
      let customer = try call.customer()
      _ = try call.project.ledger.view { (view) throws(LedgerError) in try view.customers.customer(customer) }
      _ = try call.permitted(customer, for: .createSessionToken)
      // A token's expiry is in whole seconds.
      let second = call.project.clock.now().milliseconds / 1000
      let end = Timestamp(milliseconds: (second + (call.body["expires_in"]?.integer ?? lifetimeDefault)) * 1000)
      return .json(
        201,
        [
          "object": "session_token", "token": .string(call.project.sessions.make(for: customer, until: end)),
          "customer_id": .string(customer.text), "expires_at": .integer(end.milliseconds),
        ])
    })

  private static let sessionTokenSchema = RESTSchemas.object(
    "session_token",
    [
      Schema.Field("token", .text(), "Send it as \"Authorization: Bearer TOKEN\".", isRequired: true),
      Schema.Field("customer_id", .text(), isRequired: true),
      Schema.Field("expires_at", RESTSchemas.milliseconds, isRequired: true),
    ])
}
#endif
