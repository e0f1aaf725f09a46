/// Reads the objects of a `.storekit` file, and notes unknown keys.
struct StoreKitReader {
  /// The newest supported major version.
  private static let versionMax: Int64 = 5

  var notes = StoreKitNotes()
  private var unknownKeys: Set<ByteString> = []
  private(set) var storefront = StorefrontCode.unitedStates
  private(set) var locale: String?
  /// The locales in which a product has a title that is not its display name.
  var assumedTitles: [ProductCode: Set<String>] = [:]
  private var subscriptionGroups: [ProductCode: String] = [:]

  mutating func configuration(_ field: CatalogField) -> StoreKitConfiguration? {
    guard let fields = object(field, StoreKitKeys.configuration) else { return nil }
    readVersion(fields)
    let settings = fields.optional("settings") { object($0, StoreKitKeys.settings) }
    let storefront = settings?.optional("_storefront") { try $0.caption() }
    locale = settings?.optional("_locale") { try $0.shortText() }.flatMap { language($0) }
    if let storefront { choose(storefront, fields) }
    let switches = settings.map { self.switches($0) } ?? StoreKitConfiguration.Switches()
    let products = products(fields)
    if !products.isEmpty {
      notes.add("The file has no grants for its products: add them with a catalog.")
    }
    return StoreKitConfiguration(
      products: products, notes: notes.sentences, storefront: storefront, locale: locale, switches: switches,
      subscriptionGroups: subscriptionGroups, assumedTitles: assumedTitles)
  }

  private mutating func switches(_ settings: CatalogField) -> StoreKitConfiguration.Switches {
    func isOn(_ name: String) -> Bool { settings.optional(name) { try $0.bool() } ?? false }
    var switches = StoreKitConfiguration.Switches()
    switches.askToBuyEnabled = isOn("_askToBuyEnabled")
    switches.interruptedPurchasesEnabled = isOn("_billingIssuesEnabled")
    switches.disableDialogs = settings.optional("_disableDialogs") { try $0.bool() }
    switches.failTransactionsEnabled = isOn("_failTransactionsEnabled")
    switches.billingGracePeriodIsEnabled = isOn("_billingGracePeriodEnabled")
    switches.shouldEnterBillingRetryOnRenewal = isOn("_renewalBillingIssuesEnabled")
    switches.timeRate = timeRate(settings)
    switches.failingCalls = failingCalls(settings)
    return switches
  }

  private mutating func timeRate(_ settings: CatalogField) -> Int64? {
    let rate = settings.optional("_timeRate") { try $0.integer(in: 0...Int64(Int32.max)) }
    if let rate, !StoreKitKeys.timeRates.contains(rate) {
      notes.add("The time rate \(rate) is not known: subscriptions run in real time.")
    }
    return rate
  }

  private mutating func failingCalls(_ settings: CatalogField) -> [String] {
    let names = list(settings, "_storeKitErrors") { reader, field -> String? in
      guard let fields = reader.object(field, ["current", "enabled", "name"]) else { return nil }
      let isOn = fields.optional("enabled") { try $0.bool() } ?? false
      return isOn ? fields.required("name") { try $0.shortText() } : nil
    }
    return names.filter { name in
      guard StoreKitKeys.calls.contains(name) else {
        notes.add("The error that the file simulates for \"\(name.abridged)\" is left out: there is no such call.")
        return false
      }
      notes.add("\(name) fails with an unknown error: the number of its error means nothing outside of Xcode.")
      return true
    }
  }

  private mutating func readVersion(_ fields: CatalogField) {
    let version = fields.required("version") { object($0, ["major", "minor"]) }
    let major = version?.required("major") { try $0.integer(in: 1...Int64(Int32.max)) }
    guard let major, major > Self.versionMax else { return }
    notes.add("The file's version is \(major), newer than \(Self.versionMax): its new parts are left out.")
  }

  private mutating func choose(_ text: String, _ fields: CatalogField) {
    if let code = StorefrontCode(exactly: text) {
      storefront = code
    } else {
      fields.context.add(fields.path / "settings" / "_storefront", "There is no storefront \"\(text.abridged)\".")
    }
  }

  private mutating func language(_ text: String) -> String? {
    if Localization.isLocale(text) { return text }
    notes.add("The file's locale \"\(text.abridged)\" is invalid: products are listed in en_US.")
    return nil
  }
}

extension StoreKitReader {
  private mutating func products(_ fields: CatalogField) -> [Product] {
    var products = list(fields, "products") { $0.product($1, StoreKitKeys.product) }
    products += list(fields, "nonRenewingSubscriptions") { $0.product($1, StoreKitKeys.product) }
    let groups = list(fields, "subscriptionGroups") { reader, field -> [Product]? in
      guard let group = reader.object(field, StoreKitKeys.subscriptionGroup) else { return nil }
      let members = reader.list(group, "subscriptions") { $0.product($1, StoreKitKeys.subscription) }
      let id = group.optional("id") { try $0.shortText() }
      for member in members { reader.subscriptionGroups[member.code] = id }
      if members.count > 1 { reader.notes.add(.changesWithinAGroup, group["name"].value?.text ?? "") }
      return members
    }
    return products + groups.flatMap { $0 }
  }

  mutating func list<Element>(
    _ fields: CatalogField, _ name: String, _ read: (inout StoreKitReader, CatalogField) -> Element?
  ) -> [Element] {
    let elements = fields.optional(name) { field in
      field.list(max: Limits.productsPerCatalog) { read(&self, $0) }
    }
    return elements ?? []
  }

  /// Returns the object's fields; each unknown key is noted once.
  mutating func object(_ field: CatalogField, _ known: Set<String>) -> CatalogField? {
    guard let members = field.members({ name, _ in name }) else { return nil }
    for name in members where !known.contains(name) {
      guard unknownKeys.insert(ByteString(name)).inserted else { continue }
      notes.add("The key \"\(name.abridged)\" is not known, and left out (first at \(field.path / name)).")
    }
    return field
  }
}
