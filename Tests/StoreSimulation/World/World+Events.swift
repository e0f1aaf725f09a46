internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

extension World {
  /// Plays one event with its injected fault; afterwards the faults are off again.
  func play(_ event: SimulationEvent) async throws(LedgerError) {
    eventCounts[event.kind, default: 0] += 1
    playedCount += 1
    let app = apps[event.device]
    let isOut = event.index < outageEnd
    if isOut { faulty.fail(with: .networkLostBeforeEffect, .always) }
    try layOut(event.injectedFault, for: app)
    try await perform(event, app)
    if event.injectedFault != nil {
      faulty.heal()
      for floor in drivers { try floor.clearFaults() }
      if isOut { faulty.fail(with: .networkLostBeforeEffect, .always) }
    }
    try await app.reviveIfDead()
    if isOut { faulty.heal() }
  }

  private func layOut(_ injectedFault: InjectedFault?, for app: App) throws(LedgerError) {
    guard let injectedFault else { return }
    faultCounts[injectedFault.name, default: 0] += 1
    switch injectedFault.kind {
    case .death(let number): app.life.end(atCrossing: number)
    case .backend(let fault, let call, _):
      // A final refusal is injected for receipts only: only their refusal has a lasting effect.
      faulty.fail(fault == .refused(.productNotFound) ? .post : nil, with: fault, .call(call))
    case .store(let effect, .notices, let call):
      // Stores send notices independent of the app in use.
      for floor in drivers { try floor.inject(StoreFault(effect, on: .notices, .nth(call))) }
    case .store(let effect, let api, let call):
      try app.floor.inject(StoreFault(effect, on: api, .nth(call), account: app.account))
    }
  }

  private func perform(_ event: SimulationEvent, _ app: App) async throws(LedgerError) {
    switch event.kind {
    case .purchase, .cancel, .askToBuy, .subscribe, .foreground, .relaunch, .reinstall:
      try await performInApp(event, app)
    case .logIn, .logOut, .identify, .alias, .restore: try await performIdentity(event, app)
    case .approve, .decline, .buyElsewhere, .redeliver, .duplicate, .refund, .reverseRefund, .offerCode,
      .familyShare:
      try await performAtStore(event, app)
    case .priceChange: try changePrice(event)
    case .catalogGap: try changeCatalog(event)
    case .maintenance: try await maintain()
    case .notices:
      try collectNotices()
      await deliverNotices(event.choice)
    case .spend, .retrySpend, .grant, .spendTickets: try await performSpend(event, app)
    case .advance: clock.advance(by: .seconds(1 + Int64(event.choice % 1800)))
    case .advanceDays: clock.advance(by: .seconds(86_400 * (1 + Int64(event.choice % 4))))
    case .outage: outageEnd = event.index + 1 + Int(event.choice % 40)
    }
  }

  /// Runs a body that may be refused or fail; records only errors that must never happen.
  func attempt<Answer>(_ body: () async throws(LedgerError) -> Answer) async {
    do throws(LedgerError) { _ = try await body() } catch {
      let isOrdered = error.message.hasPrefix("The backend was set to fail")
      guard error.code == .unexpected, !isOrdered else { return }
      recorder.read { $0.complain("Something failed that must not: \(error)") }
    }
  }
}

// MARK: In the app

extension World {
  private func performInApp(_ event: SimulationEvent, _ app: App) async throws(LedgerError) {
    switch event.kind {
    case .foreground: return try await app.foreground()
    case .relaunch: return try await app.relaunch()
    case .reinstall where event.choice & 1 == 0: return try handOn(app, event)
    case .reinstall: return try await app.reinstall()
    default: break
    }
    try await app.pump()
    let effect: StoreFault.Effect? =
      switch event.kind {
      case .cancel: .cancel
      case .askToBuy: .askToBuy
      default: nil
      }
    if let effect { try app.floor.inject(StoreFault(effect, on: .purchase, .once, account: app.account)) }
    let isOnce = event.kind == .subscribe
    let subscribes = event.choice & 1 == 0
    let product =
      isOnce ? (subscribes ? SimulationCatalog.subscription : SimulationCatalog.nonConsumable) : consumable(event)
    let quantity = isOnce || event.choice >> 16 & 3 != 0 ? 1 : 1 + Int64(event.choice >> 24 & 3)
    let client = try app.client()
    await attempt { () async throws(LedgerError) in
      try await client.purchase(ProductCode(unchecked: product), quantity: quantity)
    }
    if effect != nil { try app.floor.clearFaults() }
    if event.kind == .askToBuy, let id = app.floor.newestPending(), !pending.contains(where: { $0.id == id }) {
      pending.append((drivers.firstIndex { $0.store == app.floor.store } ?? 0, id))
    }
  }

  private func performIdentity(_ event: SimulationEvent, _ app: App) async throws(LedgerError) {
    try await app.pump()
    let client = try app.client()
    let name = user(event)
    await attempt { () async throws(LedgerError) in
      switch event.kind {
      case .logIn: _ = try await client.logIn(name)
      case .logOut: _ = try await client.logOut()
      case .identify: _ = try await client.identify(name)
      case .alias: _ = try await client.createAlias(event.choice >> 32 & 3 == 0 ? name : "alias-\(event.index)")
      default: _ = try await client.restorePurchases()
      }
    }
  }

  /// Returns a customer of this part of the run: names change over time, so that not all customers are merged.
  private func user(_ event: SimulationEvent) -> String {
    "user-\(event.index / 25 + Int(event.choice % UInt64(settings.customerCount)))"
  }

