internal import Foundation
internal import GemLedger

/// Keys in their order, with their values; a copy is a snapshot, since nobody else changes it.
struct SortedTable {
  private(set) var keys: [[UInt8]] = []
  private(set) var values: [[UInt8]] = []

  /// The index of the first key that is not below this one.
  private func index(of key: [UInt8]) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(keys[middle], key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func value(_ key: [UInt8]) -> [UInt8]? {
    let index = index(of: key)
    return index < keys.count && keys[index] == key ? values[index] : nil
  }

  /// - Parameter value: Nil takes the key out.
  mutating func set(_ key: [UInt8], to value: [UInt8]?) {
    let index = index(of: key)
    let known = index..<(index < keys.count && keys[index] == key ? index + 1 : index)
    keys.replaceSubrange(known, with: value == nil ? [] : [key])
    values.replaceSubrange(known, with: value.map { [$0] } ?? [])
  }

  /// The values of the keys that begin with a prefix, behind a place that begins with it too.
  func values(prefix: [UInt8], after place: [UInt8]?, isDescending: Bool, limit: Int) -> [[UInt8]] {
    // No value's code begins with this byte, so that it is behind all that goes on in any way.
    let end: [UInt8] = [255]
    let start = index(of: isDescending ? prefix : place.map { $0 + end } ?? prefix)
    let found = values[start..<max(start, index(of: isDescending ? place ?? prefix + end : prefix + end))]
    return isDescending ? found.suffix(limit).reversed() : Array(found.prefix(limit))
  }

  private static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let order = memcmp(one, other, min(one.count, other.count))
    return order == 0 ? one.count < other.count : order < 0
  }
}

/// The tables of one state, and the changes that led to it from the state before.
struct KeyValueTables {
  typealias Change = (table: String, key: [UInt8], value: [UInt8]?)

  private var tables: [String: SortedTable] = [:]
  fileprivate(set) var changes: [Change] = []

  subscript(table: String) -> SortedTable { tables[table] ?? SortedTable() }

  mutating func set(_ table: String, _ key: [UInt8], to value: [UInt8]?) {
    tables[table, default: SortedTable()].set(key, to: value)
    changes.append((table, key, value))
  }
}

/// The file that holds all commits, one behind the other: the tables are what they add up to.
final class KeyValueFile {
  private let handle: FileHandle

  /// - Parameter tables: Gets the commits that the file holds.
  init(path: String, into tables: inout KeyValueTables) throws(LedgerError) {
    let isThere = FileManager.default.fileExists(atPath: path)
    guard isThere || FileManager.default.createFile(atPath: path, contents: nil),
      let handle = FileHandle(forUpdatingAtPath: path), let data = try? handle.readToEnd() ?? Data()
    else {
      throw LedgerError(.inputOutput, "\(path) cannot be opened.")
    }
    self.handle = handle
    var reader = ValueReader([UInt8](data))
    var end = 0
    // A commit that the process did not live to write whole was never acknowledged.
    while let bytes = reader.next()?.bytes, reader.next()?.number == Self.checksum(bytes) {
      end = reader.position
      var commit = ValueReader(bytes)
      while let table = commit.next()?.text, let key = commit.next()?.bytes {
        tables.set(table, key, to: commit.next()?.bytes)
      }
    }
    tables.changes = []
    do { try handle.truncate(atOffset: UInt64(end)) } catch { throw LedgerError(.inputOutput, "\(error)") }
  }

  /// Makes the changes of the tables durable.
  ///
  /// - Returns: The tables without changes.
  func append(_ tables: KeyValueTables) throws(LedgerError) -> KeyValueTables {
    guard !tables.changes.isEmpty else { return tables }
    let commit = tables.changes.flatMap { table, key, value -> [StoredValue] in
      [.text(table), .data(key), value.map(StoredValue.data) ?? .nothing]
    }.coded
    do {
      try handle.seekToEnd()
      try handle.write(contentsOf: [StoredValue.data(commit), .integer(Self.checksum(commit))].coded)
      try handle.synchronize()
    } catch {
      throw LedgerError(.outcomeUnknown, "\(error)")
    }
    var committed = tables
    committed.changes = []
    return committed
  }

  func close() { try? handle.close() }

  private static func checksum(_ bytes: [UInt8]) -> Int64 {
    bytes.reduce(17) { $0 &* 31 &+ Int64($1) }
  }
}
