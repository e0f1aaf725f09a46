import GemLedger

extension Verb {
  /// Verbs that merge, part and freeze whole customers.
  static let corrections = [merge, unmerge, freeze, unfreeze]

  private static let merge = Verb(
    name: "merge", group: .ledger, summary: "Merge two customers",
    options: [
      Option(
        "--from", "ID", kind: .name(.customers), isRequired: true,
        help: "Customer to merge; its ids stay valid"),
      Option("--into", "ID", kind: .name(.customers), isRequired: true, help: "Customer that remains"),
      .key, .reference, .reason, .dryRun,
    ],
    examples: ["gemctl merge --from guest-17 --into alice --key merge-17"],
    discussion: "Moves balances, lots, purchases, items and debts in one transaction. Then both ids name one customer."
  ) {
    try $0.answer(
      .merge(
        from: try $0.customer(of: "--from"), into: try $0.customer(of: "--into"), key: try $0.key(),
        details: try $0.details()))
  }

  private static let unmerge = Verb(
    name: "unmerge", group: .ledger, summary: "Undo a merge of two customers",
    arguments: [Argument("ID", kind: .name(.customers), help: "Id of the merged customer")],
    options: [
      Option(
        "--from", "ID", kind: .name(.customers),
        help: "Customer that ID must belong to (default: any)"),
      .key, .reference, .reason, .dryRun,
    ],
    examples: ["gemctl unmerge guest-17 --dry-run", "gemctl unmerge guest-17 --from alice --reason \"wrong account\""],
    discussion: """
      Ids, purchases and history return to the merged customer, with the remaining moved lots, debts and items. \
      The table shows the parts that no longer exist; they are not replaced. Undo later merges first, and end \
      holds on moved currency.
      """
  ) { try $0.unmerge() }

  private static let freeze = Verb(
    name: "freeze", group: .ledger, summary: "Stop a customer from spending",
    options: [Option("--reason", "TEXT", isRequired: true, help: "Reason for the journal")] + rest,
    examples: ["gemctl freeze --customer mallory --reason chargebacks"],
    discussion: "Purchases are still credited, refunds still booked, and open holds can still be captured."
  ) {
    try $0.answer(
      .freeze(try $0.customer(), reason: nil, key: try $0.key(), details: try $0.details()),
      did: "may not spend from now on")
  }

  private static let unfreeze = Verb(
    name: "unfreeze", group: .ledger, summary: "Allow a frozen customer to spend again",
    options: [Option("--reason", "TEXT", isRequired: true, help: "Reason for the journal")] + rest,
    examples: ["gemctl unfreeze --customer mallory --reason resolved"]
  ) {
    try $0.answer(
      .unfreeze(try $0.customer(), reason: nil, key: try $0.key(), details: try $0.details()),
      did: "may spend from now on")
  }

  private static let rest: [Option] = [.key, .reference, .dryRun]
}

extension Invocation {
  fileprivate func unmerge() throws {
    let survivor = try parsed.value("--from") { (id) throws(LedgerError) in
      try customer(named: id)
    }
    let booking = try book(
      .unmerge(
        try CustomerID(parsed.positionals[0]), from: survivor, key: try key(),
        details: try details()))
    let view = BookingView(booking, isDryRun: parsed.isDryRun, isBasket: true)
    var json = view.json
    if case .object(var object) = json, let report = booking.unmerged {
      object["unmerged"] = UnmergeView.json(report)
      json = .object(object)
    }
    try print(json) { style in
      (booking.unmerged.map { UnmergeView.text($0, style: style) } ?? "") + view.text(style: style)
    }
  }
}
