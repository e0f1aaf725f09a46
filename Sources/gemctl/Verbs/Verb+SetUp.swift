extension Verb {
  /// Homes and catalogs.
  static let setUp = [initialize, catalogShow, catalogCheck, catalogApply, offerings]

  private static let initialize = Verb(
    name: "init", group: .setUp, summary: "Create a home with a ledger and a catalog",
    arguments: [
      Argument("CATALOG.json", arity: .optional, kind: .file, help: "First catalog (default: a catalog of gem packs)")
    ],
    options: [
      Option(
        "--storekit", "FILE", kind: .file,
        help: "Import products, prices and test settings from an Xcode StoreKit configuration file"),
      Option(
        "--store", "STORE", kind: .oneOf(["apple", "google"]),
        help: "Store to simulate: apple or google (default: apple)"),
      Option("--join", help: "Use the existing ledger of --storage instead of creating a ledger"),
    ],
    examples: [
      "gemctl init", "gemctl init catalog.json", "gemctl --home shop init --storekit Gems.storekit",
      "gemctl --storage postgres://gem@db/shop init --join",
    ],
    discussion: """
      The home holds an empty ledger, a simulated store and an anonymous customer. If the home or the ledger of \
      --storage exists, the verb fails with already_exists; --join makes a home for an existing ledger, for example \
      on another host.

      A StoreKit file also sets the storefront, the locale and the test settings; see "store settings". Notes name \
      the parts of the file that have no effect.

      If the verb fails, nothing is left. If it is killed, run it again: it completes the home.
      """
  ) { try InitCommand(invocation: $0).run() }

  private static let catalogShow = Verb(
    name: "catalog show", group: .setUp, summary: "Show the current catalog",
    examples: ["gemctl catalog show", "gemctl catalog show --json > catalog.json"],
    discussion: "With --json the output is a catalog file for \"catalog apply\"."
  ) { try CatalogCommands(invocation: $0).show() }

  private static let catalogCheck = Verb(
    name: "catalog check", group: .setUp, summary: "Check a catalog file and list every problem in it",
    arguments: [Argument("FILE", kind: .file, help: "Catalog file")],
    examples: ["gemctl catalog check catalog.json"],
    discussion: """
      Needs no home. It also lists the products that a store would omit, with the reason: no id at that store, no \
      localization or no price.
      """
  ) { try CatalogCommands(invocation: $0).check() }

  private static let catalogApply = Verb(
    name: "catalog apply", group: .setUp, summary: "Apply a catalog file",
    arguments: [Argument("FILE", kind: .file, help: "Catalog file")],
    options: [.dryRun],
    examples: ["gemctl catalog apply catalog.json --dry-run", "gemctl catalog apply catalog.json"],
    discussion: "The new catalog applies to later purchases only. It also credits held purchases of its new products."
  ) { try CatalogCommands(invocation: $0).apply() }

  private static let offerings = Verb(
    name: "offerings", group: .setUp, summary: "Show the offerings with their prices",
    arguments: [
      Argument(
        "ID", arity: .optional, kind: .name(.offerings),
        help: "Offering (default: all, the current offering marked)")
    ],
    options: [
      Option("--storefront", "COUNTRY", help: "Country of the prices, three letters (default: from the home)"),
      Option("--locale", "LOCALE", help: "Language of the titles (default: from the home)"),
      Option(
        "--store", "STORE", kind: .oneOf(["apple", "google"]),
        help: "Store of the products: apple or google (default: from the home)"),
    ],
    examples: ["gemctl offerings", "gemctl offerings gems --storefront JPN --locale ja_JP"]
  ) { try OfferingsCommand(invocation: $0).run() }
}
