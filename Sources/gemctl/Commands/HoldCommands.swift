import GemLedger

/// `hold`, `holds`, `capture`, `extend`, `release`.
struct HoldCommands {
  let invocation: Invocation

  func hold() throws {
    let command = LedgerCommand.hold(
      try invocation.amounts(), customer: try invocation.customer(),
      for: try invocation.duration("--for") ?? LedgerCommand.holdDuration, key: try invocation.key(),
      details: try invocation.details())
    let booking = try book(command)
    let view = HoldView(booking, isDryRun: invocation.parsed.isDryRun)
    try invocation.print(view.json, { view.text(style: $0) })
  }

  func extend() throws {
    guard let duration = try invocation.duration("--for") else {
      throw UsageError("\"extend\" needs --for TIME", verb: invocation.parsed.verb)
    }
    let booking = try book(
      .extend(try id(), for: duration, key: try invocation.key(), details: try invocation.details()))
    let view = HoldView(booking, isDryRun: invocation.parsed.isDryRun)
    try invocation.print(view.json, { view.text(style: $0) })
  }

  func capture() throws {
    let amounts = try invocation.amounts(from: 1)
    let command = LedgerCommand.capture(
      try id(), amounts: amounts.isEmpty ? nil : amounts,
      keepsOpen: invocation.parsed.flags.contains("--keep-open"), key: try invocation.key(),
      details: try invocation.details())
    try tell(try book(command))
  }

  func release() throws {
    try tell(try book(.release(try id(), key: try invocation.key(), details: try invocation.details())))
  }

  func list() throws {
    let customer = try invocation.recoveredCustomer()
    let holds = try invocation.withLedger { (ledger) throws(LedgerError) in try ledger.holds(of: customer) }
    let json: JSONValue = ["customer_id": .string(customer.text), "holds": .array(holds.map(HoldView.json))]
    try invocation.print(json, { HoldView.table(holds, style: $0) })
  }

  private func id() throws(LedgerError) -> HoldID { try invocation.holdID(invocation.parsed.positionals[0]) }

  private func book(_ command: LedgerCommand) throws -> Booking {
    try invocation.book(command)
  }

  private func tell(_ booking: Booking) throws {
    let view = BookingView(booking, isDryRun: invocation.parsed.isDryRun)
    try invocation.print(view.json, { view.text(style: $0) })
  }
}
