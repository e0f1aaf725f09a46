import GemLedger

/// Parses a command line, runs its verb, and returns the exit status.
///
/// - Parameters:
///   - words: The words after the program's name; nil for a word that is not UTF-8.
///   - clock: The ledger's clock.
///   - environment: The value of a variable, or nil if it is not set.
func runLine(
  _ words: [String?], on terminal: Terminal, clock: LedgerClock = .system,
  environment: (String) throws(UsageError) -> String?
) -> Int32 {
  func fail(_ report: ErrorReport) -> Int32 {
    report.write(to: terminal, asJSON: Parser.asksForJSON(words.map { $0 ?? "" }))
  }
  var invocation: Invocation?
  do {
    let words = try ProcessArguments.checked(words)
    let parsed = try Parser.parse(words, verbs: words.first == Verb.complete.name ? [.complete] : Verb.all)
    let settings = try GlobalSettings(parsed, environment: environment)
    let current = Invocation(parsed: parsed, settings: settings, terminal: terminal, clock: clock)
    invocation = current
    try parsed.verb.run(current)
    return 0
  } catch let status as ExitStatus {
    return status.code
  } catch let error as UsageError {
    return fail(ErrorReport(error))
  } catch let error as LedgerError {
    return fail(ErrorReport(invocation.map { ErrorHint.added(to: error, $0) } ?? error))
  } catch {
    return fail(ErrorReport(LedgerError(.unexpected, "\(error)")))
  }
}
