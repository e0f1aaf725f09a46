/// One request to the ledger: the customer, the action, and the idempotency key.
///
/// The methods of ``Ledger`` make commands and book them at once; make them yourself to submit many together with
/// ``Ledger/submit(_:)``.
public struct LedgerCommand: Sendable {
  /// The command's content.
  ///
  /// Copies of the command share it until one of them changes.
  private(set) var body: Body

  final class Body: Sendable {
    let customer: CustomerID
    let key: IdempotencyKey?
    let conditions: [Condition]
    let action: Action
    let note: Note?
    /// Computed with the command: the caller and not the lane spends the time for hashes and fingerprint.
    let customerHash: Int
    let keyHash: Int
    let fingerprint: Fingerprint
    let idCheck: IDCheck

    init(
      _ command: some Command, customer: CustomerID, key: IdempotencyKey?, conditions: [Condition], note: Note?
    ) {
      self.customer = customer
      self.key = key
      self.conditions = conditions
      action = command.action
      self.note = note
      customerHash = ByteHash.of(customer.text)
      keyHash = key.map { ByteHash.of($0.text) } ?? 0
      fingerprint = Fingerprint(asked: command.asked, conditions: conditions, reference: note?.reference)
      idCheck = command.namedCustomers.haveUnusable(customer) ? .unusable : .none
    }

    /// The same request with another key, conditions or note; the digest of the action is not computed again.
    init(_ other: Body, key: IdempotencyKey?, conditions: [Condition], note: Note?) {
      customer = other.customer
      self.key = key
      self.conditions = conditions
      action = other.action
      self.note = note
      customerHash = other.customerHash
      keyHash = key == other.key ? other.keyHash : key.map { ByteHash.of($0.text) } ?? 0
      fingerprint = Fingerprint(
        asked: other.fingerprint.asked, conditions: conditions, reference: note?.reference)
      idCheck = other.idCheck
    }

    /// The same request, in the ledger's form.
    init(_ other: Body, action: Action, idCheck: IDCheck) {
      customer = other.customer
      key = other.key
      conditions = other.conditions
      self.action = action
      note = other.note
      customerHash = other.customerHash
      keyHash = other.keyHash
      fingerprint = other.fingerprint
      self.idCheck = idCheck
    }
  }

  final class Note: Sendable {
    let reference: Reference?
    let reason: Reason?
    let actor: ActorName?

    /// Nil if all three are nil.
    init?(reference: Reference?, reason: Reason?, actor: ActorName?) {
      guard reference != nil || reason != nil || actor != nil else { return nil }
      self.reference = reference
      self.reason = reason
      self.actor = actor
    }
  }

  init(
    _ command: some Command, customer: CustomerID, key: IdempotencyKey?, details: CommandDetails = CommandDetails()
  ) {
    let note = Note(reference: details.reference, reason: details.reason, actor: details.actor)
    body = Body(command, customer: customer, key: key, conditions: details.conditions, note: note)
  }
}

extension LedgerCommand {
  /// The customer that the command acts on.
  public var customer: CustomerID { body.customer }

  /// The idempotency key: the same key with the same request always gives the same answer.
  public var key: IdempotencyKey? {
    get { body.key }
    set { change(key: newValue, conditions: conditions, note: body.note) }
  }

  /// The conditions for booking the command.
  public var conditions: [Condition] {
    get { body.conditions }
    set { change(key: key, conditions: newValue, note: body.note) }
  }

  /// The caller's name for the subject of the command.
  public var reference: Reference? {
    get { body.note?.reference }
    set { change(key: key, conditions: conditions, note: Note(reference: newValue, reason: reason, actor: actor)) }
  }

  /// The reason that a person gave.
  public var reason: Reason? {
    get { body.note?.reason }
    set { change(key: key, conditions: conditions, note: Note(reference: reference, reason: newValue, actor: actor)) }
  }

  /// The person, service or key that sent the command.
  public var actor: ActorName? {
    get { body.note?.actor }
    set { change(key: key, conditions: conditions, note: Note(reference: reference, reason: reason, actor: newValue)) }
  }

  func withAction(_ action: Action) -> Self {
    var command = self
    command.body = Body(body, action: action, idCheck: body.idCheck)
    return command
  }

  /// Returns the same command for a customer id that the ledger found.
  ///
  /// A paid purchase is credited to an erased customer too, if the store transaction names that customer.
  package func namedByLedger() -> Self {
    var command = self
    command.body = Body(body, action: body.action, idCheck: .none)
    return command
  }

  /// Returns the same command, refused with `condition_failed` unless the customer has anonymous ids only.
  ///
  /// The commit decides this: the customer may sign in after the caller looked.
  package func whileAnonymous() -> Self {
    guard body.idCheck == .none else { return self }
    var command = self
    command.body = Body(body, action: body.action, idCheck: .anonymous)
    return command
  }

  private mutating func change(key: IdempotencyKey?, conditions: [Condition], note: Note?) {
    body = Body(body, key: key, conditions: conditions, note: note)
  }
}
