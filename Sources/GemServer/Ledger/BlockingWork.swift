#if Server
internal import Dispatch
package import GemLedger

/// Work that blocks its thread, such as a read of many rows; runs on a thread for blocking work only.
package enum BlockingWork {
  package static func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(LedgerError) -> Value
  ) async throws(LedgerError) -> Value {
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: Result { () throws(LedgerError) in try work() })
      }
    }
    return try result.get()
  }
}
#endif
