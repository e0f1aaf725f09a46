public import GemLedger

/// The findings and steps of a repair of customers' ids.
public struct IDRepair: Hashable, Sendable {
  /// The repair of an id.
  public enum Action: String, Hashable, Sendable {
    /// The id again names the customer with this id in its row.
    case named
    /// The id named a missing customer, or a customer without that id; it was removed.
    case removed
    /// The customer's id belongs to another customer; the customer now has this id, which the operator chose.
    case renamed
  }

  /// An id that did not match its customer.
  public struct Step: Hashable, Sendable {
    /// The repair of the id.
    public let action: Action
    /// The id.
    public let id: CustomerID
    /// The number of the customer.
    public let customer: Int64
  }

  /// A problem that rows alone cannot resolve: an operator has to decide.
  public struct Question: Hashable, Sendable {
    /// The id.
    public let id: CustomerID
    /// The number of the customer.
    public let customer: Int64
    /// The problem, and the possible steps.
    public let message: String
  }

  /// The executed steps; for a dry run, the planned steps.
  public internal(set) var steps: [Step] = []
  /// The cases that were left unchanged.
  public internal(set) var questions: [Question] = []

  /// Makes an empty repair.
  public init() {}
}

extension Ledger {
  /// Repairs mismatches between ids and customers, after either of them was lost.
  ///
  /// A customer's row lists the customer's ids. If such an id names no customer, the repair makes it name this
  /// customer. An id that names a missing row, or a customer without that id, is removed. The journal is not changed,
  /// and a second run finds nothing to do. After an id was removed, restart every process that has the ledger open.
  ///
  /// - Parameters:
  ///   - names: New ids by customer number, for customers with an id that belongs to another customer now.
  ///   - isDryRun: Whether to return the steps without writing.
  /// - Throws: ``LedgerError`` with, in order of precedence, `storage_damaged` if rows cannot be read,
  ///   `invalid_request` if a name is for a customer that needs none, `already_exists` if another customer has the id.
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
      // A concurrent repair or erasure is possible: only problems that remain are repaired.
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
