import GemLedger
import GemLedgerAudit
import LedgerCharts
import SimulatedStores
import StoreClient

/// One run of a verb: its arguments, and the ledger and home that it works on.
struct Invocation: Sendable {
  /// The actor that the journal names for this program's commands.
  static let actor = ActorName(unchecked: "gemctl")

  let parsed: Parsed
  let settings: GlobalSettings
  let terminal: Terminal
  /// The ledger's clock; a demo script may replace it.
  var clock = LedgerClock.system
  /// How long to wait for another command that uses the client's files.
  var timeout = LockTimeout.atMost()

  var home: Home { Home(path: settings.home) }
  var isJSON: Bool { settings.isJSON }

  /// Opens the ledger, does the work, and closes it, also after an error.
  ///
  /// The work must not print: a slow reader of the output must not keep the ledger open.
  ///
  /// - Parameter clock: The home's clock if the command advances it; nil for the current clock.
  func withLedger<Answer>(
    clock: VirtualClock? = nil, _ body: (Ledger) throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    let ledger = try openLedger(clock)
    defer { ledger.close() }
    return try body(ledger)
  }

  /// Finds the customer of the command: `--customer`, `GEMCTL_CUSTOMER`, or the customer signed in at this home.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`, or as ``Home/state()``.
  func customer() throws(LedgerError) -> CustomerID {
    if let id = settings.customer { return try customer(named: id) }
    if let home = try clientHome() { return try home.state().customer }
    guard try StorageChoice(settings.storage) == .memory else {
      throw .invalid("No customer is signed in, because there is no home: name the customer with --customer.")
    }
    return .anonymous()
  }

  /// Finds the customer after the unfinished work of earlier commands is finished; for the client's verbs.
  func recoveredCustomer() throws(LedgerError) -> CustomerID {
    if let home = try clientHome(), home.hasUnfinishedWork { try withClient(onlyReads: true) { _ in } }
    return try customer()
  }

  /// Returns the home of the client; nil for a ledger in memory.
  func clientHome() throws(LedgerError) -> Home? {
    switch try StorageChoice(settings.storage) {
    case .home: return home
    case .file, .postgres: return FileAccess.exists(settings.home) ? home : nil
    case .memory: return nil
    }
  }

  /// The client's state; without a home it is new, and so is the session of its store.
  func clientState() throws(LedgerError) -> Home.State {
    try clientHome()?.state() ?? .new(storefront: .unitedStates)
  }

  private func openLedger(_ moving: VirtualClock?) throws(LedgerError) -> Ledger {
    let own = try moving == nil ? homeClock() : moving
    let clock = own?.ledgerClock ?? clock
    // A clock that was moved on purpose may be years from the newest transaction.
    let isAccepted = settings.acceptsClock || own != nil
    return try StorageChoice(settings.storage).open(home, clock: isAccepted ? clock.accepted : clock)
  }
}

// MARK: Long work

extension Invocation {
  /// Shows the progress of long work, which reports the completed and the total number of steps.
  func withProgress<Answer>(
    _ label: String, _ work: ((Int64, Int64) -> Void) throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    var bar = StagedBar(terminal)
    defer { bar.finish() }
    return try work { done, total in bar.show(label, done, of: total) }
  }

  /// Verifies the books with a bar.
  func verify(_ ledger: Ledger) throws(LedgerError) -> Verification {
    try withProgress("Verifying") { (report) throws(LedgerError) in try ledger.verify(progress: report) }
  }

  /// Opens the ledger and does long work with a bar.
  func withProgress<Answer>(
    _ label: String, _ work: (Ledger, (Int64, Int64) -> Void) throws(LedgerError) -> Answer
  ) throws(LedgerError) -> Answer {
    var bar = StagedBar(terminal)
    defer { bar.finish() }
    return try withLedger { (ledger) throws(LedgerError) in
      try work(ledger) { done, total in bar.show(label, done, of: total) }
    }
  }
}

// MARK: Answering

extension Invocation {
  /// Prints one JSON document, or text for people.
  func print(_ json: @autoclosure () -> JSONValue, _ text: (Style) -> String) throws(LedgerError) {
    try terminal.output(isJSON ? json().text() + "\n" : text(terminal.outputStyle))
  }

