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
    try await approve(app)
    if let bought = app.store.allTransactions().first(where: { $0.state == .purchased }) {
      app.clock.advance(by: .seconds(60))
      switch scenario {
      case .redelivery:
        try await app.settle { try app.store.redeliverTransaction(identifier: bought.identifier) }
      case .refund where bought.cancelDate == nil:
        try await app.settle { try app.store.refundTransaction(identifier: bought.identifier) }
      case .purchase, .twoStep, .approval, .refund, .refundWhileClosed, .buyWithUnfinished, .restart: break
      }
    }
    try await takeNotices(app)
  }

  /// Applies the store's own notices late; each is settled only after its booking.
  private static func takeNotices(_ app: App) async throws {
    for notice in app.store.pendingNotices() {
      if case .refunded(let evidence) = notice.notice { try await app.backend.apply(evidence.transaction) }
      try app.store.acknowledgeNotices(through: notice.id)
    }
  }
}
