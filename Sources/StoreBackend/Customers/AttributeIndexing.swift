package import GemLedger

extension MaintenanceJob {
  /// The number of steps in one round, each of a hundred customers.
  private static let indexingStepsPerRound = 100

  /// Indexes the attributes of customers that an earlier version stored; it counts `steps`.
  ///
  /// Once all are indexed, a round costs one read.
  package static func attributeIndexing(of ledger: Ledger) -> Self {
    Self("attribute_indexing") { _ throws(LedgerError) in
      var steps = 0
      while steps < indexingStepsPerRound, !Task.isCancelled, try !ledger.attributes.buildIndex() { steps += 1 }
      return ["steps": steps]
    }
  }
}
