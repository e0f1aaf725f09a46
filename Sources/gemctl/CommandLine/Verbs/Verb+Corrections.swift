import GemLedger

extension Verb {
  /// Verbs that merge, part and freeze whole customers.
  static let corrections = [merge, unmerge, freeze, unfreeze]

  private static let merge = Verb(
    name: "merge", group: .ledger, summary: "Merge two customers",
    options: [
      Option(
        name: "--from", value: "ID", kind: .name(.customers), isRequired: true,
        help: "Customer to merge; its ids stay valid"),
      Option(name: "--into", value: "ID", kind: .name(.customers), isRequired: true, help: "Customer that remains"),
      .key, .reference, .reason, .dryRun,
    ],
    examples: ["gemctl merge --from guest-17 --into alice --key merge-17"],
    discussion: "Moves balances, lots, purchases, items and debts in one transaction. Then both ids name one customer."
  ) { try CorrectionCommands(invocation: $0).merge() }

  private static let unmerge = Verb(
    name: "unmerge", group: .ledger, summary: "Undo a merge of two customers",
    arguments: [Argument(name: "ID", kind: .name(.customers), help: "Id of the merged customer")],
    options: [
      Option(
        name: "--from", value: "ID", kind: .name(.customers),
        help: "Customer that ID must belong to (default: any)"),
      .key, .reference, .reason, .dryRun,
    ],
    examples: ["gemctl unmerge guest-17 --dry-run", "gemctl unmerge guest-17 --from alice --reason \"wrong account\""],
    discussion: """
      Ids, purchases and history return to the merged customer, with the remaining moved lots, debts and items. \
      The table shows the parts that no longer exist; they are not replaced. Undo later merges first, and end \
      holds on moved currency.
      """
  ) { try CorrectionCommands(invocation: $0).unmerge() }

  private static let freeze = Verb(
    name: "freeze", group: .ledger, summary: "Stop a customer from spending",
    options: [Option(name: "--reason", value: "TEXT", isRequired: true, help: "Reason for the journal")] + rest,
    examples: ["gemctl freeze --customer mallory --reason chargebacks"],
    discussion: "Purchases are still credited, refunds still booked, and open holds can still be captured."
  ) { try CorrectionCommands(invocation: $0).freeze() }

  private static let unfreeze = Verb(
    name: "unfreeze", group: .ledger, summary: "Allow a frozen customer to spend again",
    options: [Option(name: "--reason", value: "TEXT", isRequired: true, help: "Reason for the journal")] + rest,
    examples: ["gemctl unfreeze --customer mallory --reason resolved"]
  ) { try CorrectionCommands(invocation: $0).unfreeze() }

  private static let rest: [Option] = [.key, .reference, .dryRun]
}

/// The actions of these verbs.
private struct CorrectionCommands {
  let invocation: Invocation

  func merge() throws {
    let parsed = invocation.parsed
    guard let from = parsed.value("--from"), let into = parsed.value("--into") else {
      throw UsageError("\"merge\" needs --from ID and --into ID", verb: parsed.verb)
    }
    let command = LedgerCommand.merge(
      from: try invocation.customer(named: from), into: try invocation.customer(named: into), key: try invocation.key(),
      details: try invocation.details())
    try book(command)
  }

  func unmerge() throws {
    let survivor = try invocation.parsed.value("--from").map { (id) throws(LedgerError) in
      try invocation.customer(named: id)
    }
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
