internal import Dispatch

extension Ledger {
  /// Runs blocking methods of the ledger from a task: on a thread outside of the pool, while the task is suspended.
  ///
  /// ```swift
  /// let (gems, holds) = try await ledger.perform { (ledger) throws(LedgerError) in
  ///   (try ledger.balance(of: gem, customer: alice), try ledger.holds(of: alice))
  /// }
  /// ```
  ///
  /// A task that is cancelled meanwhile still gets the result.
  ///
  /// - Parameter body: Calls the ledger; each call is atomic by itself. ``view(_:)`` in it reads at one instant.
  /// - Returns: The result of the closure.
  /// - Throws: The errors of the closure.
  public func perform<Answer: Sendable>(
    _ body: @escaping @Sendable (Ledger) throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer {
    let result = await withCheckedContinuation { continuation in
      Self.blockingCalls.async {
        continuation.resume(returning: Result { () throws(LedgerError) in try body(self) })
      }
    }
    return try result.get()
  }

  /// The threads on which tasks' calls block; Dispatch bounds their number.
  private static let blockingCalls = DispatchQueue(label: "GemLedger.blockingCalls", attributes: .concurrent)
}
