import GemLedger

/// Does what the command line asks for and gives the exit status.
func run(_ parsed: Parsed, on terminal: Terminal) -> Int32 {
  do {
    switch parsed.verb.name {
    case Verb.showHelp.name: try AboutCommands.help(parsed, on: terminal)
    case Verb.showVersion.name: try AboutCommands.version(parsed, on: terminal)
    case Verb.completions.name: try AboutCommands.completions(parsed, on: terminal)
    default: throw LedgerError(.unexpected, "\"\(parsed.verb.name)\" is not wired to the ledger yet.")
    }
    return 0
  } catch let error as UsageError {
    return ErrorReport(error).write(to: terminal, asJSON: parsed.isJSON)
  } catch let error as LedgerError {
    return ErrorReport(error).write(to: terminal, asJSON: parsed.isJSON)
  } catch {
    return ErrorReport(LedgerError(.unexpected, "\(error)")).write(to: terminal, asJSON: parsed.isJSON)
  }
}