  private func performSpend(_ event: SimulationEvent, _ app: App) async throws(LedgerError) {
    let customer = try app.client().customerID
    let amount = 1 + Int64(event.choice % 400)
    let key = IdempotencyKey(unchecked: "soak-\(event.index)")
    switch event.kind {
    case .spend:
      let currency = event.choice >> 32 & 3 == 0 ? wares.coin : wares.gem
      await spend(Spend(amounts: [Adjustment(currency, amount)], customer: customer, key: key), app)
    case .spendTickets:
      await spend(Spend(amounts: [Adjustment(wares.ticket, 1 + amount % 20)], customer: customer, key: key), app)
    case .retrySpend:
      guard !openSpends.isEmpty else { return }
      await spend(openSpends.removeFirst(), app)
    default:
      let until = now.later(byMilliseconds: 3_600_000 * (1 + Int64(event.choice >> 16 % 72)))
      try await ledger.book(
        .grant([Adjustment(wares.ticket, amount)], customer: customer, key: key, source: .promotional, expiresAt: until)
      )
      recorder.read { $0.gave(amount, to: customer, until: until) }
    }
  }

  private func spend(_ spend: Spend, _ app: App) async {
    let backend = CrashingBackend(faulty, life: app.life)
    do throws(LedgerError) {
      _ = try await backend.spend(spend.amounts, customer: spend.customer, key: spend.key)
    } catch {
      // A network error or a gate leaves it open whether the spend was booked; the ledger's errors do not.
      if error.code != .insufficientBalance, error.code != .customerNotFound { openSpends.append(spend) }
    }
  }
}

// MARK: At the store

extension World {
  private func performAtStore(_ event: SimulationEvent, _ app: App) async throws(LedgerError) {
    let floor = drivers[Int(event.choice >> 48) % drivers.count]
    switch event.kind {
    case .approve, .decline:
      guard !pending.isEmpty else { return }
      let (position, id) = pending.remove(at: Int(event.choice % UInt64(pending.count)))
      await attempt { () async throws(LedgerError) in
        if event.kind == .approve { try drivers[position].approve(id) } else { try drivers[position].decline(id) }
      }
    case .buyElsewhere:
      let known = try app.client().customerID
      let token = AccountToken(of: event.choice >> 16 & 1 == 0 ? known : CustomerID(unchecked: user(event)))
      try app.floor.buyElsewhere(consumable(event), account: app.account, token: token)
    case .offerCode:
      let isSubscription = event.choice >> 24 & 7 == 0 && app.floor.store == .apple
      let product = isSubscription ? SimulationCatalog.subscription : consumable(event)
      let name = app.deviceName
      await attempt { () async throws(LedgerError) in
        try await app.floor.redeem(product, account: app.account, device: name, choice: event.choice >> 8)
      }
    case .familyShare:
      let kept = floor.facts().filter { $0.isPaid && $0.transaction.productType != .consumable }
      guard !kept.isEmpty else { return }
      let id = kept[Int((event.choice >> 8) % UInt64(kept.count))].transaction.id
      let relatives = apps.filter { $0.floor.store == floor.store }
      let relative = relatives[Int(event.choice % UInt64(relatives.count))]
      await attempt { () async throws(LedgerError) in try floor.share(id, with: relative.account) }
    case .duplicate:
      guard let id = floor.paid.one(event.choice), let transaction = floor.transaction(id) else { return }
      let post = ReceiptPost(
        receipt: floor.receipts.receipt(for: transaction), customer: CustomerID(unchecked: user(event)), source: .sweep)
      await attempt { () async throws(LedgerError) in try await recorder.post(post) }
    default:
      guard let id = floor.paid.one(event.choice) else { return }
      await attempt { () async throws(LedgerError) in
        switch event.kind {
        case .redeliver: try floor.redeliver(id)
        case .refund: try floor.refund(id, choice: event.choice >> 4)
        default: try floor.reverseRefund(id)
        }
      }
    }
  }

  func consumable(_ event: SimulationEvent) -> String {
    SimulationCatalog.consumables[Int(event.choice % UInt64(SimulationCatalog.consumables.count))]
  }

  /// Takes the stores' notices.
  func collectNotices() throws(LedgerError) {
    for floor in drivers {
      while true {
        let taken = try floor.takeNotices()
        if taken.isEmpty { break }
        mail += taken
      }
    }
  }

  /// Delivers notices to the backend: in order, in reverse, twice, or half of them later.
  func deliverNotices(_ choice: UInt64) async {
    var delivered: [StoreTransaction]
    switch choice % 5 {
    case 0:
      delivered = mail.reversed()
      mail = []
    case 1:
      delivered = mail + mail
      mail = []
    case 2:
      // The newer half is delivered before the older half.
      delivered = Array(mail[(mail.count / 2)...])
      mail = Array(mail[..<(mail.count / 2)])
    default:
      delivered = mail
      mail = []
    }
    for transaction in delivered {
      await attempt { () async throws(LedgerError) in
        try await recorder.apply(transaction.spoiled(by: bug))
      }
    }
  }
}

extension StoreTransaction {
  /// Whether it is a subscription period that no list shows once the next period begins.
  var isRenewalAtGoogle: Bool { store == .google && reason == .renewal }

  /// The transaction as a backend with the bug reads it.
  func spoiled(by bug: Simulation.PlantedBug?) -> StoreTransaction {
    var transaction = self
    switch bug {
    case .mergeRenewals:
      // As if all renewals shared one order id.
      transaction.orderID = orderID.flatMap { $0.split(separator: "..", maxSplits: 1).first.map(String.init) }
    case .chargeForOffers where isFree:
      transaction.offer = nil
      transaction.ownership = .purchased
      transaction.price = Money(minorUnits: 999, currency: "USD")
    default: break
    }
    return transaction
  }
}

extension Timestamp {
  func later(byMilliseconds step: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds + step) }
}
