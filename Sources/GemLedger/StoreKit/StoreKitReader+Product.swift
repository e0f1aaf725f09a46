/// One product of a `.storekit` file.
extension StoreKitReader {
  mutating func product(_ field: CatalogField, _ known: Set<String>) -> Product? {
    guard let fields = object(field, known) else { return nil }
    let code = fields.required("productID", Self.declaredCode)
    let type = fields.required("type", Self.type)
    let price = price(fields, of: code)
    let reference = fields.optional("referenceName") { try $0.shortText() } ?? ""
    let localizations = localizations(fields, of: code, named: reference)
    let period = fields.optional("recurringSubscriptionPeriod") { try $0.period() }
    guard let code, let type else { return nil }
    if type == .autoRenewableSubscription, period == nil { notes.add(.withoutPeriod, code.text) }
    noteOmissions(fields, of: code)
    return Product(
      code: code, storeIDs: ["apple": code.text], type: type, localizations: localizations,
      prices: price.map { [storefront: $0] } ?? [:], period: type.isSubscription ? period : nil)
  }

  private static func declaredCode(_ field: CatalogField) throws(LedgerError) -> ProductCode? {
    let code = try field.identifier(ProductCode.self)
    field.context.declare(.product, code.text, at: field.path)
    return code
  }

  private static func type(_ field: CatalogField) throws(LedgerError) -> ProductType? {
    let text = try field.text()
    switch text {
    case "Consumable": return .consumable
    case "NonConsumable": return .nonConsumable
    case "NonRenewingSubscription": return .nonRenewingSubscription
    case "RecurringSubscription": return .autoRenewableSubscription
    default: return field.refuse("There is no product type \"\(text.abridged)\".")
    }
  }

  /// A price that is invalid in this currency makes only its product unavailable.
  ///
  /// The files have prices without a currency. Xcode's editor keeps "4.99" if the storefront changes to Japan, and
  /// files written by hand have "4,99".
  private mutating func price(_ fields: CatalogField, of code: ProductCode?) -> Price? {
    fields.required("displayPrice") { field in
      guard let text = field.value?.text else { return try field.price(in: storefront.currency) }
      do throws(LedgerError) {
        return try Price(text, in: storefront.currency)
      } catch {
        let name = code.map { "\"\($0.text.abridged)\"" } ?? "The product at \(fields.path)"
        notes.add("\(name) cannot be bought in \(storefront): \(error.message)")
        return nil
      }
    }
  }

  private mutating func noteOmissions(_ fields: CatalogField, of code: ProductCode) {
    if fields.optional("familyShareable", { try $0.bool() }) ?? false { notes.add(.familySharing, code.text) }
    if StoreKitKeys.offers.contains(where: { Self.isFilled(fields[$0]) }) { notes.add(.offers, code.text) }
    if Self.isFilled(fields["billingPlans"]) { notes.add(.billingPlans, code.text) }
  }

  private static func isFilled(_ field: CatalogField) -> Bool {
    guard let value = field.optional?.value else { return false }
    return value.array.map { !$0.isEmpty } ?? true
  }
}

// Names.
extension StoreKitReader {
  /// The texts; without a display name, the title is the reference name, or else the product's id.
  ///
  /// Xcode's editor makes products with an empty localization, and StoreKit sells them.
  private mutating func localizations(
    _ fields: CatalogField, of code: ProductCode?, named reference: String
  ) -> [Localization] {
    let stated = list(fields, "localizations") { reader, field -> Localization? in
      guard let fields = reader.object(field, StoreKitKeys.localization) else { return nil }
      let locale = fields.required("locale") { try $0.locale() }
      let title = fields.optional("displayName") { try $0.shortText() } ?? ""
      let description = fields.optional("description") { try $0.shortText() } ?? ""
      return locale.map { Localization(locale: $0, title: title, description: description) }
    }
    guard let code else { return stated }
    var texts = firstOfEachLocale(stated, fields.path)
    if texts.isEmpty { texts = [Localization(locale: locale ?? "en_US", title: "")] }
    let nameless = texts.filter(\.title.isEmpty)
    guard !nameless.isEmpty else { return texts }
    assumedTitles[code] = Set(nameless.map(\.locale))
    notes.add(reference.isEmpty ? .idsAsNames : .referenceNames, code.text)
    let name = reference.isEmpty ? code.text : reference
    return texts.map {
      $0.title.isEmpty ? Localization(locale: $0.locale, title: name, description: $0.description) : $0
    }
  }

  private mutating func firstOfEachLocale(_ localizations: [Localization], _ path: JSONPath) -> [Localization] {
    var locales: Set<String> = []
    return localizations.filter { localization in
      guard !locales.insert(localization.locale).inserted else { return true }
      notes.add("The product at \(path) has two localizations for \(localization.locale); the first is taken.")
      return false
    }
  }
}
