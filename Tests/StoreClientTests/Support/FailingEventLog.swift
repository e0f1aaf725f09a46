import GemLedger
import StoreClient
import Synchronization

/// An event log on a disk that can be full.
final class FailingEventLog: EventLog {
  let isFull = Mutex(false)
  private let log = MemoryEventLog()

  func records() -> [String] { log.records() }

  func append(_ records: [String]) throws(LedgerError) {
    try check()
    log.append(records)
  }

  func compact(to records: [String]) throws(LedgerError) {
    try check()
    log.compact(to: records)
  }

  private func check() throws(LedgerError) {
    if isFull.withLock({ $0 }) { throw LedgerError(.inputOutput, "No space left on device.") }
  }
}
