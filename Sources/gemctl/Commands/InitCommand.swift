import GemLedger
import LedgerCharts

/// `init`: makes a home.
struct InitCommand {
  let invocation: Invocation

  /// The starting content of the home.
  private struct Start {
    var catalog: Catalog
    var store = Store.apple
    var storefront = StorefrontCode.unitedStates
    var locale = "en_US"
    var switches = StoreKitConfiguration.Switches()
    var notes: [String] = []

    /// The state of a home that begins like this.
    var homeState: Home.State {
      var state = Home.State.new(store: store, storefront: storefront)
      state.locale = locale
      state.switches = switches
      return state
    }
  }

  func run() throws {
    if invocation.parsed.has("--join") { return try join() }
    // The files first: a home is not made for a catalog that cannot be used.
    let start = try self.start()
    let storage = try StorageChoice(invocation.settings.storage)
    if storage == .memory { throw LedgerError.memoryEnds }
    try make(start) { (draft) throws(LedgerError) in
      try storage.make(for: draft) { (ledger, isNew) throws(LedgerError) in
        try Self.bring(start.catalog, to: ledger, isNew: isNew, isOwn: storage == .home)
        try ledger.createCustomer(draft.state.customer)
      }
    }
  }

  /// Makes the home, and fills its ledger before it is complete.
  private func make(_ start: Start, _ fill: (HomeDraft) throws(LedgerError) -> Void) throws(LedgerError) {
    let draft = try HomeDraft.begin(invocation.home, start.homeState)
    do throws(LedgerError) {
      try fill(draft)
      try draft.finish()
    } catch {
      draft.giveUp()
      throw error
    }
    try invocation.print(json(start, draft.state)) { text(start, draft.state, style: $0) }
  }

  /// Gives the ledger its catalog, unless an interrupted command did.
  ///
  /// A ledger outside of the home with another catalog is in use by others.
  private static func bring(
    _ catalog: Catalog, to ledger: Ledger, isNew: Bool, isOwn: Bool
  ) throws(LedgerError) {
    if !isNew {
      let current = try ledger.currentCatalog()
      if current == catalog { return }
      guard isOwn || current.currencies.isEmpty && current.products.isEmpty else {
        throw LedgerError(.alreadyExists, "The ledger has another catalog already. Use it as it is with --join.")
      }
    }
    try ledger.catalogEditor.change(CatalogChangeDetails(actor: Invocation.actor)) { (_) in catalog }
  }

  /// Makes a home for a shared ledger and keeps the ledger's catalog.
  private func join() throws {
    guard invocation.parsed.positionals.isEmpty, !invocation.parsed.has("--storekit") else {
      throw invocation.usageError("--join takes no catalog: the ledger has one")
    }
    guard invocation.settings.storage != nil else {
      throw invocation.usageError("--join needs --storage")
    }
    let storage = try StorageChoice(invocation.settings.storage)
    if storage == .memory { throw LedgerError.memoryEnds }
    let ledger = try storage.open(invocation.home)
    defer { ledger.close() }
    try make(Start(catalog: try ledger.currentCatalog(), store: store)) { (draft) throws(LedgerError) in
      try draft.removeUnusedLedger()
      try ledger.createCustomer(draft.state.customer)
    }
  }

  private func start() throws -> Start {
    var start = Start(catalog: try catalog(), store: store)
    let parsed = invocation.parsed
    guard let path = parsed.value("--storekit") else { return start }
    guard start.store == .apple else {
      throw invocation.usageError("A StoreKit file describes the App Store, and not --store \(start.store)")
    }
    let bytes = try FileAccess.read(path, atMost: StoreKitConfiguration.byteCountMax)
    do throws(CatalogProblems) {
      let configuration = try StoreKitConfiguration.load(bytes)
      start.catalog =
        parsed.positionals.isEmpty
        ? try Self.only(configuration, with: start.catalog) : try start.catalog.merging(configuration)
      start.notes = configuration.notes + StoreKitSwitches.notes(configuration.switches)
      start.locale = configuration.locale ?? start.locale
      start.switches = configuration.switches
      start.storefront = configuration.storefront.flatMap(StorefrontCode.init(exactly:)) ?? .unitedStates
    } catch {
      throw error.ledgerError(in: path)
    }
    return start
  }

  /// Makes a catalog of a StoreKit file alone: its products and no others, all in one offering.
  ///
  /// Currency, items, and the grants of products with equal ids are those of the built-in catalog.
  private static func only(
    _ configuration: StoreKitConfiguration, with builtIn: Catalog
  ) throws(CatalogProblems) -> Catalog {
    let codes = Set(configuration.products.map(\.code))
    // The other packs go first: a file may have as many products as a catalog.
    let lender = try Catalog(
      currencies: builtIn.currencies, products: builtIn.products.filter { codes.contains($0.code) },
      items: builtIn.items, settings: builtIn.settings)
    let products = try lender.merging(configuration).products
    let id = OfferingID(unchecked: "storekit")
    let packages = products.map { CatalogOffering.Package(id: $0.code.text, product: $0.code) }
    return try Catalog(
      currencies: lender.currencies, products: products,
      offerings: [CatalogOffering(id: id, description: "Products of the StoreKit file", packages: packages)],
      currentOffering: id, items: lender.items, settings: lender.settings)
  }

  private var store: Store { invocation.parsed.value("--store").flatMap(Store.init(name:)) ?? .apple }

  private func catalog() throws(LedgerError) -> Catalog {
    guard let path = invocation.parsed.positionals.first else { return try BuiltInCatalog.load() }
    return try Catalog.loadFile(try FileAccess.read(path))
  }
}

// MARK: Answering

extension InitCommand {
  private func json(_ start: Start, _ state: Home.State) -> JSONValue {
    var object: JSONObject = [
      "home": .string(invocation.home.path), "customer_id": .string(state.customer.text),
    ]
    object.members += CatalogCounts(start.catalog).json.members
    object["notes"] = .array(start.notes.map(JSONValue.string))
    return .object(object)
  }

  private func text(_ start: Start, _ state: Home.State, style: Style) -> String {
    let notes = start.notes.map { "note: \(SafeText.escaped($0))\n" }.joined()
    let next =
      if !start.catalog.offerings.isEmpty {
        "gemctl offerings"
      } else if let product = start.catalog.products.first(where: \.isActive) {
        "gemctl buy \(product.code)"
      } else {
        "gemctl catalog show"
      }
    return """
      Made the home \(style.bold(SafeText.escaped(invocation.home.path))) with \(CatalogCounts(start.catalog).text).
      Signed in as \(state.customer), a new anonymous customer.
      \(notes)Next: \(next)

      """
  }
}
