extension Verb {
  /// The server and its API keys.
  static let server = [serve, keyCreate, keyList, keyRevoke]

  private static let serve = Verb(
    name: "serve", group: .run, summary: "Serve the ledger over HTTP",
    options: [
      Option("--listen", "HOST:PORT", help: "Address to listen on (default: \(ServeCommand.defaultListen))"),
      Option("--threads", "N", help: "Number of threads that read requests, 1 to 64 (default: 2)"),
      Option(
        "--project", "ID=STORAGE", isRepeatable: true,
        help: "Serve another ledger as project ID; the ledger of --storage is \"default\""),
      Option("--tls-cert", "FILE", kind: .file, help: "Certificate chain for TLS, PEM (default: no TLS)"),
      Option("--tls-key", "FILE", kind: .file, help: "Private key of the certificate, PEM"),
      Option(
        "--root", "FILE", kind: .file, isRepeatable: true,
        help: "Accept receipts under this root certificate, for example AppleRootCA-G3.cer"),
      Option(
        "--fingerprint", "SHA256", isRepeatable: true,
        help: "Accept receipts under the root certificate with this SHA-256"),
      Option("--play-key", "FILE", kind: .file, help: "Accept purchases signed with this Play licensing key"),
      Option(
        "--app-id", "[PROJECT=]N", isRepeatable: true,
        help: "App Store app id; needed for receipts of production"),
      Option(
        "--allow-sandbox-receipts",
        help: "Start with --app-id even if the catalog accepts sandbox receipts of all customers"),
      Option(
        "--app-store-key", "FILE", kind: .file,
        help: "In-app purchase key of App Store Connect (.p8), for restores and StoreKit 1 receipts"),
      Option("--app-store-key-id", "ID", help: "Id of that key, for example 2X9R4HXF34"),
      Option("--app-store-issuer", "UUID", help: "Issuer id of the account, from the page with the keys"),
      Option("--app-store-api-url", "URL", help: "Address of the App Store Server API, for example of a simulator"),
      Option(
        "--test-receipts", "SESSION",
        help: "Credit test receipts of Xcode and of the test store, in this test session"
      ),
      Option(
        "--google-service-account", "FILE", kind: .file,
        help: "Accept Google Play notifications; look up purchases with this service account key, JSON"),
      Option(
        "--package-name", "[PROJECT=]NAME", isRepeatable: true,
        help: "Package name of the Google Play app (default: the catalog's bundle_id)"),
      Option(
        "--google-push-token", "FILE", kind: .file,
        help: "Require the token in this file as \"token\" in the push address of the notifications"),
      Option("--google-api-url", "URL", help: "Address of the Google Play Developer API, for example of a simulator"),
      Option("--delivery-url", "[PROJECT=]URL", isRepeatable: true, help: "Deliver paid orders to this game server"),
      Option(
        "--delivery-retries", "MINUTES",
        help: "Delays before the retries of a delivery, or \"none\" (default: 2,10,30,120,360,720,1440)"),
      Option(
        "--refund-undelivered",
        help: "Refund orders at Google Play or the simulated store if the last delivery fails"),
      Option(
        "--grant-url", "[PROJECT=]URL", isRepeatable: true,
        help: "Deliver bought items through this server before the payment"),
      Option(
        "--signing-secrets", "FILE", kind: .file,
        help: "Sign delivery and grant requests with these secrets (whsec_…), one per line"),
      Option(
        "--allow-host", "HOST", isRepeatable: true,
        help: "Allow requests to this private host, for example localhost"),
      Option("--client-spends", help: "Allow apps to spend amounts of their choice"),
      Option("--max-body", "BYTES", help: "Maximum size of a request body (default: 1048576)"),
      Option("--rate-limits", help: "Limit the requests per minute and key as RevenueCat does (default: no limit)"),
      Option("--console", help: "Serve the console, pages for support and operators, under /console"),
      Option(
        "--console-host", "NAME", isRepeatable: true,
        help: "Name by which browsers call the console, for example ledger.example.com (default: localhost)"),
      Option(
        "--trusted-proxy", "ADDRESS", isRepeatable: true,
        help: "Address of a proxy with TLS in front of the console; its X-Forwarded fields are believed"),
      Option("--simulate", help: "Serve the home's simulated store under /simulator, for tests"),
    ],
    examples: ["gemctl serve --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem", "gemctl serve --simulate"],
    discussion: """
      The API has RevenueCat's currency API, the endpoints of its SDKs, two-step purchases and the operations of this \
      project; /openapi.json describes it. "key create" makes the keys, separately for each project. A value with \
      PROJECT= applies to that project; other values apply to all remaining projects. The server logs one JSON line \
      per request to standard error. On SIGTERM or SIGINT it finishes the open requests. On a public address use TLS \
      or a proxy with TLS.

      With --simulate only receipts of the home's simulated store are accepted. Clients buy, refund, inject faults and \
      advance the clock under /simulator; other verbs cannot use the store meanwhile. A simulated Google Play also \
      serves Google's token endpoint and Play Developer API. A ledger with production purchases is refused.
      """
  ) { try ServeCommand(invocation: $0).run() }

  private static let keyCreate = Verb(
    name: "key create", group: .run, summary: "Create an API key for a server or an app",
    statedForms: ["--secret [--scope SCOPE]...", "--public --store STORE"],
    options: [
      Option("--secret", help: "Key for your server: changes balances"),
      Option("--public", help: "Key for an app: reads, logs in, posts receipts"),
      Option("--store", "STORE", kind: .oneOf(KeyCommands.stores), help: "Store of the app"),
      Option(
        "--scope", "SCOPE", isRepeatable: true,
        help: "Restrict a secret key, for example to customer_information:purchases:read"),
    ],
    examples: ["gemctl key create --secret", "gemctl key create --public --store apple"],
    discussion: "The key is printed only once; the storage keeps a digest of it.\n\n\(KeyCommands.scopes)"
  ) { try KeyCommands(invocation: $0).create() }

  private static let keyList = Verb(
    name: "key list", group: .run, summary: "List the API keys", examples: ["gemctl key list"],
    discussion: "The secret parts are not stored and cannot be listed."
  ) { try KeyCommands(invocation: $0).list() }

  private static let keyRevoke = Verb(
    name: "key revoke", group: .run, summary: "Revoke an API key permanently",
    arguments: [Argument("ID", help: "Key id, from \"gemctl key list\"")],
    examples: ["gemctl key revoke 0c9v2m4x7q1z"],
    discussion: "Within a second running servers refuse the key and end its event streams."
  ) { try KeyCommands(invocation: $0).revoke() }
}
