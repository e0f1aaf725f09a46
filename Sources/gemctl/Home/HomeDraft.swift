import GemLedger
import GemLedgerSQLite
import StoreClient

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A home that is being made.
///
/// The home's file is written under a temporary name and renamed at the end: before that there is no home, even if the
/// process is killed. A lock on the file keeps other processes from making this home at the same time. An unlocked
/// draft was left by a killed process, and the next `init` continues it.
final class HomeDraft {
  /// The maximum number of attempts if other processes interfere.
  private static let attemptsMax = 16
  private static let ledgerNames = Set(Home.files(ofLedger: "ledger.sqlite"))

  let home: Home
  /// The state that the home gets; of a home that was taken over, its customer.
  let state: Home.State
  /// Whether an earlier process began this home and did not finish it.
  let isTakenOver: Bool
  /// Whether something was made elsewhere that only this home can go on with.
  var isBoundElsewhere = false
  /// The path of the ledger's file if it was made for this home; it is removed with the draft.
  var madeLedger: String?
  private let made: [String]
  private let descriptor: Int32

  private init(_ home: Home, _ state: Home.State, isTakenOver: Bool, made: [String], descriptor: Int32) {
    self.home = home
    self.state = state
    self.isTakenOver = isTakenOver
    self.made = made
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Begins a home in a directory that is made, or is empty, or was left unfinished.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `input_output`, `already_exists`.
  static func begin(_ home: Home, _ state: Home.State) throws(LedgerError) -> HomeDraft {
    var made: [String] = []
    do throws(LedgerError) {
      for _ in 0..<attemptsMax {
        try FileAccess.makeDirectory(home.path, made: &made)
        if let draft = try attempt(home, state, made) { return draft }
      }
      throw home.inUse
    } catch {
      removeDirectories(made)
      throw error
    }
  }

  /// Makes everything durable, then renames the draft to a home.
  ///
  /// - Throws: `LedgerError` with `input_output`. If only the last sync fails, the home exists.
  func finish() throws(LedgerError) {
    if FileAccess.exists(home.ledgerPath) { try FileAccess.synchronize(home.ledgerPath) }
    try FileAccess.synchronizeDirectory(home.path)
    for path in made { try FileAccess.synchronizeDirectory(of: path) }
    let mode = try FileAccess.makePrivate(home.path)
    do throws(LedgerError) { try FileAccess.move(home.draftPath, to: home.statePath) } catch {
      chmod(home.path, mode)
      throw error
    }
    // Other commands may use the home from now on, so nothing is taken back.
    do throws(LedgerError) { try FileAccess.synchronizeDirectory(home.path) } catch {
      throw LedgerError(
        .inputOutput,
        "The home \(home.path.quotedForPeople) is complete, but a power cut now may undo it: \(error.message)",
        details: error.details)
    }
  }

  /// Removes the files of the draft, unless the home is complete or in use.
  func giveUp() {
    guard !home.isComplete, !isBoundElsewhere else { return }
    if let madeLedger { FileAccess.remove(Home.files(ofLedger: madeLedger)) }
    if isTakenOver, (try? FileAccess.names(in: home.path)) != [Home.draftName] { return }
    FileAccess.remove([home.draftPath])
    Self.removeDirectories(made)
  }

  private static func removeDirectories(_ paths: [String]) {
    for path in paths.reversed() { FileAccess.removeDirectory(path) }
  }
}

// MARK: Continuing an unfinished home

extension HomeDraft {
  /// Returns whether the ledger has no customer except this home's first customer.
  func isFirst(in ledger: Ledger) throws(LedgerError) -> Bool {
    try ledger.customers(limit: 2).customers.allSatisfy { $0.id == state.customer }
  }

