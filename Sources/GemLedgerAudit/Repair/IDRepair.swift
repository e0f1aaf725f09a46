public import GemLedger

/// What a repair of customers' ids found and did.
public struct IDRepair: Hashable, Sendable {
  /// What is done about an id.
  public enum Action: String, Hashable, Sendable {
    /// The id names the customer again, whose row has it.
    case named
    /// The id named a customer who is not there, or whose it is not, and names nobody now.
    case removed
    /// The customer's own id is somebody else's; the customer has this one now, which the operator named.
    case renamed
  }

  /// One id that did not go together with its customer.
  public struct Step: Hashable, Sendable {
    /// What is done about it.
    public let action: Action
    /// The id.
    public let id: CustomerID
    /// The number of the customer.
    public let customer: Int64
  }

  /// What rows alone cannot tell, and an operator has to decide.
  public struct Question: Hashable, Sendable {
    /// The id.
    public let id: CustomerID
    /// The number of the customer.
    public let customer: Int64
    /// What is wrong, and what can be done.
    public let message: String
  }

  /// What was done, or is to be done where nothing was written.
  public internal(set) var steps: [Step] = []
  /// What was left as it is.
  public internal(set) var questions: [Question] = []

  /// One that finds nothing to do.
  public init() {}
}

extension Ledger {
  /// Makes ids and customers go together again, where one was lost without the other.
  ///
  /// A customer's own row says which ids are the customer's. An id that such a row has and that names nobody is made to
  /// name it; an id that names nobody's row, or somebody who does not have it, is removed. The journal is not touched,
  /// and a second run finds nothing more to do. Restart what has the ledger open after an id was removed.
  ///
  /// - Parameters:
  ///   - names: New ids, by the number of the customer, for those whose own id is somebody else's by now.
  ///   - isDryRun: Says what it would do, and writes nothing.
  /// - Throws: ``LedgerError`` with, in order of precedence, `storage_damaged` where rows cannot be read,
  ///   `invalid_request` where a name is for a customer who needs none, `already_exists` where it is somebody's.
  @discardableResult
  public func repairIDs(
    naming names: [Int64: CustomerID] = [:], isDryRun: Bool = false
  ) throws(LedgerError) -> IDRepair {
    let found = try storage.read { (snapshot) throws(LedgerError) -> IDFinder in
      var finder = IDFinder(snapshot)
      try finder.findAll()
      try finder.name(names)
      return finder
    }
    let (changes, plan) = (found.changes, found.repair)
    if isDryRun || changes.isEmpty { return plan }
    return try storage.commit(lanes: Array(0..<storage.laneCount)) { (session) throws(LedgerError) -> IDRepair in
      // Somebody may have repaired or erased in between: only what is wrong still is written.
      var finder = IDFinder(session)
      try finder.find(again: changes)
      try finder.name(names)
      var repair = finder.repair
      repair.questions = plan.questions
      guard !finder.changes.isEmpty else { return repair }
      var written = ChangeSet()
      written.ownRare.idChanges = finder.changes
      try session.write(written)
      return repair
    }
  }
}