  /// Prints one JSON document, the table as comma-separated values, or text for people.
  func print(
    _ json: @autoclosure () -> JSONValue, csv table: @autoclosure () -> Table, _ text: (Style) -> String
  ) throws {
    try checkForm()
    guard isCSV else { return try print(json(), text) }
    try terminal.output(table().csv)
  }

  private var isCSV: Bool { parsed.has("--csv") }

  /// To be called before the work, which may take long.
  func checkForm() throws(UsageError) {
    try parsed.checkExcluding("--csv", "--json")
  }
}

// MARK: Asking

extension Invocation {
  func key() throws(LedgerError) -> IdempotencyKey? {
    try parsed.value("--key") { (text) throws(LedgerError) in try IdempotencyKey(text) }
  }

  /// Reads a time with its zone, or a day, which begins at midnight in the zone that `--zone` names.
  func time(_ option: String) throws -> Timestamp? {
    try parsed.value(option) { text in
      if let time = Timestamp(text) { return time }
      if let time = try days().time(text) { return time }
      throw usageError(
        "\(option) takes a time with its zone, such as 2026-11-21T09:30:00Z, or a day, such as 2026-11-21; got "
          + text.quotedForPeople)
    }
  }

  /// The days of the zone that `--zone` names.
  func days() throws(UsageError) -> DaysOfZone {
    let name = parsed.value("--zone") ?? "UTC"
    guard let days = DaysOfZone(name) else {
      throw usageError(
        "--zone takes the name of a time zone, such as Europe/Berlin or UTC, not \(name.quotedForPeople)")
    }
    return days
  }

  func duration(_ option: String) throws(UsageError) -> Duration? {
    try parsed.value(option) { (text) throws(UsageError) in
      guard let span = TimeSpan(text) else {
        throw usageError("\(option) takes a length of time such as 90s, 15m, 1h or 30d; got \(text.quotedForPeople)")
      }
      return .seconds(span.seconds)
    }
  }

  /// Returns the amounts among the arguments, from this index on.
  func amounts(from start: Int = 0) throws(LedgerError) -> [Adjustment] {
    try AmountArguments.amounts(Array(parsed.positionals.dropFirst(start))).map { Adjustment($0.0, $0.1) }
  }

  func quantity() throws(UsageError) -> Int64? { try parsed.integer("--quantity", in: 1...Limits.quantity) }

  func limit() throws(UsageError) -> Int {
    Int(try parsed.integer("--limit", in: 1...Int64(Limits.historyPage)) ?? 100)
  }

  /// The source of currency that `--source` names.
  var lotSource: LotSource { parsed.value("--source").flatMap(LotSource.init(name:)) ?? .admin }

  func usageError(_ message: String) -> UsageError { parsed.usageError(message) }

  var cursor: PageCursor? { parsed.value("--after").map(PageCursor.init) }

  /// Returns the reference and reason of the options, and the actor.
  func details() throws(LedgerError) -> CommandDetails {
    var details = CommandDetails(actor: Self.actor)
    details.reference = try parsed.value("--reference") { (text) throws(LedgerError) in try Reference(text) }
    details.reason = try parsed.value("--reason") { (text) throws(LedgerError) in try Reason(text) }
    return details
  }

  /// Books the command, or with `--dry-run` only decides it.
  func book(_ command: LedgerCommand) throws(LedgerError) -> Booking {
    let isDryRun = parsed.isDryRun
    return try withLedger { (ledger) throws(LedgerError) in
      isDryRun ? try ledger.preview(command) : try ledger.book(command)
    }
  }

  /// Books the command and prints the booking.
  ///
  /// - Parameters:
  ///   - isBasket: Whether several customers may take part.
  ///   - did: The sentence about the customer, for a command without a table.
  func answer(_ command: LedgerCommand, isBasket: Bool = false, did: String? = nil) throws(LedgerError) {
    let booking = try book(command)
    let view = BookingView(booking, isDryRun: parsed.isDryRun, isBasket: isBasket)
    try print(view.json) { style in
      let sentence = did.map { style.bold("\(SafeText.escaped(booking.customer.text)) \($0)") + "\n" }
      return (sentence ?? "") + view.text(style: style)
    }
  }
}
