import GemLedger

/// A directory with all files of `gemctl`: the ledger, and the client's state.
struct Home: Hashable, Sendable {
  let path: String

  /// The ledger's file.
  var ledgerPath: String { "\(path)/ledger.sqlite" }
  /// The client's receipt queue and the signed-in customer.
  var clientPath: String { "\(path)/client.log" }
  /// The simulated store's transactions and settings.
  var storePath: String { "\(path)/store.log" }
  /// The keys and certificates of the simulated App Store.
  var authorityPath: String { "\(path)/authority.pem" }
  /// The key of the simulated Google Play.
  var playKeyPath: String { "\(path)/play-key.pem" }
  /// The signed-in customer and the kind of store; it exists as soon as the home is complete.
  var statePath: String { "\(path)/home.json" }
  /// The file that is renamed to ``statePath`` when everything else is there.
  var draftPath: String { "\(path)/\(Self.draftName)" }
  static let draftName = "home.json.unfinished"
  /// There while the client's side may have something to finish.
  private var unfinishedPath: String { "\(path)/unfinished" }

  /// The ledger's file with SQLite's files: the log, the log's index and, for a new file, the rollback journal.
  static func files(ofLedger path: String) -> [String] { ["", "-wal", "-shm", "-journal"].map { path + $0 } }

  /// The client's state.
  struct State: Hashable, Sendable {
    /// The signed-in customer; an anonymous customer at first.
    var customer: CustomerID
    /// Names the world of this home's simulated store.
    var storeSession: String
    /// The store that the home simulates: the App Store or Google Play.
    var store = Store.apple
    /// The country that the store sells in.
    var storefront: StorefrontCode
    /// The language and region in which the store lists its products.
    var locale = "en_US"
    /// The settings of the App-Store-like store at its first start.
    var switches = StoreKitConfiguration.Switches()
  }
}

extension Home {
  /// Whether it is complete.
  var isComplete: Bool { FileAccess.exists(statePath) }

  /// Whether the home is being made, or its making was interrupted; its content must not be used then.
  var isUnfinished: Bool { FileAccess.exists(draftPath) && !isComplete }

  /// Removes everything, the directory too.
  func remove() {
    FileAccess.remove(
      Self.files(ofLedger: ledgerPath) + [
        statePath, draftPath, clientPath, storePath, unfinishedPath, clockPath, authorityPath, playKeyPath,
      ])
    FileAccess.removeDirectory(path)
  }

  /// Reads the client's state.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `input_output` (no home too), `storage_damaged`.
  func state() throws(LedgerError) -> State {
    guard FileAccess.exists(statePath) else { throw missing }
    let bytes = try FileAccess.read(statePath)
    switch State.read(bytes) {
    case .state(let state): return state
    case .changed:
      throw damaged(
        "does not have the content that was written. Restore it from a backup; if you changed it yourself, remove its "
          + "\"checksum\" line")
    case .newer(let names):
      let listed = names.map { "\"\($0)\"" }.joined(separator: ", ")
      throw LedgerError(
        .storageNewer,
        "\(statePath.quotedForPeople) was written by a newer gemctl: this one does not know its \(listed). "
          + "Use the newer gemctl.", details: [.text("file", statePath)])
    case .unreadable: throw damaged("cannot be understood; restore it from a backup")
    }
  }

  private func damaged(_ how: String) -> LedgerError {
    LedgerError(.storageDamaged, "\(statePath.quotedForPeople) \(how).", details: [.text("file", statePath)])
  }

  /// Replaces the state, all or nothing.
  func save(_ state: State) throws(LedgerError) { try FileAccess.replace(statePath, state.text) }

  // MARK: Something to finish

  /// Whether an earlier or a running command may have left unfinished work.
  var hasUnfinishedWork: Bool { FileAccess.exists(unfinishedPath) }

  /// Marks the home as unfinished, before any step that a crash could leave half done.
  func markUnfinished() throws(LedgerError) {
    if try FileAccess.create(unfinishedPath) { try FileAccess.synchronizeDirectory(path) }
  }

  func markFinished() { FileAccess.remove([unfinishedPath]) }

  /// The error if there is no home.
  var missing: LedgerError {
    LedgerError(
      .inputOutput,
      "There is no home at \(path.quotedForPeople). Make one with \"gemctl init\", or name another with --home.",
      details: [.text("home", path)])
  }

  /// The error if the directory is not empty.
  var inUse: LedgerError {
    LedgerError(
      .alreadyExists, "The home \(path.quotedForPeople) is in use already. Name another one with --home.",
      details: [.text("home", path)])
  }
}

extension Home.State {
  /// Returns the state of a new anonymous customer in a new store session.
  static func new(store: Store = .apple, storefront: StorefrontCode) -> Self {
    Self(
      customer: .anonymous(), storeSession: IdempotencyKey.timeOrdered().text, store: store, storefront: storefront)
  }
}

extension CustomerID {
  /// Makes the id of a new anonymous customer: `$RCAnonymousID:` and 32 hexadecimal digits.
  static func anonymous() -> CustomerID {
    let digits = (0..<2).map { _ in HexForm.hex(.random(in: 0 ... .max), digits: 16) }.joined()
    return CustomerID(unchecked: "$RCAnonymousID:\(digits)")
  }
}
