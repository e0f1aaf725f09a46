internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

/// Plays scenarios: with a fault, and to their ends without one.
enum Play {
  /// Plays the cell's scenario until its fault strikes, or the network that it cuts leaves nothing to do.
  static func strike(_ cell: Cell, in home: CrashHome) async throws {
    let wire = Wire(cell)
    if cell.scenario == .restart || cell.scenario == .refundWhileClosed { wire.arm() }
    let app = try await App(home, customer: CrashHome.buyer, cell.scenario, wire, cell.build)
    await app.launch()
    switch cell.scenario {
    case .purchase, .twoStep, .refundWhileClosed, .restart:
      wire.arm()
      await buy(app)
    case .approval: try await approval(app)
    case .redelivery:
      try await afterPurchase(app) { (id) throws(LedgerError) in try app.store.redeliverTransaction(identifier: id) }
    case .refund:
      try await afterPurchase(app) { (id) throws(LedgerError) in try app.store.refundTransaction(identifier: id) }
    case .catalogGap: try await buyInGap(app, home)
    case .lateNotices: try await lateNotices(app)
    case .buyWithUnfinished: try await buyWithUnfinished(app)
    }
  }

  /// Makes a purchase and dies as soon as it is paid for, as a restart finds it.
  static func crashAfterPayment(in home: CrashHome) async throws {
    let wire = Wire(Cell(.purchase, .paid, .kill))
    let app = try await App(home, customer: CrashHome.buyer, .purchase, wire)
    await app.launch()
    wire.arm()
    await buy(app)
  }

  /// A purchase that is given back once the app is closed, with a store that tells the backend nothing.
  static func refundWhileClosed(in home: CrashHome) async throws {
    let app = try await App(home, customer: CrashHome.buyer, .refundWhileClosed, Wire(nil))
    await app.launch()
    await buy(app)
    app.store.account(CrashHome.buyer).device("phone").relaunch()
    app.clock.advance(by: .seconds(60))
    for bought in app.store.allTransactions() { try app.store.refundTransaction(identifier: bought.identifier) }
    for notice in app.store.pendingNotices() { try app.store.acknowledgeNotices(through: notice.id) }
  }

  /// Buys one after the other, until the test kills the process at any instruction.
  static func buyUntilKilled(in home: CrashHome) async throws {
    let app = try await App(home, customer: CrashHome.buyer, .purchase, Wire(nil))
    await app.launch()
    while true {
      app.clock.advance(by: .seconds(60))
      let outcome = try await app.client.outcome(ofPurchasing: CrashHome.product)
      if outcome.result.customerInfo != nil { System.say("bought\n") }
    }
  }

  private static func buy(_ app: App) async {
    app.wire.pass(.intent, .before)
    // How it ended is in the files.
    _ = try? await app.client.outcome(ofPurchasing: CrashHome.product)
    await app.settle()
  }

  private static func approval(_ app: App) async throws {
    app.wire.arm()
    app.wire.paysLater = true
    app.store.askToBuyEnabled = true
    await buy(app)
    app.store.askToBuyEnabled = false
    try await approve(app)
  }

  private static func approve(_ app: App) async throws {
    guard let asked = app.store.allTransactions().first(where: { $0.state == .deferred }) else { return }
    app.clock.advance(by: .seconds(60))
    app.wire.pass(.paid, .before)
    try await app.settle { try app.store.approveAskToBuyTransaction(identifier: asked.identifier) }
  }

  private static func afterPurchase(
    _ app: App, _ act: (StoreTransactionID) throws(LedgerError) -> Void
  ) async throws {
    app.wire.armEarly()
    await buy(app)
    guard let bought = app.store.allTransactions().first(where: { $0.state == .purchased }) else { return }
    app.wire.arm()
    app.clock.advance(by: .seconds(60))
    try await app.settle { try act(bought.identifier) }
  }

  private static func buyInGap(_ app: App, _ home: CrashHome) async throws {
    let full = try home.catalog()
    try app.ledger.apply(full.without(CrashHome.product))
    app.wire.arm()
    await buy(app)
    try await fillGap(app, home)
  }

