import GemLedger

extension Verb {
  /// Verbs that correct whole customers, with their work below.
  static let corrections = [merge, unmerge, freeze, unfreeze]

  private static let merge = Verb(
    name: "merge", group: .ledger, summary: "Make two customers one",
    options: [
      Option(
        name: "--from", value: "ID", kind: .name(.customers), isRequired: true,
        help: "The customer that ends; the id goes on to work"),
      Option(name: "--into", value: "ID", kind: .name(.customers), isRequired: true, help: "The customer that stays"),
      .key, .reference, .reason, .dryRun,
    ],
    examples: ["gemctl merge --from guest-17 --into alice --key merge-17"],
    discussion: "Balances, lots, purchases, items and debts move in one transaction; both ids name the one customer."
  ) { try CorrectionCommands(invocation: $0).merge() }

  private static let unmerge = Verb(
    name: "unmerge", group: .ledger, summary: "Part two customers that a merge made one",
    arguments: [Argument(name: "ID", kind: .name(.customers), help: "An id that the merged customer brought along")],
    options: [
      Option(
        name: "--from", value: "ID", kind: .name(.customers),
        help: "The customer that it must be part of (default: whichever)"),
      .key, .reference, .reason, .dryRun,
    ],
    examples: ["gemctl unmerge guest-17 --dry-run", "gemctl unmerge guest-17 --from alice --reason \"wrong account\""],
    discussion: """
      Ids, purchases and history of the merged customer are its own again, and so is what is left of the lots, debts \
      and items that the merge moved. The table shows what is not there any more; the survivor gives nothing else for \
      it. \
      Undo later merges first, and end holds on moved currency.
      """
  ) { try CorrectionCommands(invocation: $0).unmerge() }

  private static let freeze = Verb(
    name: "freeze", group: .ledger, summary: "Stop a customer from spending",
    options: [Option(name: "--reason", value: "TEXT", isRequired: true, help: "Why; kept in the journal")] + rest,
    examples: ["gemctl freeze --customer mallory --reason chargebacks"],
    discussion: "Purchases are still credited, refunds still take, and what is on hold can still be captured."
  ) { try CorrectionCommands(invocation: $0).freeze() }

  private static let unfreeze = Verb(
    name: "unfreeze", group: .ledger, summary: "Let a frozen customer spend again",
    options: [Option(name: "--reason", value: "TEXT", isRequired: true, help: "Why; kept in the journal")] + rest,
    examples: ["gemctl unfreeze --customer mallory --reason resolved"]
  ) { try CorrectionCommands(invocation: $0).unfreeze() }

  private static let rest: [Option] = [.key, .reference, .dryRun]
}

/// The work of these verbs.
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
