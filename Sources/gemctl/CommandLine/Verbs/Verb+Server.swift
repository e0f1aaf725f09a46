extension Verb {
  /// The server, and the keys that open it.
  static let server = [serve, keyCreate, keyList, keyRevoke]

  private static let serve = Verb(
    name: "serve", group: .run, summary: "Serve the ledger over HTTP",
    options: [
      Option(name: "--listen", value: "HOST:PORT", help: "Where to listen (default: \(ServeCommand.defaultListen))"),
      Option(name: "--threads", value: "N", help: "How many threads read requests, 1 to 64 (default: 2)"),
      Option(
        name: "--project", value: "ID=STORAGE", isRepeatable: true,
        help: "Serve a further ledger, under /v2/projects/ID; the first one is the project \"default\""),
      Option(name: "--tls-cert", value: "FILE", kind: .file, help: "Speak TLS with this chain of certificates, PEM"),
      Option(name: "--tls-key", value: "FILE", kind: .file, help: "The certificate's private key, PEM"),
      Option(
        name: "--root", value: "FILE", kind: .file, isRepeatable: true,
        help: "Take receipts under this root certificate, such as AppleRootCA-G3.cer"),
      Option(
        name: "--fingerprint", value: "SHA256", isRepeatable: true,
        help: "Take receipts under the root certificate with this SHA-256"),
      Option(name: "--play-key", value: "FILE", kind: .file, help: "Take purchases under this Play licensing key"),
      Option(
        name: "--app-id", value: "[PROJECT=]N", isRepeatable: true,
        help: "The app's number at the App Store; receipts of production are taken with it only"),
      Option(
        name: "--allow-sandbox-receipts",
        help: "Start with --app-id although the catalog takes sandbox receipts of anybody"),
      Option(
        name: "--app-store-key", value: "FILE", kind: .file,
        help: "In-app purchase key of App Store Connect (.p8), for restores and StoreKit 1 receipts"),
      Option(name: "--app-store-key-id", value: "ID", help: "Id of that key, for example 2X9R4HXF34"),
      Option(name: "--app-store-issuer", value: "UUID", help: "Issuer id of the account, from the page with the keys"),
      Option(
        name: "--app-store-api-url", value: "URL",
        help: "Address of the App Store Server API, for example a simulator"),
      Option(
        name: "--test-receipts", value: "SESSION",
        help: "Credit test receipts of Xcode and of the test store, in this test session"
      ),
      Option(
        name: "--google-service-account", value: "FILE", kind: .file,
        help: "Take Google Play's notifications; look purchases up with this service account's key, JSON"),
      Option(
        name: "--package-name", value: "[PROJECT=]NAME", isRepeatable: true,
        help: "The app that Google Play notifies of (default: the catalog's bundle_id)"),
      Option(
        name: "--google-push-token", value: "FILE", kind: .file,
        help: "Take those notifications only with this text as \"token\" in the push address"),
      Option(name: "--google-api-url", value: "URL", help: "Where Google Play's Developer API is, such as a simulator"),
      Option(
        name: "--delivery-url", value: "[PROJECT=]URL", isRepeatable: true,
        help: "Tell this game server of paid orders"),
      Option(
        name: "--delivery-retries", value: "MINUTES",
        help: "When it is told again unless it confirms (default: 2,10,30,120,360,720,1440); \"none\" for never"),
      Option(
        name: "--refund-undelivered",
        help: "Refund orders that it did not confirm by the last try, at Google Play or the simulated store"),
      Option(
        name: "--grant-url", value: "[PROJECT=]URL", isRepeatable: true,
        help: "Have bought items given by this server before they are paid"),
      Option(
        name: "--signing-secrets", value: "FILE", kind: .file,
        help: "Sign those requests with these secrets (whsec_…), one a line"),
      Option(
        name: "--allow-host", value: "HOST", isRepeatable: true,
        help: "Let requests go to this host although it is private, such as localhost"),
      Option(name: "--client-spends", help: "Let customers spend amounts that their app names"),
      Option(name: "--max-body", value: "BYTES", help: "Longest body of a request (default: 1048576)"),
      Option(name: "--rate-limits", help: "Refuse more requests a minute and key than RevenueCat does"),
      Option(name: "--simulate", help: "Let clients buy at the home's simulated store, under /simulator; for tests"),
    ],
    examples: [
      "gemctl serve", "gemctl serve --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem",
      "gemctl serve --simulate",
    ],
    discussion: """
      Speaks RevenueCat's currency API, the endpoints of its SDKs, the two-step purchase, and this project's own \
      operations; /openapi.json describes all of them. "key create" makes the keys. Each project has keys of its own, \
      in its own storage. Values that begin with PROJECT= are for that project; the others are for all projects \
      without one. One JSON line a request goes to standard error. SIGTERM and SIGINT let the requests under \
      way finish.

      It listens on loopback unless told otherwise. Put TLS or a proxy with TLS before it elsewhere.

      With --simulate the home's simulated store is the only one whose receipts are taken: clients buy, approve, \
      decline, refund, deliver again, inject faults and move the clock under /simulator. A ledger with purchases of \
      production is refused. Other verbs cannot use the store meanwhile. A simulated Google Play also answers as \
      Google's token endpoint and Play Developer API do, so that any backend can be tested against it.
      """
  ) { try ServeCommand(invocation: $0).run() }

  private static let keyCreate = Verb(
    name: "key create", group: .run, summary: "Make a key for a server or an app",
    statedForms: ["--secret [--scope SCOPE]...", "--public --store STORE"],
    options: [
      Option(name: "--secret", help: "For a server of yours: moves balances"),
      Option(name: "--public", help: "For an app: reads, logs in, posts receipts"),
      Option(name: "--store", value: "STORE", kind: .oneOf(KeyCommands.stores), help: "The store of the app"),
      Option(
        name: "--scope", value: "SCOPE", isRepeatable: true,
        help: "Restrict a secret key, such as to customer_information:purchases:read"),
    ],
    examples: ["gemctl key create --secret", "gemctl key create --public --store apple"],
    discussion: "The key is printed this once; the storage keeps a digest of it."
  ) { try KeyCommands(invocation: $0).create() }

  private static let keyList = Verb(
    name: "key list", group: .run, summary: "List the keys", examples: ["gemctl key list"],
    discussion: "Without their secret parts, which are kept nowhere."
  ) { try KeyCommands(invocation: $0).list() }

  private static let keyRevoke = Verb(
    name: "key revoke", group: .run, summary: "End a key for good",
    arguments: [Argument(name: "ID", help: "The key's id, which \"key list\" prints")],
    examples: ["gemctl key revoke 0c9v2m4x7q1z"],
    discussion: "Servers that run refuse it from a second later on, and end its event streams."
  ) { try KeyCommands(invocation: $0).revoke() }
}
