extension Verb {
  /// Homes and catalogs.
  static let setUp = [initialize, catalogShow, catalogCheck, catalogApply, offerings]

  private static let initialize = Verb(
    name: "init", group: .setUp, summary: "Make a home with a ledger and a catalog",
    arguments: [
      Argument(
        name: "CATALOG.json", arity: .optional, kind: .file, help: "The catalog to start with (default: gem packs)")
    ],
    options: [
      Option(
        name: "--storekit", value: "FILE", kind: .file,
        help: "Take products, prices and test switches from an Xcode StoreKit configuration file"),
      Option(
        name: "--store", value: "STORE", kind: .oneOf(["apple", "google"]),
        help: "Which store the simulated one behaves as: apple or google (default: apple)"),
      Option(name: "--join", help: "Use the ledger that --storage names, with its catalog, instead of making one"),
    ],
    examples: [
      "gemctl init", "gemctl init catalog.json", "gemctl --home shop init --storekit Gems.storekit",
      "gemctl --home play init --store google", "gemctl --storage postgres://gem@db/shop init --join",
    ],
    discussion: """
      Makes the home and in it an empty ledger, a simulated store and an anonymous customer. The home may be there \
      already if it is empty; one that is in use is left alone and the verb fails with already_exists, as it does \
      where --storage names a ledger that is there. On a further host --join makes a home for that ledger.

      A StoreKit file also brings its storefront, its locale, and what it switches on for tests: Ask to Buy, failing \
      and interrupted purchases, the grace period, billing retry and the time rate. "store settings" shows and changes \
      them. Notes name the parts of the file that have no meaning here.

      The home is there when everything in it is, and not before. If the verb was killed on the way, run it again: it \
      goes on with what is there. If it fails, it leaves nothing behind.
      """
  ) { try InitCommand(invocation: $0).run() }

  private static let catalogShow = Verb(
    name: "catalog show", group: .setUp, summary: "Show the catalog in force",
    examples: ["gemctl catalog show", "gemctl catalog show --json > catalog.json"],
    discussion: "With --json it prints the catalog in the form that \"catalog apply\" reads."
  ) { try CatalogCommands(invocation: $0).show() }

  private static let catalogCheck = Verb(
    name: "catalog check", group: .setUp, summary: "Check a catalog file and list every problem in it",
    arguments: [Argument(name: "FILE", kind: .file, help: "The catalog to check")],
    examples: ["gemctl catalog check catalog.json"],
    discussion: """
      Needs no home. Also says which products a store would leave out of its list, and why: no id at that store, no \
      localization, no price.
      """
  ) { try CatalogCommands(invocation: $0).check() }

  private static let catalogApply = Verb(
    name: "catalog apply", group: .setUp, summary: "Put a catalog into force",
    arguments: [Argument(name: "FILE", kind: .file, help: "The catalog to apply")],
    options: [.dryRun],
    examples: ["gemctl catalog apply catalog.json --dry-run", "gemctl catalog apply catalog.json"],
    discussion: "What was sold before keeps the terms it was sold on; only later purchases see the new catalog."
  ) { try CatalogCommands(invocation: $0).apply() }

  private static let offerings = Verb(
    name: "offerings", group: .setUp, summary: "Show what the shop window offers, with prices",
    arguments: [
      Argument(
        name: "ID", arity: .optional, kind: .name(.offerings),
        help: "One offering (default: all; the current one is marked)")
    ],
    options: [
      Option(
        name: "--storefront", value: "COUNTRY", help: "Country of the prices, three letters (default: the home's)"),
      Option(name: "--locale", value: "LOCALE", help: "Language of the titles (default: the home's)"),
      Option(
        name: "--store", value: "STORE", kind: .oneOf(["apple", "google"]),
        help: "Whose products: apple or google (default: the home's store)"),
    ],
    examples: ["gemctl offerings", "gemctl offerings gems --storefront JPN --locale ja_JP"]
  ) { try OfferingsCommand(invocation: $0).run() }
}
