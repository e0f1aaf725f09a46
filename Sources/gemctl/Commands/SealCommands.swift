import GemLedger
import GemLedgerAudit
import Synchronization

#if Receipts
import GemLedgerSeal

#if canImport(Darwin)
import Darwin
#else
import Glibc
import LedgerCharts
#endif

/// `seal`, `seal prove` and `seal check`.
struct SealCommands {
  let invocation: Invocation

  /// Verifies the books and prints the seal of the current journal.
  func seal() throws {
    var files: [DigestFile?] = []
    do {
      for name in ["--customers", "--statements"] {
        files.append(try invocation.parsed.value(name).map(DigestFile.init(new:)))
      }
      let (customers, statements) = (files[0], files[1])
      let seal = try invocation.withLedger { (ledger) throws(LedgerError) in
        try verifiedSeal(of: ledger, customers, statements)
      }
      for file in files { try file?.finish() }
      try invocation.print(Self.json(seal), { _ in seal.description })
    } catch {
      for file in files { file?.remove() }
      throw error
    }
  }

  /// Verifies and seals the journal, at the same time if readers are free; the seal of wrong books is discarded.
  private func verifiedSeal(
    of ledger: Ledger, _ customers: DigestFile?, _ statements: DigestFile?
  ) throws(LedgerError) -> JournalSeal {
    // Only the thread that seals uses the files until it ends.
    nonisolated(unsafe) let (customers, statements) = (customers, statements)
    let seal = { @Sendable (report: (Int64, Int64) -> Void) throws(LedgerError) in
      try ledger.seal(
        customers: { (digest) throws(LedgerError) in try customers?.write(digest) },
        statements: { (digest) throws(LedgerError) in try statements?.write(digest) }, progress: report)
    }
    guard ledger.storage.traits.hasFreeReaders else {
      try checkBooks(of: ledger)
      return try invocation.withProgress("Sealing", seal)
    }
    let progress = SealProgress()
    let sealing = BackgroundTask { () throws(LedgerError) in
      try seal { done, total in progress.last.withLock { $0 = (done, total) } }
    }
    do throws(LedgerError) {
      try checkBooks(of: ledger)
    } catch {
      _ = try? sealing.wait()
      throw error
    }
    return try invocation.withProgress("Sealing") { (report) throws(LedgerError) in
      while !sealing.hasEnded(within: 100) {
        let (done, total) = progress.last.withLock { $0 }
        if total > 0 { report(done, total) }
      }
      return try sealing.wait()
    }
  }

  private func checkBooks(of ledger: Ledger) throws(LedgerError) {
    let verification = try invocation.verify(ledger)
    guard verification.isOK else {
      throw LedgerError(
        .booksWrong, "The books do not add up, and are not sealed: run gemctl verify.",
        details: [.integer("problems", Int64(verification.problemCount))])
    }
  }

  /// Prints a proof that a transaction is in the sealed journal.
  func prove() throws {
    let id = try invocation.transactionID(invocation.parsed.positionals[0])
    let seal = try sealOfFile()
    let customers = try customerDigests(of: seal)
    let proof = try invocation.withLedger { (ledger) throws(LedgerError) in
      try invocation.withProgress("Proving") { (report) throws(LedgerError) in
        try ledger.prove(id, in: seal, customers: customers, progress: report)
      }
    }
    let value = try JSONValue.parse(proof.text)
    try invocation.print(value, { _ in proof.text + "\n" })
  }

  /// Checks a proof, without the ledger.
  func check() throws {
    let bytes = try FileAccess.read(invocation.parsed.positionals[0])
    let text = String(decoding: bytes, as: UTF8.self).trimmingLineEnds()
    let proof = try InclusionProof(text)
    let proven = try proof.check()
    let known = try knownDigest()
    if let known, !known.hasBytes(of: proof.seal.digest) {
      throw LedgerError(
        .booksWrong, "The proof is of another journal: its digest is \(proof.seal.digest), not \(known).",
        details: [.text("digest", proof.seal.digest)])
    }
    try invocation.print(
      Self.json(proven, proof.seal, isCompared: known != nil),
      { Self.text(proven, proof.seal, isCompared: known != nil, style: $0) })
  }