  /// The catalog gets the product, and the backend does its standing work.
  private static func fillGap(_ app: App, _ home: CrashHome) async throws {
    try app.ledger.apply(home.catalog())
    let report = try await MaintenanceRunner(backend: app.backend).runOnce()
    for failure in report.failures { throw failure.error ?? LedgerError(.unexpected, failure.name) }
    app.wire.pass(.credited, .after)
    app.clock.advance(by: .seconds(60))
    await app.settle()
  }

  private static func lateNotices(_ app: App) async throws {
    app.wire.armEarly()
    await buy(app)
    guard let bought = app.store.allTransactions().first(where: { $0.state == .purchased }) else { return }
    app.wire.arm()
    try refundAndReverse(bought.identifier, app)
    try await takeNotices(app)
  }

  private static func refundAndReverse(_ id: StoreTransactionID, _ app: App) throws {
    app.store.account(CrashHome.buyer).device("phone").relaunch()
    for step in [app.store.refundTransaction(identifier:), app.store.reverseRefund(identifier:)] {
      app.clock.advance(by: .seconds(60))
      try step(id)
    }
  }

  private static func buyWithUnfinished(_ app: App) async throws {
    app.wire.armEarly()
    app.wire.isBackendDown = true
    let first = try? await app.client.outcome(ofPurchasing: CrashHome.product)
    app.wire.isBackendDown = false
    guard first?.result == .pendingServerValidation || app.wire.hasStruck else {
      throw LedgerError(.unexpected, "The first purchase is not unfinished: \(String(describing: first))")
    }
    app.wire.arm()
    await buy(app)
  }
}

// MARK: The next start

extension Play {
  /// Starts the app again, with another customer signed in, and plays the scenario to its end.
  static func relaunch(_ scenario: Scenario, in home: CrashHome) async throws {
    let app = try await App(home, customer: CrashHome.other, scenario, Wire(nil))
    await app.launch()
    app.store.askToBuyEnabled = false
    if scenario == .catalogGap { try await fillGap(app, home) }
    try await approve(app)
    if let bought = app.store.allTransactions().first(where: { $0.state == .purchased }) {
      app.clock.advance(by: .seconds(60))
      switch scenario {
      case .redelivery:
        try await app.settle { try app.store.redeliverTransaction(identifier: bought.identifier) }
      case .refund where bought.cancelDate == nil:
        try await app.settle { try app.store.refundTransaction(identifier: bought.identifier) }
      case .lateNotices where bought.transaction.signedAt == bought.purchaseDate:
        try refundAndReverse(bought.identifier, app)
      case .purchase, .twoStep, .approval, .refund, .refundWhileClosed, .buyWithUnfinished, .restart, .catalogGap,
        .lateNotices:
        break
      }
    }
    try await takeNotices(app)
  }

  /// Applies the store's own notices late, the newest first; they are settled only after their bookings.
  private static func takeNotices(_ app: App) async throws {
    let notices = app.store.pendingNotices()
    for notice in notices.reversed() {
      app.wire.pass(.noticed, .before)
      guard !app.wire.isDown else { return }
      switch notice.notice {
      case .refunded(let evidence), .refundReversed(let evidence): try await app.backend.apply(evidence.transaction)
      default: break
      }
      app.wire.pass(.noticed, .after)
    }
    guard let last = notices.last, !app.wire.isDown else { return }
    try app.store.acknowledgeNotices(through: last.id)
  }
}

extension Catalog {
  /// The same without a product, and without the packages that hold it.
  fileprivate func without(_ code: String) throws -> Catalog {
    let left = products.filter { $0.code.text != code }
    return try Catalog(
      currencies: currencies, products: left,
      offerings: offerings.map { offering in
        CatalogOffering(
          id: offering.id, description: offering.description, metadata: offering.metadata,
          packages: offering.packages.filter { $0.product.text != code })
      }, currentOffering: currentOffering, items: items, settings: settings)
  }
}
