/// Reads the objects of a `.storekit` file, and notes unknown ones.
struct StoreKitReader {
  /// The newest major version with a known shape.
  private static let versionMax: Int64 = 5

  private var notes: [String] = []
  private var unknownKeys: Set<ByteString> = []
  private var storefront = StorefrontCode.unitedStates

  mutating func configuration(_ field: CatalogField) -> StoreKitConfiguration? {
    guard let fields = object(field, StoreKitKeys.configuration) else { return nil }
    readVersion(fields)
    let settings = fields.optional("settings") { object($0, StoreKitKeys.settings) }
    let storefront = settings?.optional("_storefront") { $0.caption() }
    let locale = settings?.optional("_locale") { $0.caption() }
    if let storefront { choose(storefront, fields) }
    let switches = settings.map { self.switches($0) } ?? StoreKitConfiguration.Switches()
    let products = products(fields)
    if !products.isEmpty {
      notes.append("The file says nothing about what its products give: add grants with a catalog.")
    }
    return StoreKitConfiguration(
      products: products, notes: notes, storefront: storefront, locale: locale, switches: switches)
  }

  private mutating func switches(_ settings: CatalogFields) -> StoreKitConfiguration.Switches {
    func isOn(_ name: String) -> Bool { settings.optional(name, default: false) { $0.bool() } }
    var switches = StoreKitConfiguration.Switches()
    switches.askToBuyEnabled = isOn("_askToBuyEnabled")
    switches.interruptedPurchasesEnabled = isOn("_billingIssuesEnabled")
    switches.disableDialogs = settings.optional("_disableDialogs") { $0.bool() }
    switches.failTransactionsEnabled = isOn("_failTransactionsEnabled")
    switches.billingGracePeriodIsEnabled = isOn("_billingGracePeriodEnabled")
    switches.shouldEnterBillingRetryOnRenewal = isOn("_renewalBillingIssuesEnabled")
    switches.timeRate = settings.optional("_timeRate") { $0.integer(in: 0...Int64(Int32.max)) }
    let errors = list(settings, "_storeKitErrors") { reader, field -> String? in
      guard let fields = reader.object(field, ["current", "enabled", "name"]) else { return nil }
      let isOn = fields.optional("enabled", default: false) { $0.bool() }
      return isOn ? fields.required("name") { $0.text() } : nil
    }
    for name in errors {
      note(
        "The error that the file simulates for \"\(name.abridged)\" is left out: its number means nothing outside of "
          + "Xcode.")
    }
    return switches
  }

  private mutating func readVersion(_ fields: CatalogFields) {
    let version = fields.required("version") { object($0, ["major", "minor"]) }
    let major = version?.required("major") { $0.integer(in: 1...Int64(Int32.max)) }
    guard let major, major > Self.versionMax else { return }
    notes.append("The file's version is \(major), newer than \(Self.versionMax): what is new in it is left out.")
  }

  private mutating func choose(_ text: String, _ fields: CatalogFields) {
    if let code = StorefrontCode(exactly: text) {
      storefront = code
    } else {
      fields.check.add(fields.path / "settings" / "_storefront", "There is no storefront \"\(text.abridged)\".")
    }
  }

  private mutating func products(_ fields: CatalogFields) -> [Product] {
    var products = list(fields, "products") { $0.product($1, StoreKitKeys.product) }
    products += list(fields, "nonRenewingSubscriptions") { $0.product($1, StoreKitKeys.product) }
    let groups = list(fields, "subscriptionGroups") { reader, field -> [Product]? in
      guard let group = reader.object(field, StoreKitKeys.subscriptionGroup) else { return nil }
      return reader.list(group, "subscriptions") { $0.product($1, StoreKitKeys.subscription) }
    }
    return products + groups.flatMap { $0 }
  }

  private mutating func list<Element>(
    _ fields: CatalogFields, _ name: String, _ read: (inout StoreKitReader, CatalogField) -> Element?
  ) -> [Element] {
    let elements = fields.optional(name) { field in
      field.list(max: Limits.productsPerCatalog) { read(&self, $0) }
    }
    return elements ?? []
  }
}

extension StoreKitReader {
  private mutating func product(_ field: CatalogField, _ known: Set<String>) -> Product? {
    guard let fields = object(field, known) else { return nil }
    let code = fields.required("productID", Self.declaredCode)
    let type = fields.required("type", Self.type)
    let price = fields.required("displayPrice") { [storefront] in $0.price(in: storefront.currency) }
    let localizations = localizations(fields)
    let period = fields.optional("recurringSubscriptionPeriod") { $0.period() }
    guard let code, let type, let price else { return nil }
    return Product(
      code: code, storeIDs: ["apple": code.text], type: type, localizations: localizations,
      prices: [storefront: price], period: type.isSubscription ? period : nil)
  }

  private static func declaredCode(_ field: CatalogField) -> ProductCode? {
    guard let code = field.identifier(ProductCode.self) else { return nil }
    field.check.declare(.product, code.text, at: field.path)
    return code
  }

  private static func type(_ field: CatalogField) -> ProductType? {
    guard let text = field.value.text else { return field.refuseType("a text") }
    switch text {
    case "Consumable": return .consumable
    case "NonConsumable": return .nonConsumable
    case "NonRenewingSubscription": return .nonRenewingSubscription
    case "RecurringSubscription": return .autoRenewableSubscription
    default: return field.refuse("There is no product type \"\(text.abridged)\".")
    }
  }

  /// Xcode makes products with an empty localization; one without a name is as good as none.
  private mutating func localizations(_ fields: CatalogFields) -> [Localization] {
    let localizations = list(fields, "localizations") { reader, field -> Localization? in
      guard let fields = reader.object(field, StoreKitKeys.localization) else { return nil }
      let locale = fields.required("locale") { $0.locale() }
      let title = fields.required("displayName") { $0.text() }
      let description = fields.optional("description", default: "") { $0.text() }
      guard let locale, let title else { return nil }
      guard !title.isEmpty else {
        reader.note("The localization at \(field.path) has no name, and is left out.")
        return nil
      }
      return Localization(locale: locale, title: title, description: description)
    }
    return firstOfEachLocale(localizations, fields.path)
  }

  private mutating func firstOfEachLocale(_ localizations: [Localization], _ path: JSONPath) -> [Localization] {
    var locales: Set<String> = []
    return localizations.filter { localization in
      guard !locales.insert(localization.locale).inserted else { return true }
      note("The product at \(path) has two localizations for \(localization.locale); the first is taken.")
      return false
    }
  }

  private mutating func note(_ text: String) { notes.append(text) }

  /// The object's fields; every name that is not known is noted once.
  private mutating func object(_ field: CatalogField, _ known: Set<String>) -> CatalogFields? {
    guard let object = field.value.object else { return field.refuseType("an object") }
    for (name, _) in object.members where !known.contains(name) {
      guard unknownKeys.insert(ByteString(name)).inserted else { continue }
      notes.append("The key \"\(name.abridged)\" is not known, and left out (first at \(field.path / name)).")
    }
    return CatalogFields(object: object, path: field.path, check: field.check)
  }
}