  /// Returns the digest that the caller trusts; nil if none is given.
  private func knownDigest() throws -> String? {
    let parsed = invocation.parsed
    guard let digest = parsed.value("--digest") else {
      return !parsed.has("--seal") ? nil : try sealOfFile().digest
    }
    guard !parsed.has("--seal") else { throw LedgerError.invalid("Name the digest or the seal, not both.") }
    guard digest.utf8.count == 64, digest.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
      throw LedgerError.invalid("\"\(digest)\" is not a SHA-256 digest of 64 hexadecimal digits.")
    }
    return digest.lowercased()
  }
}

// MARK: Files

extension SealCommands {
  /// The seal of the file that `--seal` names: its text, or the JSON that `seal --json` prints.
  func sealOfFile() throws -> JournalSeal {
    guard let path = invocation.parsed.value("--seal") else {
      throw LedgerError.invalid("Name the file with the seal: --seal FILE")
    }
    let bytes = try FileAccess.read(path, atMost: Self.sealByteCountMax)
    let text = String(decoding: bytes.filter { $0 != ASCII.carriageReturn }, as: UTF8.self)
    // A file that is no JSON is the text itself.
    let lines = ((try? JSONValue.parse(text))?.object?["seal"]?.text ?? text).trimmingLineEnds()
    guard let seal = JournalSeal(lines + "\n") else {
      let reason =
        lines.hasPrefix(JournalSeal.titlePrefix)
        ? "was changed: its lines do not give its digest" : "holds no seal, as \"gemctl seal\" prints one"
      throw LedgerError(
        .invalidRequest, "\(path.quotedForPeople) \(reason).", details: [.text("file", path)])
    }
    return seal
  }

  /// The digests of the file that `--customers` names, once it is known to be that of the seal.
  func customerDigests(of seal: JournalSeal) throws -> (() throws(LedgerError) -> CustomerDigest?)? {
    guard let path = invocation.parsed.value("--customers") else { return nil }
    try seal.check(customers: DigestFile.customers(of: path))
    return try DigestFile.customers(of: path)
  }

  /// The digests of the file that `--statements` names.
  func statementDigests() throws -> (() throws(LedgerError) -> StatementDigest?)? {
    try invocation.parsed.value("--statements").map(DigestFile.statements(of:))
  }

  private static let sealByteCountMax = 65_536
}

// MARK: Answers

extension SealCommands {
  private static func json(_ seal: JournalSeal) -> JSONValue {
    [
      "digest": .string(seal.digest), "transactions": .integer(seal.transactionCount),
      "seal": .string(seal.description),
    ]
  }

  private static func json(
    _ proven: ProvenTransaction, _ seal: JournalSeal, isCompared: Bool
  ) -> JSONValue {
    [
      "digest": .string(seal.digest), "is_compared": .bool(isCompared),
      "transaction": record(proven.transaction), "purchase": record(proven.purchase),
      "customer": record(proven.customer), "note": record(proven.note),
      "keys": .array(proven.keys.map(record)),
    ]
  }

  /// A record that was read when it was checked.
  private static func record(_ line: String?) -> JSONValue { line.flatMap { try? JSONValue.parse($0) } ?? .null }

  private static func text(
    _ proven: ProvenTransaction, _ seal: JournalSeal, isCompared: Bool, style: Style
  ) -> String {
    let transaction = record(proven.transaction)
    let (customer, note) = (record(proven.customer), record(proven.note))
    var table = Table([.left(style.green("Proven")), .text(SafeText.escaped(transaction["kind"]?.text ?? ""))])
    func add(_ name: String, _ value: JSONValue?) {
      guard let value, !value.isNull else { return }
      table.add([name, SafeText.escaped(value.text ?? value.text())])
    }
    add("transaction", transaction["id"])
    add("created at", transaction["created_at"])
    add("customer", customer["id"] ?? transaction["customer"])
    for entry in transaction["entries"]?.array ?? [] {
      let other = entry["customer"]?.integer.map { " of customer \($0)" } ?? ""
      add((entry["currency"]?.text ?? "") + other, .string(AmountText.signed(entry["amount"]?.integer ?? 0)))
    }
    for effect in transaction["effects"]?.array ?? [] where effect["kind"]?.text == "held" {
      add("held \(effect["currency"]?.text ?? "")", effect["amount"])
    }
    add("refunded purchase", transaction["refund"]?["purchase"])
    for item in transaction["items"]?.array ?? [] { add(item["item"]?.text ?? "item", item["quantity"]) }
    add("store transaction", record(proven.purchase)["store_transaction_id"])
    for name in ["reference", "reason", "actor"] { add(name, note[name]) }
    for key in proven.keys { add("key", record(key)["key"]) }
    let digest = "It is in the journal with the digest \(seal.digest)"
    return table.text(style: style)
      + (isCompared
        ? "\(digest), as you named it.\n"
        : "\(digest).\nThe proof is valid only if you know this digest from a trusted source.\n")
  }
}

