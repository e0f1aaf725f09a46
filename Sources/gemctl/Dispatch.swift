import GemLedger

/// Understands a command line, does what it asks for, and gives the exit status.
///
/// - Parameters:
///   - words: The words after the program's name.
///   - environment: The value of a variable, or nil where it is not set.
func runLine(_ words: [String], on terminal: Terminal, environment: (String) -> String?) -> Int32 {
  do throws(UsageError) {
    return run(try Parser.parse(words), on: terminal, environment: environment)
  } catch {
    return ErrorReport(error).write(to: terminal, asJSON: Parser.asksForJSON(words))
  }
}

/// Does what the command line asks for and gives the exit status.
func run(_ parsed: Parsed, on terminal: Terminal, environment: (String) -> String?) -> Int32 {
  do {
    let settings = GlobalSettings(parsed, environment: environment)
    return try dispatch(Invocation(parsed: parsed, settings: settings, terminal: terminal))
  } catch let error as UsageError {
    return ErrorReport(error).write(to: terminal, asJSON: parsed.isJSON)
  } catch let error as LedgerError {
    return ErrorReport(error).write(to: terminal, asJSON: parsed.isJSON)
  } catch {
    return ErrorReport(LedgerError(.unexpected, "\(error)")).write(to: terminal, asJSON: parsed.isJSON)
  }
}

private func dispatch(_ invocation: Invocation) throws -> Int32 {
  let (parsed, terminal) = (invocation.parsed, invocation.terminal)
  switch parsed.verb.name {
  case "balance": try BalanceCommand(invocation: invocation).run()
  case "buy": return try BuyCommand(invocation: invocation).run()
  case "catalog apply": try CatalogCommands(invocation: invocation).apply()
  case "catalog check": try CatalogCommands(invocation: invocation).check()
  case "catalog show": try CatalogCommands(invocation: invocation).show()
  case "completions": try AboutCommands.completions(parsed, on: terminal)
  case "customers": try CustomersCommand(invocation: invocation).run()
  case "demo": try DemoCommand(invocation: invocation).run()
  case "grant": try GrantCommand(invocation: invocation).run()
  case "help": try AboutCommands.help(parsed, on: terminal)
  case "history": try HistoryCommand(invocation: invocation).run()
  case "init": try InitCommand(invocation: invocation).run()
  case "offerings": try OfferingsCommand(invocation: invocation).run()
  case "spend": try SpendCommand(invocation: invocation).run()
  case "verify": try VerifyCommand(invocation: invocation).run()
  case "version": try AboutCommands.version(parsed, on: terminal)
  default: throw LedgerError.defect("\"\(parsed.verb.name)\" is a verb that nothing does")
  }
  return 0
}
