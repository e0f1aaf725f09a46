package import GemLedger
internal import StoreClient
internal import Synchronization

/// A journal in memory that outlives the stores that write it.
package final class RetainedEventLog: EventLog {
  private struct State {
    var records: [String] = []
    var isBroken = false
    var compactions = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var isBroken: Bool {
    get { state.withLock(\.isBroken) }
    set { state.withLock { $0.isBroken = newValue } }
  }

  package var compactions: Int { state.withLock(\.compactions) }
  package var count: Int { state.withLock(\.records.count) }

  package func records() throws(LedgerError) -> [String] { state.withLock(\.records) }

  package func append(_ records: [String]) throws(LedgerError) {
    try state.withLock { (state) throws(LedgerError) in
      if state.isBroken { throw LedgerError(.inputOutput, "The disk is full.") }
      state.records += records
    }
  }

  package func compact(to records: [String]) throws(LedgerError) {
    try state.withLock { (state) throws(LedgerError) in
      if state.isBroken { throw LedgerError(.inputOutput, "The disk is full.") }
      state.records = records
      state.compactions += 1
    }
  }
}
