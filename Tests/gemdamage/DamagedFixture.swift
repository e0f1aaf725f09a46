import Foundation
import GemLedger
import GemLedgerArchive
import GemLedgerSQLite

/// Copies of one original, each with damage of its own, of which everything is asked.
struct DamagedFixture {
  let original: String
  let directory: String

  private var path: String { directory + "/damaged.sqlite" }

  private func freshCopy() throws {
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.removeItem(atPath: path + suffix)
    }
    try FileManager.default.copyItem(atPath: original, toPath: path)
  }

  // MARK: Values

  /// The ends of 64 bits, of exact JSON numbers, and of valid numbers and instants, and small ones.
  private static let numbers: [Int64] = [
    0, 1, -1, 2, 1024, .max, .min, .max - 1, .min + 1, 1 << 53, 1 << 53 - 1, -(1 << 53), 1 << 62, -(1 << 62), 1 << 51,
    1 << 51 - 1, 1_000_000_000_000, -1_000_000_000_000, Limits.expiryMilliseconds, 1 << 31, 1 << 32,
  ]
  private static let texts = [
    "", "{}", "[]", "null", "x", "GEM", "$erased:", "9223372036854775807", "-9223372036854775808", "\u{0}",
    "{\"a\":1e999}",
  ]

  /// Puts extreme values into one to three columns, and asks everything.
  func damageValues(_ known: KnownLedger, _ generator: inout CaseGenerator) throws {
    try freshCopy()
    do {
      let raw = try RawFile(path)
      try raw.disarm()
      if generator.percent(5) { try addCopiedJournal(raw, &generator) }
      let columns = try raw.columns()
      for _ in 0..<(generator.percent(80) ? 1 : 1 + generator.below(3)) {
        var done: String?
        for _ in 0..<20 where done == nil {
          let column = generator.one(of: columns)
          done = try raw.damage(
            column, to: value(for: column, &generator), row: generator.below(try raw.count(column.table)))
        }
        System.say("damage \(done ?? "none")\n")
      }
    }
    // At the last booking, or when many open holds and orders are over.
    let later = generator.percent(50) ? 0 : 40 * 86_400_000
    let clock = Timestamp(milliseconds: known.end.milliseconds + Int64(later))
    try Verbs(known: known, path: path, directory: directory, now: clock).run(&generator)
  }

  private func value(for column: Column, _ generator: inout CaseGenerator) -> String {
    if generator.percent(6) { return "NULL" }
    if column.isText {
      if generator.percent(60) { return "'\(generator.one(of: Self.texts))'" }
      let number = generator.one(of: Self.numbers)
      // The first number of a document.
      return "replace(\(column.name), substr(\(column.name), instr(\(column.name), ':') + 1, 1), '\(number)')"
    }
    let number = generator.one(of: Self.numbers)
    switch generator.below(10) {
    case 0: return "\(column.name) + 1"
    case 1: return "\(column.name) - 1"
    case 2: return "-\(column.name)"
    default: return number == .min ? "(-9223372036854775807 - 1)" : "\(number)"
    }
  }

  private func addCopiedJournal(_ raw: RawFile, _ generator: inout CaseGenerator) throws {
    let values = (0..<5).map { _ in "\(max(-Int64.max, generator.one(of: Self.numbers)))" }.joined(separator: ", ")
    let sql = "INSERT INTO copied_journal VALUES (1, \(values))"
    System.say("damage \(sql): \(raw.run(sql))\n")
  }

  // MARK: Pages

  /// Swaps, empties, repeats or changes pages, and asks everything.
  func damagePages(_ known: KnownLedger, _ generator: inout CaseGenerator) throws {
    try freshCopy()
    let url = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: url)
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    let count = bytes.count / size
    for _ in 0..<(generator.percent(70) ? 1 : 2) {
      let (one, other) = (generator.below(count), generator.below(count))
      let (from, to) = (one * size..<(one + 1) * size, other * size..<(other + 1) * size)
      let kind = generator.below(5)
      switch kind {
      case 0:
        let page = bytes[from]
        bytes.replaceSubrange(from, with: Data(bytes[to]))
        bytes.replaceSubrange(to, with: Data(page))
      case 1: bytes.replaceSubrange(from, with: Data(count: size))
      case 2: bytes.replaceSubrange(from, with: Data(bytes[to]))
      case 3:
        // The pointers of a page lie at its beginning.
        let position = from.lowerBound + (generator.percent(50) ? generator.below(64) : generator.below(size))
        bytes[position] ^= 1 << UInt8(generator.below(8))
      default:
        for _ in 0..<20 { bytes[from.lowerBound + generator.below(size)] = UInt8(generator.below(256)) }
      }
      System.say("damage pages: kind \(kind), page \(one), page \(other) of \(count)\n")
    }
    try bytes.write(to: url)
    try Verbs(known: known, path: path, directory: directory, now: known.end).run(&generator)
  }

  // MARK: Exports

  /// Puts extreme values into one to three lines, mends the checksum, and imports.
  func damageExport(_ generator: inout CaseGenerator) throws {
    var lines = try Data(contentsOf: URL(fileURLWithPath: original)).split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    for _ in 0..<(generator.percent(70) ? 1 : 1 + generator.below(3)) {
      let position = generator.below(lines.count - 1)
      let numbers = lines[position].ranges(of: /-?[0-9]+/).filter { lines[position][$0].count < 17 }
      guard !numbers.isEmpty else { continue }
      lines[position].replaceSubrange(generator.one(of: numbers), with: "\(generator.one(of: Self.numbers))")
      System.say("damage \(lines[position].prefix(300))\n")
    }
    lines[lines.count - 1] = mended(lines)
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    let verbs = Verbs(known: KnownLedger(), path: path, directory: directory, now: Timestamp(milliseconds: 1 << 41))
    verbs.importing(bytes)
  }

  /// The last line with the checksum of the others.
  private func mended(_ lines: [String]) -> String {
    let sum = lines.dropLast().reduce(UInt64(0)) { $0 &+ ExportWriter.hash(of: Array($1.utf8)[...]) }
    let text = String(sum, radix: 16)
    let padded = String(repeating: "0", count: 16 - text.count) + text
    return lines[lines.count - 1].replacing(/"checksum":"[0-9a-f]*"/, with: "\"checksum\":\"\(padded)\"")
  }
}
