// After a hold that ended unspent, another hold begins. The goods may already be given, so a retry with the caller's
// key must be able to finish the spend: a second key would give them twice.

extension HoldSteps {
  /// The progress of an earlier call.
  enum Progress {
    /// A hold is open: this call or an earlier call began it.
    case held(HoldSteps, HoldID, isNew: Bool)
    case spent(Booking)
  }

  /// Finds the open hold, or begins a hold if there is none.
  ///
  /// Every caller finds the same holds in the same order, each under a separate key, so that two concurrent calls spend
  /// once.
  ///
  /// - Parameter isGiven: Whether the goods were given: then another hold begins even if an earlier call released the
  ///   hold before it.
  /// - Throws: `hold_ended` if an earlier call released the hold and nothing was spent; the refusal if a hold cannot
  ///   begin.
  func findOrBegin(isGiven: Bool = false) async throws(LedgerError) -> Progress {
    var steps = self
    while true {
      let begun: Booking
      do throws(LedgerError) {
        begun = try await steps.beginHold()
      } catch {
        // The answer of an earlier attempt: it holds nothing, and later attempts may have a hold.
        guard steps.attempt > 1, error.isReplayed else { throw error }
        steps.attempt += 1
        continue
      }
      guard let hold = begun.hold?.id else { throw .defect("A hold of \(customer) has no name") }
      guard begun.isReplayed else { return .held(steps, hold, isNew: true) }
      switch try steps.state(of: hold) {
      case .spent(let booking): return .spent(booking)
      case .open: return .held(steps, hold, isNew: false)
      case .released:
        let goesOn = isGiven ? true : try steps.isFollowed()
        guard goesOn else {
          throw .holdEnded(hold, "an earlier call released it, since nothing was given, and nothing was spent")
        }
      case .ended: break
      }
      let (due, last) = try steps.due(after: hold)
      if due.isEmpty, let last { return .spent(try ledger.transaction(last).booking) }
      steps.amounts = due
      steps.attempt += 1
    }
  }

  /// Whether the attempt after this one has begun.
  private func isFollowed() throws(LedgerError) -> Bool {
    var next = self
    next.attempt += 1
    return try next.begun() != nil
  }

  /// Begins the hold; from the second hold on, a preview checks it first.
  ///
  /// The key would store a refusal, but the same hold must be possible later.
  private func beginHold() async throws(LedgerError) -> Booking {
    guard attempt > 1 else { return try await hold() }
    do throws(LedgerError) {
      let preview = try ledger.preview(begin)
      return preview.isReplayed ? preview : try await hold()
    } catch {
      guard error.isRefusal, !error.isReplayed else { throw error }
      throw LedgerError(
        error.code,
        "\(error.message) The hold before it ended unspent, and the goods may have been given: call again with the "
          + "same key, not with another key.", details: error.details)
    }
  }

  /// Spends the held amounts; nil if the hold has ended meanwhile.
  func capture(held hold: HoldID) async throws(LedgerError) -> Booking? {
    do throws(LedgerError) {
      return try await ledger.book(capture(hold))
    } catch {
      guard error.code == .holdEnded else { throw error }
      return nil
    }
  }
}
