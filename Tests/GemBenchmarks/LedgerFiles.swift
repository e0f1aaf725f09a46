internal import Foundation
internal import GemLedger
internal import GemLedgerSQLite

/// Ledger files for benchmarks: one that is made with its customers, and copies of it.
final class LedgerFiles {
  let base: String
  private let directory: URL
  private let customerCount: Int
  private var count = 0

  init(directory: String, customerCount: Int) throws {
    self.directory = URL(fileURLWithPath: directory).appendingPathComponent("gembench-\(UUID().uuidString)")
    self.customerCount = customerCount
    try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: true)
    base = self.directory.appendingPathComponent("base.sqlite").path
    let ledger = try Ledger.createSQLite(at: base)
    try Workload(customerCount: customerCount).open(ledger)
    ledger.close()
  }

  func remove() {
    // Files that cannot be removed stay in the temporary directory.
    try? FileManager.default.removeItem(at: directory)
  }

  func newPath() -> String {
    count += 1
    return directory.appendingPathComponent("\(count).sqlite").path
  }

  func copy() throws -> String { try duplicate(base) }

  func duplicate(_ path: String) throws -> String {
    let copy = newPath()
    for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: path + ending) {
      try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
    }
    return copy
  }

  func size(_ path: String) throws -> Int {
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    return size ?? 0
  }

  /// Books adjustments until the base file has that many entries.
  func fill(to entryCount: Int, keys: Workload.Keys, print: (String) -> Void) throws -> Int {
    let ledger = try Ledger.openSQLite(at: base)
    var workload = try Workload(customerCount: customerCount, keys: keys, seed: 3)
    var entries = customerCount
    let clock = ContinuousClock()
    var shown = clock.now
    while entries < entryCount {
      let batch = try workload.next(min(Limits.commandsPerGroup, entryCount - entries))
      for result in ledger.submit(batch) { _ = try result.get() }
      entries += batch.count
      if clock.now - shown > .seconds(20) {
        shown = clock.now
        print("  filling: \(entries) of \(entryCount) entries")
      }
    }
    ledger.close()
    return entries
  }

  /// Copies the files of the base while they are open and were just written to.
  func copyOfOpen(workload: Workload, operationCount: Int) throws -> String {
    let ledger = try Ledger.openSQLite(at: base)
    defer { ledger.close() }
    var workload = workload
    var done = 0
    while done < operationCount {
      for result in ledger.submit(try workload.next(min(256, operationCount - done))) { _ = try result.get() }
      done += 256
    }
    return try duplicate(base)
  }
}
