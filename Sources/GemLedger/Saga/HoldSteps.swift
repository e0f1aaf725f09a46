/// A hold for an action elsewhere: every step's key is derived from one key, so that a retry with that key finishes it.
package struct HoldSteps: Sendable {
  package let ledger: Ledger
  package let customer: CustomerID
  package internal(set) var amounts: [Adjustment]
  /// The key from which the steps' keys are derived.
  package let key: IdempotencyKey
  /// The purpose of the hold, stored with every step.
  package let reference: Reference
  package let duration: Duration
  /// Whether the hold begins only if the customer has no other ids than anonymous ids.
  package var isOfAnonymous = false
  /// The number of the hold for this purpose; each begins after the one before it has ended unspent.
  var attempt = 1

  /// - Throws: `invalid_identifier` if the key is too long for the steps' keys: at most 239 bytes.
  package init(
    ledger: Ledger, customer: CustomerID, amounts: [Adjustment], key: IdempotencyKey, reference: Reference,
    duration: Duration
  ) throws(LedgerError) {
    // Each step's key must be valid before the first step runs.
    _ = try IdempotencyKey("\(key.text)/the step's name")
    self.ledger = ledger
    self.customer = customer
    self.amounts = amounts
    self.key = key
    self.reference = reference
    self.duration = duration
  }

  /// The state of a begun hold.
  package enum State: Sendable {
    case open
    case spent(Booking)
    /// Released by one of these steps, with the reason.
    case released(String)
    /// Ended by its deadline, or by another command.
    case ended
  }

  package enum Payment: Sendable {
    case paid(Booking)
    /// The hold has ended, and the owed currency is not available.
    case unpaid(LedgerError)
  }

  package func key(of step: String) throws(LedgerError) -> IdempotencyKey {
    try IdempotencyKey(attempt == 1 ? "\(key.text)/\(step)" : "\(key.text)/\(step)/\(attempt)")
  }

  // MARK: Reading

  /// Returns the hold; nil if none was begun.
  package func begun() throws(LedgerError) -> HoldID? {
    do throws(LedgerError) {
      let booking = try ledger.preview(begin)
      return booking.isReplayed ? booking.hold?.id : nil
    } catch {
      guard error.isRefusal else { throw error }
      return nil
    }
  }

  /// Returns the stored refusal of the hold; nil if there is none.
  package func refusal() throws(LedgerError) -> LedgerError? {
    do throws(LedgerError) {
      _ = try ledger.preview(begin)
      return nil
    } catch {
      guard error.isRefusal else { throw error }
      return error.isReplayed ? error : nil
    }
  }

  package func state(of hold: HoldID) throws(LedgerError) -> State {
    do throws(LedgerError) {
      let capture = try ledger.preview(capture(hold))
      return capture.isReplayed ? .spent(capture) : .open
    } catch {
      guard error.code == .holdEnded else { throw error }
    }
    if let booking = try lateSpend(of: amounts).booking { return .spent(booking) }
    do throws(LedgerError) {
      let release = try ledger.preview(release(hold))
      if release.isReplayed, let id = release.transactionID {
        return .released(try ledger.transaction(id).reason?.text ?? "")
      }
    } catch {
      guard error.code == .holdEnded else { throw error }
    }
    return .ended
  }

  // MARK: Steps

  package func hold() async throws(LedgerError) -> Booking { try await ledger.book(begin) }

  /// Extends the hold by its full duration, unless it has ended or has its maximum duration.
  func extend(_ hold: HoldID) async throws(LedgerError) {
    do throws(LedgerError) {
      _ = try await ledger.book(.extend(hold, for: duration))
    } catch {
      guard error.code == .holdEnded || error.code == .limitExceeded else { throw error }
    }
  }

  /// Spends the held amounts, or, if the hold has ended, the amounts still owed.
  package func spend(_ hold: HoldID?) async throws(LedgerError) -> Payment {
    guard let hold else { return try await spendLate(amounts) }
    do throws(LedgerError) {
      return .paid(try await ledger.book(capture(hold)))
    } catch {
      guard error.code == .holdEnded else { throw error }
    }
    let (due, transaction) = try due(after: hold)
    if due.isEmpty, let transaction { return .paid(try ledger.transaction(transaction).booking) }
    return try await spendLate(due)
  }

  /// Returns the unspent amounts of an ended hold: an operator may have captured it without the step's key.
  func due(after hold: HoldID) throws(LedgerError) -> (amounts: [Adjustment], last: TransactionID?) {
    let (captured, transaction) = try captures(of: hold)
    let due = amounts.compactMap { amount -> Adjustment? in
      let rest = amount.amount - (captured[amount.currency] ?? 0)
      return rest > 0 ? Adjustment(amount.currency, rest) : nil
    }
    return (due, transaction)
  }

  /// Releases the held amounts; does nothing if the hold has ended.
  package func release(_ hold: HoldID, because reason: String) async throws(LedgerError) {
    var command = try release(hold)
    command.reason = Self.reason(reason)
    do throws(LedgerError) {
      _ = try await ledger.book(command)
    } catch {
      guard error.code == .holdEnded else { throw error }
    }
  }

  private func spendLate(_ due: [Adjustment]) async throws(LedgerError) -> Payment {
    let found = try lateSpend(of: due)
    if let booking = found.booking { return .paid(booking) }
    do throws(LedgerError) {
      // A preview checks it first: the key would store a refusal, but the same spend must be possible later.
      _ = try ledger.preview(found.command)
      return .paid(try await ledger.book(found.command))
    } catch {
      guard error.isRefusal else { throw error }
      return .unpaid(error)
    }
  }

  // MARK: Commands

  var begin: LedgerCommand {
    get throws(LedgerError) {
      let hold = noted(.hold(amounts, customer: customer, for: duration, key: try key(of: "hold")))
      return isOfAnonymous ? hold.whileAnonymous() : hold
    }
  }

  func capture(_ hold: HoldID) throws(LedgerError) -> LedgerCommand {
    noted(.capture(hold, key: try key(of: "capture")))
  }

  private func release(_ hold: HoldID) throws(LedgerError) -> LedgerCommand {
    noted(.release(hold, key: try key(of: "release")))
  }

  private func noted(_ command: LedgerCommand) -> LedgerCommand {
    var command = command
    command.reference = reference
    return command
  }

  /// Returns the spend in place of an ended hold: its booking, or else the command to book.
  ///
  /// If the balance changed between preview and booking, a refused attempt has used up its key. The next attempt has
  /// another key, and exists only if the attempt before it was refused for good: at most one of them is booked.
  private func lateSpend(of due: [Adjustment]) throws(LedgerError) -> (booking: Booking?, command: LedgerCommand) {
    var number = 1
    while true {
      let step = number == 1 ? "late" : "late.\(number)"
      let command = noted(try .spend(due, customer: customer, key: key(of: step)))
      do throws(LedgerError) {
        let booking = try ledger.preview(command)
        return (booking.isReplayed ? booking : nil, command)
      } catch {
        guard error.isReplayed else {
          guard error.isRefusal else { throw error }
          return (nil, command)
        }
      }
      number += 1
    }
  }

  /// Returns the captured amounts of the hold, by any command.
  private func captures(
    of hold: HoldID
  ) throws(LedgerError) -> (amounts: [CurrencyCode: Int64], last: TransactionID?) {
    try ledger.reading {
      (snapshot, definitions) throws(LedgerError) -> (amounts: [CurrencyCode: Int64], last: TransactionID?) in
      guard let number = definitions.transactionIDs.number(of: hold.transactionID) else { return ([:], nil) }
      let row = try CustomerFinder(snapshot).customer(customer)
      var (amounts, last): ([CurrencyCode: Int64], TransactionID?) = ([:], nil)
      for effect in try snapshot.events(about: number, ofAny: CustomerFinder(snapshot).numbers(of: row))
      where effect.kind == .captured {
        guard let code = definitions.currency(number: effect.currency)?.code else { continue }
        amounts[code, default: 0] += effect.amount
        last = definitions.transactionIDs.id(number: effect.transaction, createdAt: effect.createdAt)
      }
      return (amounts, last)
    }
  }

  /// Returns the text as a reason, shortened to its limit and without control characters.
  private static func reason(_ text: String) -> Reason? {
    var kept = ""
    for character in text {
      let character = ControlCharacters.occur(in: String(character)) ? " " : character
      guard kept.utf8.count + String(character).utf8.count <= Limits.reasonBytes else { break }
      kept.append(character)
    }
    return kept.isEmpty ? nil : Reason(unchecked: kept)
  }
}

extension LedgerError {
  /// Whether the ledger refused the command; all other errors mean that it could not answer.
  package var isRefusal: Bool { code.kind.row.httpStatus < 500 }
}
