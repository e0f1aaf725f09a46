import GemLedger
import SimulatedStores

/// `store settings`: how the simulated store of a home behaves.
struct StoreSettingsCommand {
  let invocation: Invocation

  func run() throws {
    let change = try change()
    let home = try invocation.clientHome()
    let shown = try invocation.withClient { (session) throws(LedgerError) in
      if let change {
        guard StoreSetting.all(of: session.store.store).contains(change.setting) else {
          throw LedgerError(
            .notAvailable, "The Google-Play-like store has no setting \"\(change.setting.rawValue)\".")
        }
        try change.body(session.store)
        try Self.keep(session.store, in: home)
      }
      return StoreSetting.all(of: session.store.store).map {
        (setting: $0, text: $0.text(session.store), json: $0.json(session.store))
      }
    }
    let json = JSONObject(shown.map { ($0.setting.jsonName, $0.json) })
    try invocation.print(["settings": .object(json)]) {
      shown.table([.left("SETTING", \.setting.rawValue), .left("VALUE", \.text)]).text(style: $0)
    }
  }

  /// Saves storefront and locale in the home's file too, for verbs without a client.
  private static func keep(_ shop: any LocalShop, in home: Home?) throws(LedgerError) {
    guard let home else { return }
    var state = try home.state()
    guard state.storefront != shop.controls.storefront || state.locale != shop.controls.locale else { return }
    state.storefront = shop.controls.storefront
    state.locale = shop.controls.locale
    try home.save(state)
  }

  private func change() throws -> (
    setting: StoreSetting, body: @Sendable (any LocalShop) throws(LedgerError) -> Void
  )? {
    let words = invocation.parsed.positionals
    guard let name = words.first, let setting = StoreSetting(rawValue: name) else { return nil }
    guard words.count > 1 else {
      throw invocation.usageError("\(name) takes \(setting.values)")
    }
    guard let body = setting.change(to: words[1]) else {
      throw invocation.usageError("\(name) takes \(setting.values); got \(words[1].quotedForPeople)")
    }
    return (setting, body)
  }
}
