extension Verb {
  /// Homes and catalogs.
  static let setUp = [initialize, catalogShow, catalogCheck, catalogApply, catalogHistory, offerings]

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
    name: "catalog show", group: .setUp, summary: "Show the current catalog and its version",
    options: [Option("--with-version", help: "With --json, print the version too")],
    examples: ["gemctl catalog show", "gemctl catalog show --json --with-version > catalog.json"],
    discussion: """
      With --json the output is a catalog file for "catalog apply". A file with the version is applied only if the \
      catalog still has this version.
      """
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
    options: [
      Option(
        "--if-version", "N", help: "Apply only if the catalog has version N (default: the file's version, if any)"),
      Option("--reason", "TEXT", help: "Reason for the catalog's history"), .dryRun,
    ],
    examples: [
      "gemctl catalog apply catalog.json --dry-run",
      "gemctl catalog apply catalog.json --if-version 3 --reason \"Summer prices\"",
    ],
    discussion: """
      The new catalog applies to later purchases only. It also credits held purchases of its new products. If the \
      catalog has another version than N, nothing is changed and the exit status is 2.
      """
  ) { try CatalogCommands(invocation: $0).apply() }

  private static let catalogHistory = Verb(
    name: "catalog history", group: .setUp, summary: "List the versions of the catalog, newest first",
    options: [
      .limit, Option("--before", "VERSION", help: "List the versions before this version"),
      Option("--erase-author", "VERSION", help: "First erase the actor and the reason of this version"),
    ],
    examples: ["gemctl catalog history", "gemctl catalog history --limit 1 --json"],
    discussion:
      "Each version has its time, actor, reason and changes. Versions of earlier releases have only their time."
  ) { try CatalogCommands(invocation: $0).history() }

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
