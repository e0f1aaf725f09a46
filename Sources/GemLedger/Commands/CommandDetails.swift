/// The conditions of a command, and its texts for the journal.
public struct CommandDetails: Hashable, Sendable {
  /// The conditions for booking the command.
  public var conditions: [Condition]
  /// The caller's name for the subject of the command.
  public var reference: Reference?
  /// The reason that a person gave.
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
