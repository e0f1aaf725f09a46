internal import Foundation
internal import GemLedger

/// Keys in their order, with their values; a copy is a snapshot, since nobody else changes it.
struct SortedTable {
  private(set) var keys: [[UInt8]] = []
  private(set) var values: [[UInt8]] = []

  /// The index of the first key that is not below this one.
  func index(of key: [UInt8]) -> Int {
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
    switch (index < keys.count && keys[index] == key, value) {
    case (true, let value?): values[index] = value
    case (true, nil):
      keys.remove(at: index)
      values.remove(at: index)
    case (false, let value?):
      keys.insert(key, at: index)
      values.insert(value, at: index)
    case (false, nil): break
    }
  }

  /// The values of the keys that begin with a prefix, behind a place that begins with it too.
  func values(prefix: [UInt8], after place: [UInt8]?, isDescending: Bool, limit: Int) -> [[UInt8]] {
    var found: [[UInt8]] = []
    if isDescending {
      var index = place.map { self.index(of: $0) } ?? self.index(of: prefix + [UInt8](repeating: 255, count: 32))
      while index > 0, found.count < limit, keys[index - 1].starts(with: prefix) {
        index -= 1
        found.append(values[index])
      }
      return found
    }
    var index = self.index(of: place ?? prefix)
    if let place { while index < keys.count, keys[index].starts(with: place) { index += 1 } }
    while index < keys.count, found.count < limit, keys[index].starts(with: prefix) {
      found.append(values[index])
      index += 1
    }
    return found
  }

  private static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let order = memcmp(one, other, min(one.count, other.count))
    return order == 0 ? one.count < other.count : order < 0
  }
}

/// The tables of one state, and the changes that led to it from the state before.
struct KeyValueTables {
  private var tables: [String: SortedTable] = [:]
  private(set) var changes: [(table: String, key: [UInt8], value: [UInt8]?)] = []

  subscript(table: String) -> SortedTable { tables[table] ?? SortedTable() }

  mutating func set(_ table: String, _ key: [UInt8], to value: [UInt8]?) {
    tables[table, default: SortedTable()].set(key, to: value)
    changes.append((table, key, value))
  }

  mutating func forgetChanges() { changes = [] }
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
    while let bytes = reader.optionalBytes(), reader.optionalInteger() == Self.checksum(bytes) {
      end = reader.position
      var commit = ValueReader(bytes)
      while !commit.isAtEnd {
        let (table, key) = (commit.text(), commit.bytes())
        tables.set(table, key, to: commit.integer() == 0 ? nil : commit.bytes())
      }
    }
    tables.forgetChanges()
    do { try handle.truncate(atOffset: UInt64(end)) } catch { throw LedgerError(.inputOutput, "\(error)") }
  }

  /// Makes the changes durable.
  func append(_ changes: [(table: String, key: [UInt8], value: [UInt8]?)]) throws(LedgerError) {
    var commit = ValueWriter()
    for (table, key, value) in changes {
      commit.add(bytes: Array(table.utf8))
      commit.add(bytes: key)
      commit.add(value == nil ? 0 : 1)
      if let value { commit.add(bytes: value) }
    }
    var record = ValueWriter()
    record.add(bytes: commit.bytes)
    record.add(Self.checksum(commit.bytes))
    do {
      try handle.seekToEnd()
      try handle.write(contentsOf: record.bytes)
      try handle.synchronize()
    } catch {
      throw LedgerError(.outcomeUnknown, "\(error)")
    }
  }

  func close() { try? handle.close() }

  private static func checksum(_ bytes: [UInt8]) -> Int64 {
    bytes.reduce(17) { $0 &* 31 &+ Int64($1) }
  }
}