extension String {
  fileprivate func trimmingLineEnds() -> String {
    var bytes = Array(utf8)
    while let last = bytes.last, last == ASCII.lineFeed || last == ASCII.carriageReturn { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A file with the digests of customers or of statements, one per line.
private final class DigestFile {
  private let path: String
  private let file: OpenFile
  private var buffer: [UInt8] = []

  private static let bufferSize = 256 << 10
  /// Two numbers and their space.
  private static let lineByteCountMax = 128

  init(new path: String) throws(LedgerError) {
    try FileAccess.checkIsNew(path)
    self.path = path
    file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL)
  }

  func write(_ digest: some CustomStringConvertible) throws(LedgerError) {
    buffer += Array("\(digest)\n".utf8)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  func finish() throws(LedgerError) {
    try flush()
    try file.sync()
  }

  func remove() { FileAccess.remove([path]) }

  private func flush() throws(LedgerError) {
    guard try file.write(buffer) else { throw FileAccess.failure(path, "written", EPIPE) }
    buffer.removeAll(keepingCapacity: true)
  }

  static func customers(of path: String) throws(LedgerError) -> () throws(LedgerError) -> CustomerDigest? {
    try digests(of: path, "customers", CustomerDigest.init)
  }

  static func statements(of path: String) throws(LedgerError) -> () throws(LedgerError) -> StatementDigest? {
    try digests(of: path, "statements", StatementDigest.init)
  }

  private static func digests<Digest>(
    of path: String, _ what: String, _ read: @escaping (String) -> Digest?
  ) throws(LedgerError) -> () throws(LedgerError) -> Digest? {
    let file = try OpenFile(path, O_RDONLY)
    var (rest, isAtEnd): (ArraySlice<UInt8>, Bool) = ([], false)
    return { () throws(LedgerError) in
      while true {
        if let end = rest.prefix(lineByteCountMax).firstIndex(of: ASCII.lineFeed) {
          let line = String(decoding: rest[..<end], as: UTF8.self)
          rest = rest[(end + 1)...]
          guard let digest = read(line) else { throw noDigests(path, what) }
          return digest
        }
        guard rest.count < lineByteCountMax, !isAtEnd else {
          if rest.isEmpty { return nil }
          throw noDigests(path, what)
        }
        let more = try file.next()
        isAtEnd = more.isEmpty
        rest = ArraySlice(rest + more)
      }
    }
  }

  private static func noDigests(_ path: String, _ what: String) -> LedgerError {
    LedgerError(
      .invalidRequest,
      "\(path.quotedForPeople) does not hold digests of \(what), as \"gemctl seal --\(what) FILE\" writes them.",
      details: [.text("file", path)])
  }
}

/// The last report of a seal that another thread makes.
private final class SealProgress: Sendable {
  let last = Mutex((done: Int64(0), total: Int64(0)))
}
#else
struct SealCommands {
  let invocation: Invocation

  func seal() throws { throw LedgerError.builtWithoutCrypto }
  func prove() throws { throw LedgerError.builtWithoutCrypto }
  func check() throws { throw LedgerError.builtWithoutCrypto }
}
#endif

extension LedgerError {
  /// For commands that need the crypto library.
  static var builtWithoutCrypto: LedgerError {
    LedgerError(
      .configuration, "This gemctl was built without the crypto library; build it with: swift build --traits Receipts")
  }
}
