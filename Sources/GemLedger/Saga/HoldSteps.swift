/// A hold for something that happens elsewhere: every step has a key that is made from one key, so that whoever comes
/// again with that key finishes what was begun.
package struct HoldSteps: Sendable {
  package let ledger: Ledger
  package let customer: CustomerID
  package internal(set) var amounts: [Adjustment]
  /// The key that those of the steps are made from.
  package let key: IdempotencyKey
  /// Says what it is for, on every step.
  package let reference: Reference
  package let duration: Duration
  /// Counts the holds that were begun for the same, each because the one before it had ended unspent.
  var attempt = 1

  /// - Throws: `invalid_identifier` where the key is too long to have steps: 239 bytes are the most.
  package init(
    ledger: Ledger, customer: CustomerID, amounts: [Adjustment], key: IdempotencyKey, reference: Reference,
    duration: Duration
  ) throws(LedgerError) {
    // Each step must have its key before the first one is taken.
    _ = try IdempotencyKey("\(key.text)/the step's name")
    self.ledger = ledger
    self.customer = customer
    self.amounts = amounts
    self.key = key
    self.reference = reference
    self.duration = duration
  }

  /// How a hold stands that was begun.
  package enum Standing: Sendable {
    case open
    case spent(Receipt)
    /// Given back by a step of this one, for that reason.
    case released(String)
    /// By its deadline, or by somebody else.
    case ended
  }

  package enum Payment: Sendable {
    case paid(Receipt)
    /// The hold has ended, and what is due is not there.
    case unpaid(LedgerError)
  }

  package func key(of step: String) throws(LedgerError) -> IdempotencyKey {
    try IdempotencyKey(attempt == 1 ? "\(key.text)/\(step)" : "\(key.text)/\(step)/\(attempt)")
  }

  // MARK: Looking

  /// The hold, where one was begun.
  package func begun() throws(LedgerError) -> HoldID? {
    do throws(LedgerError) {
      let receipt = try ledger.preview(begin)
      return receipt.isReplayed ? receipt.hold?.id : nil
    } catch {
      guard error.isRefusal else { throw error }
      return nil
    }
  }

  /// Why the hold could not be begun, where that was the answer.
  package func refusal() throws(LedgerError) -> LedgerError? {
    do throws(LedgerError) {
      _ = try ledger.preview(begin)
      return nil
    } catch {
      guard error.isRefusal else { throw error }
      return error.isReplayed ? error : nil
    }
  }

  package func standing(of hold: HoldID) throws(LedgerError) -> Standing {
    do throws(LedgerError) {
      let capture = try ledger.preview(capture(hold))
      return capture.isReplayed ? .spent(capture) : .open
    } catch {
      guard error.code == .holdEnded else { throw error }
    }
    if let receipt = try lateSpend(of: amounts).receipt { return .spent(receipt) }
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

  package func hold() async throws(LedgerError) -> Receipt { try await ledger.book(begin) }

  /// Spends what is held, or what was and is due all the same.
  package func spend(_ hold: HoldID?) async throws(LedgerError) -> Payment {
    guard let hold else { return try await spendLate(amounts) }
    do throws(LedgerError) {
      return .paid(try await ledger.book(capture(hold)))
    } catch {
      guard error.code == .holdEnded else { throw error }
    }
    let (due, transaction) = try due(after: hold)
    if due.isEmpty, let transaction { return .paid(try ledger.transaction(transaction).receipt) }
    return try await spendLate(due)
  }

  /// What a hold that has ended left unspent: an operator may have captured it, without the step's key.
  func due(after hold: HoldID) throws(LedgerError) -> (amounts: [Adjustment], last: TransactionID?) {
    let (captured, transaction) = try captures(of: hold)
    let due = amounts.compactMap { amount -> Adjustment? in
      let rest = amount.amount - (captured[amount.currency] ?? 0)
      return rest > 0 ? Adjustment(amount.currency, rest) : nil
    }
    return (due, transaction)
  }

  /// Gives back what is held; nothing where the hold has ended.
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
    if let receipt = found.receipt { return .paid(receipt) }
    do throws(LedgerError) {
      // Asked without a trace first: a refusal would be kept under the key, and it is to be possible later.
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
      noted(.hold(amounts, customer: customer, for: duration, key: try key(of: "hold")))
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

  /// The spend in place of a hold that has ended: as it was booked, or as it is to be booked.
  ///
  /// A try that came to nothing, since balance or state changed between looking and booking, has used its key up. The
  /// next one has another key, and only where the one before it was refused for good: at most one of them is booked.
  private func lateSpend(of due: [Adjustment]) throws(LedgerError) -> (receipt: Receipt?, command: LedgerCommand) {
    var number = 1
    while true {
      let step = number == 1 ? "late" : "late.\(number)"
      let command = noted(try .spend(due, customer: customer, key: key(of: step)))
      do throws(LedgerError) {
        let receipt = try ledger.preview(command)
        return (receipt.isReplayed ? receipt : nil, command)
      } catch {
        guard error.isReplayed else {
          guard error.isRefusal else { throw error }
          return (nil, command)
        }
      }
      number += 1
    }
  }

  /// What was captured of the hold, whoever did it.
  private func captures(
    of hold: HoldID
  ) throws(LedgerError) -> (amounts: [CurrencyCode: Int64], last: TransactionID?) {
    try ledger.reading {
      (snapshot, terms) throws(LedgerError) -> (amounts: [CurrencyCode: Int64], last: TransactionID?) in
      guard let number = terms.transactionIDs.number(of: hold.transactionID) else { return ([:], nil) }
      let row = try Ledger.customer(customer, in: snapshot)
      var (amounts, last): ([CurrencyCode: Int64], TransactionID?) = ([:], nil)
      for effect in try snapshot.effects(about: number, ofAny: Ledger.numbers(of: row, in: snapshot))
      where effect.kind == .captured {
        guard let code = terms.currency(number: effect.currency)?.code else { continue }
        amounts[code, default: 0] += effect.amount
        last = terms.transactionIDs.id(number: effect.transaction, createdAt: effect.createdAt)
      }
      return (amounts, last)
    }
  }

  /// The text as a reason can hold it.
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
  /// Whether the ledger answered, and with no; all else means that it could not answer.
  package var isRefusal: Bool { code.kind.row.httpStatus < 500 }
}
