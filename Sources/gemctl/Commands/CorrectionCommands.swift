import GemLedger

/// `merge`, `unmerge`, `freeze`, `unfreeze`.
struct CorrectionCommands {
  let invocation: Invocation

  func merge() throws {
    let parsed = invocation.parsed
    guard let from = parsed.value("--from"), let into = parsed.value("--into") else {
      throw UsageError("\"merge\" needs --from ID and --into ID", verb: parsed.verb)
    }
    let command = LedgerCommand.merge(
      from: try CustomerID(from), into: try CustomerID(into), key: try invocation.key(),
      details: try invocation.details())
    try book(command)
  }

  func unmerge() throws {
    let survivor = try invocation.parsed.value("--from").map { (id) throws(LedgerError) in try CustomerID(id) }
    let booking = try invocation.book(
      .unmerge(
        try CustomerID(invocation.parsed.positionals[0]), from: survivor, key: try invocation.key(),
        details: try invocation.details()))
    let view = BookingView(booking, isDryRun: invocation.parsed.isDryRun, isBasket: true)
    var json = view.json
    if case .object(var object) = json, let report = booking.unmerged {
      object["unmerged"] = UnmergeView.json(report)
      json = .object(object)
    }
    try invocation.print(json) { style in
      (booking.unmerged.map { UnmergeView.text($0, style: style) } ?? "") + view.text(style: style)
    }
  }

  func freeze() throws {
    try book(
      .freeze(try invocation.customer(), reason: nil, key: try invocation.key(), details: try invocation.details()),
      "may not spend from now on")
  }

  func unfreeze() throws {
    try book(
      .unfreeze(try invocation.customer(), reason: nil, key: try invocation.key(), details: try invocation.details()),
      "may spend from now on")
  }

  /// - Parameter did: The sentence about the customer, for a command without a table.
  private func book(_ command: LedgerCommand, _ did: String? = nil) throws {
    let booking = try invocation.book(command)
    let view = BookingView(booking, isDryRun: invocation.parsed.isDryRun)
    try invocation.print(
      view.json,
      { style in
        let said = did.map { style.bold("\(SafeText.escaped(booking.customer.text)) \($0)") + "\n" }
        return (said ?? "") + view.text(style: style)
      })
  }
}
