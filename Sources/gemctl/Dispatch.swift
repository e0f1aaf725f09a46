import GemLedger

/// Understands a command line, does what it asks for, and gives the exit status.
///
/// - Parameters:
///   - words: The words after the program's name.
///   - clock: What the ledger takes for the time.
///   - environment: The value of a variable, or nil where it is not set.
func runLine(
  _ words: [String], on terminal: Terminal, clock: LedgerClock = .system, environment: (String) -> String?
) -> Int32 {
  do throws(UsageError) {
    return run(try Parser.parse(words), on: terminal, clock: clock, environment: environment)
  } catch {
    return ErrorReport(error).write(to: terminal, asJSON: Parser.asksForJSON(words))
  }
}

/// Does what the command line asks for and gives the exit status.
func run(
  _ parsed: Parsed, on terminal: Terminal, clock: LedgerClock = .system, environment: (String) -> String?
) -> Int32 {
  do {
    let settings = GlobalSettings(parsed, environment: environment)
    return try dispatch(Invocation(parsed: parsed, settings: settings, terminal: terminal, clock: clock))
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
  case "alias": try IdentityCommands(invocation: invocation).alias()
  case "approve": try StoreCommands(invocation: invocation).approve()
  case "balance": try BalanceCommand(invocation: invocation).run()
  case "basket": try EconomyCommands(invocation: invocation).basket()
  case "buy": return try BuyCommand(invocation: invocation).run()
  case "capture": try HoldCommands(invocation: invocation).capture()
  case "completions": try AboutCommands.completions(parsed, on: terminal)
  case "consumed": try RefundCommands(invocation: invocation).consumed()
  case "customers": try CustomersCommand(invocation: invocation).run()
  case "decline": try StoreCommands(invocation: invocation).decline()
  case "demo": try DemoCommand(invocation: invocation).run()
  case "entitlements": try ClientCommands(invocation: invocation).entitlements()
  case "erase": try EconomyCommands(invocation: invocation).erase()
  case "exchange": try EconomyCommands(invocation: invocation).exchange()
  case "extend": try HoldCommands(invocation: invocation).extend()
  case "explain": try ExplainCommand(invocation: invocation).run()
  case "export": try ExportCommand(invocation: invocation).run()
  case "feed": try FeedCommand(invocation: invocation).run()
  case "flows": try FlowsCommand(invocation: invocation).run()
  case "freeze": try CorrectionCommands(invocation: invocation).freeze()
  case "grant": try GrantCommand(invocation: invocation).run()
  case "help": try AboutCommands.help(parsed, on: terminal)
  case "history": try HistoryCommand(invocation: invocation).run()
  case "hold": try HoldCommands(invocation: invocation).hold()
  case "holds": try HoldCommands(invocation: invocation).list()
  case "import": try ImportCommand(invocation: invocation).run()
  case "init": try InitCommand(invocation: invocation).run()
  case "items": try ItemsCommand(invocation: invocation).run()
  case "login": try IdentityCommands(invocation: invocation).logIn()
  case "logout": try IdentityCommands(invocation: invocation).logOut()
  case "merge": try CorrectionCommands(invocation: invocation).merge()
  case "offerings": try OfferingsCommand(invocation: invocation).run()
  case "orders": try ClientCommands(invocation: invocation).orders()
  case "release": try HoldCommands(invocation: invocation).release()
  case "restore": try ClientCommands(invocation: invocation).restore()
  case "reverse": try EconomyCommands(invocation: invocation).reverse()
  case "simulate": try SimulateCommand(invocation: invocation).run()
  case "seal": try VerifyCommand(invocation: invocation).seal()
  case "spend": try SpendCommand(invocation: invocation).run()
  case "spends": try RefundCommands(invocation: invocation).spends()
  case "statement": try StatementCommand(invocation: invocation).run()
  case "sweep": try SweepCommand(invocation: invocation).run()
  case "transfer": try EconomyCommands(invocation: invocation).transfer()
  case "unfreeze": try CorrectionCommands(invocation: invocation).unfreeze()
  case "unspent": try UnspentCommand(invocation: invocation).run()
  case "verify": try VerifyCommand(invocation: invocation).run()
  case "version": try AboutCommands.version(parsed, on: terminal)
  case "whoami": try IdentityCommands(invocation: invocation).whoAmI()
  case "withdrawable": try RefundCommands(invocation: invocation).withdrawable()
  default: return try dispatchParts(invocation)
  }
  return 0
}

/// Verbs of two words, and what works off the queue.
private func dispatchParts(_ invocation: Invocation) throws -> Int32 {
  switch invocation.parsed.verb.name {
  case "catalog apply": try CatalogCommands(invocation: invocation).apply()
  case "catalog check": try CatalogCommands(invocation: invocation).check()
  case "catalog show": try CatalogCommands(invocation: invocation).show()
  case "queue", "queue list": try QueueCommands(invocation: invocation).list()
  case "queue drain": return try QueueCommands(invocation: invocation).drain()
  case "queue requeue": return try QueueCommands(invocation: invocation).requeue()
  case "storage copy": try StorageCommands(invocation: invocation).copy()
  case "storage distribute": try StorageCommands(invocation: invocation).distribute()
  case "storage grant": try StorageCommands(invocation: invocation).grant()
  case "storage repair": try StorageCommands(invocation: invocation).repair()
  case "storage lanes": try StorageCommands(invocation: invocation).setLanes()
  case "store fault": try StoreCommands(invocation: invocation).fault()
  case "store list": try StoreCommands(invocation: invocation).list()
  case "store redeliver": try StoreCommands(invocation: invocation).redeliver()
  case "store refund": try StoreCommands(invocation: invocation).refund()
  case "store reverse-refund": try StoreCommands(invocation: invocation).reverseRefund()
  case "sync": return try QueueCommands(invocation: invocation).sync()
  default: throw LedgerError.defect("\"\(invocation.parsed.verb.name)\" is a verb that nothing does")
  }
  return 0
}
