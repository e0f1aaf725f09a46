import GemLedger

/// A directory with everything that `gemctl` keeps: the ledger, and what the client remembers.
struct Home: Hashable, Sendable {
  let path: String

  /// The ledger's file.
  var ledgerPath: String { "\(path)/ledger.sqlite" }
  /// The client's receipt queue and who is signed in.
  var clientPath: String { "\(path)/client.log" }
  /// The simulated store's transactions and settings.
  var storePath: String { "\(path)/store.log" }
  private var statePath: String { "\(path)/home.json" }
  /// There while the client's side may have something to finish.
  private var unsettledPath: String { "\(path)/unsettled" }

  /// The ledger's file, and the log and the log's index that SQLite keeps beside it.
  static func files(ofLedger path: String) -> [String] { [path, path + "-wal", path + "-shm"] }

  /// What the client remembers.
  struct State: Hashable, Sendable {
    /// Who is signed in; an anonymous customer at first.
    var customer: CustomerID
    /// Names the world of this home's simulated store.
    var storeSession: String
    /// Which store this home's simulated one behaves as: the App Store or Google Play.
    var store = Store.apple
    /// The country that the store sells in.
    var storefront: StorefrontCode
  }
}

extension Home {
  /// Claims the directory, which is made or must be empty, and keeps others out of it.
  ///
  /// The claim is a file that only one of two processes can make.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `input_output`, `already_exists`.
  func claim(_ state: State) throws(LedgerError) {
    try FileAccess.makeDirectory(path)
    guard try FileAccess.isEmptyDirectory(path) else { throw inUse }
    try FileAccess.makePrivate(path)
    guard try FileAccess.create(statePath, state.text) else { throw inUse }
  }

  /// Gives up the claim on a directory in which there is nothing else.
  func giveUp() { FileAccess.remove([statePath]) }

  /// Removes everything, the directory too.
  func remove() {
    FileAccess.remove(Self.files(ofLedger: ledgerPath) + [statePath, clientPath, storePath, unsettledPath])
    FileAccess.removeDirectory(path)
  }

  /// What the client remembers.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `input_output` (no home too), `storage_damaged`.
  func state() throws(LedgerError) -> State {
    guard FileAccess.exists(statePath) else { throw missing }
    let bytes = try FileAccess.read(statePath)
    guard let state = State(bytes) else {
      throw LedgerError(
        .storageDamaged, "\(statePath.quotedForPeople) cannot be understood; restore it from a backup.",
        details: [.text("file", statePath)])
    }
    return state
  }

  /// Puts another state in the place of the one that is there, all or nothing.
  func save(_ state: State) throws(LedgerError) { try FileAccess.replace(statePath, state.text) }

  // MARK: Something to finish

  /// Whether an earlier command, or one under way, may have left something to finish.
  var isUnsettled: Bool { FileAccess.exists(unsettledPath) }

  /// Says so before anything begins that a crash could leave half done.
  func markUnsettled() throws(LedgerError) { _ = try FileAccess.create(unsettledPath) }

  func markSettled() { FileAccess.remove([unsettledPath]) }

  /// The error where there is no home.
  var missing: LedgerError {
    LedgerError(
      .inputOutput,
      "There is no home at \(path.quotedForPeople). Make one with \"gemctl init\", or name another with --home.",
      details: [.text("home", path)])
  }

  private var inUse: LedgerError {
    LedgerError(
      .alreadyExists, "The home \(path.quotedForPeople) is in use already. Name another one with --home.",
      details: [.text("home", path)])
  }
}

extension Home.State {
  /// A new anonymous customer, in a store session of its own.
  static func new(store: Store = .apple, storefront: StorefrontCode) -> Self {
    Self(
      customer: .anonymous(), storeSession: IdempotencyKey.timeOrdered().text, store: store, storefront: storefront)
  }

  fileprivate init?(_ bytes: [UInt8]) {
    // Why it cannot be read matters to nobody: it is a file of ours, and damaged.
    guard let json = try? JSONValue.parse(bytes), let text = json["customer_id"]?.text,
      let customer = try? CustomerID(text), let session = json["store_session"]?.text,
      let storefront = json["storefront"]?.text.flatMap(StorefrontCode.init(exactly:))
    else { return nil }
    // Homes of before there was a choice have the App Store.
    let store = json["store"]?.text.flatMap(Store.init(name:)) ?? .apple
    self.init(customer: customer, storeSession: session, store: store, storefront: storefront)
  }

  fileprivate var text: String {
    let json: JSONValue = [
      "customer_id": .string(customer.text), "store_session": .string(storeSession),
      "store": .string(store.description), "storefront": .string(storefront.description),
    ]
    return json.text(pretty: true) + "\n"
  }
}

extension CustomerID {
  /// A customer of whom nothing is known yet: `$RCAnonymousID:` and 32 hexadecimal digits.
  static func anonymous() -> CustomerID {
    let digits = (0..<2).map { _ in HexForm.hex(.random(in: 0 ... .max), digits: 16) }.joined()
    return CustomerID(unchecked: "$RCAnonymousID:\(digits)")
  }
}
