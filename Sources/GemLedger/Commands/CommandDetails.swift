/// The conditions of a command, and what the journal notes beside it.
public struct CommandDetails: Hashable, Sendable {
  /// What must hold for the command to be booked.
  public var conditions: [Condition]
  /// The caller's own name for what this is about.
  public var reference: Reference?
  /// Why a person asked.
  public var reason: Reason?
  /// The person or program that asked.
  public var actor: ActorName?

  /// Details of a command; none unless given.
  public init(
    conditions: [Condition] = [], reference: Reference? = nil, reason: Reason? = nil, actor: ActorName? = nil
  ) {
    self.conditions = conditions
    self.reference = reference
    self.reason = reason
    self.actor = actor
  }
}
