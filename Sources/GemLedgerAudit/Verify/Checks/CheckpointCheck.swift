internal import GemLedger

/// Checks that accounts' histories have all checkpoints, and no others.
struct CheckpointCheck {
  private let context: VerifyContext
  /// Entries that must have checkpoints, collected for a batch read.
  private var expected: [EntryRow] = []

  init(_ context: VerifyContext) { self.context = context }

  /// Collects every 64th entry of an account, which must have a checkpoint.
  mutating func expect(_ entry: EntryRow) throws(LedgerError) {
    guard entry.version % CheckpointRow.interval == 0 else { return }
    expected.append(entry)
    if expected.count >= ScanPage.size { try checkExpected() }
  }

  mutating func checkExpected() throws(LedgerError) {
    guard !expected.isEmpty else { return }
    let checkpoints = try context.snapshot.checkpoints(
      expected.map { CheckpointAddress($0.account, version: $0.version) })
    for entry in expected {
      let checkpoint = checkpoints[CheckpointAddress(entry.account, version: entry.version)]
      guard checkpoint?.entry != entry.number || checkpoint?.transaction != entry.transaction else { continue }
      context.report(
        "anchors_replay",
        "\(context.name(of: entry.account)) has no or a wrong checkpoint at version \(entry.version)")
    }
    expected.removeAll(keepingCapacity: true)
  }

  /// Checks that no checkpoint exists without such an entry.
  func run(_ merges: MergedCustomers) throws(LedgerError) {
    try context.pages { (page: [CheckpointRow]) throws(LedgerError) in
      let entries = try context.snapshot.entries(page.map { RowAddress($0.entry, of: $0.account.customer) })
      // A merge's entries belong to several customers, the merge to the surviving customer.
      let transactions = try context.snapshot.transactions(
        page.map { RowAddress($0.transaction, of: merges.survivorsOfMerges[$0.transaction] ?? $0.account.customer) })
      for checkpoint in page {
        let entry = entries[checkpoint.entry]
        if entry?.account != checkpoint.account || entry?.version != checkpoint.version
          || transactions[checkpoint.transaction]?.createdAt != checkpoint.createdAt
        {
          context.report(
            "anchors_replay",
            "the checkpoint of \(context.name(of: checkpoint.account)) at version \(checkpoint.version) names entry "
              + "\(checkpoint.entry), which does not match")
        }
      }
    }
  }
}