  /// Removes the ledger that an interrupted `init` left in the home, so that it can be made again.
  ///
  /// - Throws: `LedgerError` with `already_exists` if it is in use, or as opening a ledger.
  func removeUnusedLedger() throws(LedgerError) {
    guard isTakenOver, FileAccess.exists(home.ledgerPath) else { return }
    do throws(LedgerError) {
      let ledger = try Ledger.openSQLite(at: home.ledgerPath)
      defer { ledger.close() }
      guard try isFirst(in: ledger) else { throw home.inUse }
    } catch {
      // A file without a schema is no ledger yet.
      guard error.code == .inputOutput else { throw error }
    }
    FileAccess.remove(Home.files(ofLedger: home.ledgerPath))
  }
}

// MARK: Beginning

extension HomeDraft {
  /// Locks the draft and writes it; nil if another process interfered.
  private static func attempt(
    _ home: Home, _ state: Home.State, _ made: [String]
  ) throws(LedgerError) -> HomeDraft? {
    // The names are also checked before the draft is made, so that nothing is written into a directory with other
    // files.
    guard let before = try names(in: home) else { return nil }
    try check(before, of: home)
    let path = home.draftPath
    let descriptor = SystemCall.retrying { open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw FileAccess.failure(path, "made")
    }
    var isKept = false
    defer { if !isKept { close(descriptor) } }
    guard SystemCall.retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 else {
      if errno == EWOULDBLOCK { throw home.beingMade }
      throw FileAccess.failure(path, "locked")
    }
    guard isCurrent(descriptor, path) else { return nil }
    if home.isComplete {
      FileAccess.remove([path])
      throw home.inUse
    }
    guard let names = try names(in: home) else { return nil }
    try check(names, of: home)
    let earlier = try FileAccess.read(path)
    let isTakenOver = !earlier.isEmpty || names != [Home.draftName]
    var state = state
    if case .state(let earlier) = Home.State.read(earlier) { state.customer = earlier.customer }
    do throws(LedgerError) {
      try write(state, to: descriptor, path)
      try FileAccess.synchronizeDirectory(home.path)
    } catch {
      if !isTakenOver { FileAccess.remove([path]) }
      throw error
    }
    isKept = true
    return HomeDraft(home, state, isTakenOver: isTakenOver, made: made, descriptor: descriptor)
  }

  /// Accepts only an empty directory or an unfinished home; a ledger without a draft is in use.
  private static func check(_ names: Set<String>, of home: Home) throws(LedgerError) {
    guard names.isEmpty || names.contains(Home.draftName),
      names.subtracting(ledgerNames).subtracting([Home.draftName]).isEmpty
    else { throw home.inUse }
  }

  /// Returns the names in the home; nil if it does not exist.
  private static func names(in home: Home) throws(LedgerError) -> Set<String>? {
    do throws(LedgerError) { return try FileAccess.names(in: home.path) } catch {
      // Another process may have removed the directory that it made; a dangling link stays an error.
      var status = stat()
      if lstat(home.path, &status) != 0, errno == ENOENT { return nil }
      throw error
    }
  }

  private static func write(_ state: Home.State, to descriptor: Int32, _ path: String) throws(LedgerError) {
    guard SystemCall.retrying({ ftruncate(descriptor, 0) }) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw FileAccess.failure(path, "written")
    }
    try FileAccess.fill(descriptor, path, with: state.text)
  }

  /// Whether the path still names the file.
  private static func isCurrent(_ descriptor: Int32, _ path: String) -> Bool {
    var (own, named) = (stat(), stat())
    guard fstat(descriptor, &own) == 0, stat(path, &named) == 0 else { return false }
    return own.st_nlink > 0 && own.st_dev == named.st_dev && own.st_ino == named.st_ino
  }
}

extension Home {
  /// The error while another process makes this home.
  fileprivate var beingMade: LedgerError {
    LedgerError(
      .alreadyExists,
      "Another process is making the home \(path.quotedForPeople) right now. Use that one, or name another with "
        + "--home.",
      details: [.text("home", path)])
  }
}
