import GemLedger
import GemLedgerAudit
import LedgerCharts

extension StorageCommands {
  /// `storage repair`: ids without a customer, and customers without their ids.
  func repair() throws {
    let names = try idsNamed()
    let isDryRun = invocation.parsed.isDryRun
    let repair = try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.repairIDs(naming: names, isDryRun: isDryRun)
    }
    try invocation.print(Self.json(repair, isDryRun: isDryRun)) { _ in Self.text(repair, isDryRun: isDryRun) }
    guard repair.questions.isEmpty else {
      throw LedgerError(
        .booksWrong, "Ids of two customers, which need a decision: \(repair.questions.count).",
        details: [.integer("problems", Int64(repair.questions.count))])
    }
  }

  private func idsNamed() throws -> [Int64: CustomerID] {
    guard let text = invocation.parsed.value("--id") else { return [:] }
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, case .value(let number) = PlainNumber(parts[0]), number > 0 else {
      throw invocation.usageError("--id takes NUMBER=ID, such as 4711=alice")
    }
    return [number: try CustomerID(parts[1])]
  }

  private static func json(_ repair: IDRepair, isDryRun: Bool) -> JSONValue {
    [
      "dry_run": .bool(isDryRun),
      "steps": .array(repair.steps) {
        ["action": .string($0.action.rawValue), "id": .string($0.id.text), "customer_number": .integer($0.customer)]
      },
      "questions": .array(repair.questions) {
        ["id": .string($0.id.text), "customer_number": .integer($0.customer), "message": .string($0.message)]
      },
    ]
  }

  private static func text(_ repair: IDRepair, isDryRun: Bool) -> String {
    var text = ""
    if !repair.steps.isEmpty { text += isDryRun ? "Dry run; the repair would be:\n" : "Repaired:\n" }
    for step in repair.steps {
      let id = SafeText.escaped(step.id.text)
      switch step.action {
      case .named: text += "  \(id) names customer number \(step.customer) again\n"
      case .removed: text += "  \(id) no longer names customer number \(step.customer)\n"
      case .renamed: text += "  customer number \(step.customer) has the id \(id) now\n"
      }
    }
    for question in repair.questions { text += "  \(SafeText.escaped(question.message))\n" }
    return text.isEmpty ? "Nothing to repair: all ids name their customers.\n" : text
  }
}
