public import GemLedger

/// The findings and steps of a repair of customers' ids.
public struct IDRepair: Hashable, Sendable {
  /// The repair of an id.
  public enum Action: String, Hashable, Sendable {
    /// The id names again the customer with it in the row.
    case named
    /// The id named a missing customer, or one without that id, and names none now.
    case removed
    /// The customer's own id belongs to another customer; the customer has this one now, which the operator named.
    case renamed
  }

  /// One id that did not go together with its customer.
  public struct Step: Hashable, Sendable {
    /// The repair of the id.
    public let action: Action
    /// The id.
    public let id: CustomerID
    /// The number of the customer.
    public let customer: Int64
  }

  /// A question that rows alone cannot answer, and an operator has to decide.
  public struct Question: Hashable, Sendable {
    /// The id.
    public let id: CustomerID
    /// The number of the customer.
    public let customer: Int64
    /// The problem, and the possible steps.
    public let message: String
  }

  /// The steps done, or the steps to do where nothing was written.
  public internal(set) var steps: [Step] = []
  /// The cases that were left as they are.
  public internal(set) var questions: [Question] = []

  /// One that finds nothing to do.
  public init() {}
}

extension Ledger {
  /// Makes ids and customers go together again, where one was lost without the other.
  ///
  /// A customer's own row says which ids are the customer's. An id in such a row that names no customer is made to name
  /// it. An id that names a missing row, or a customer without that id, is removed. The journal is not touched, and a
  /// second run finds nothing more to do. After an id was removed, restart every process that has the ledger open.
  ///
  /// - Parameters:
  ///   - names: New ids, by the number of the customer, for customers with an own id that belongs to another one by
  ///     now.
  ///   - isDryRun: Whether only to return the steps, and to write nothing.
  /// - Throws: ``LedgerError`` with, in order of precedence, `storage_damaged` where rows cannot be read,
  ///   `invalid_request` where a name is for a customer that needs none, `already_exists` where another customer has
  ///   it.
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
    return try storage.commit(lanes: Array(0..<storage.traits.laneCount)) { (session) throws(LedgerError) -> IDRepair in
      // Another repair or an erasure may have come in between: only problems that remain are repaired.
      var finder = IDFinder(session)
      try finder.find(again: changes)
      try finder.name(names)
      var repair = finder.repair
      repair.questions = plan.questions
      guard !finder.changes.isEmpty else { return repair }
      var written = ChangeSet()
      written.ownCold.idChanges = finder.changes
      try session.write(written)
      return repair
    }
  }
}
