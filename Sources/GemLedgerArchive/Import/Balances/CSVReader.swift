internal import GemLedger

/// Reads records of comma-separated values, strictly by RFC 4180: quotes only around whole fields, doubled inside them.
///
/// Lines may end with CRLF or LF; a byte-order mark at the start is skipped.
struct CSVReader {
  struct Record {
    /// The number of its first line, from 1.
    let line: Int64
    let fields: [String]
  }

  private let bytes: [UInt8]
  private var position = 0
  private var line: Int64 = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Reads all records; unreadable records become problems.
  static func records(
    _ bytes: [UInt8], _ problems: inout ImportProblems, progress: (Int) -> Void
  ) -> [Record] {
    var reader = Self(bytes)
    var records: [Record] = []
    while reader.position < bytes.count {
      let start = reader.line
      if records.count.isMultiple(of: 4096) { progress(reader.position) }
      do throws(LineFault) {
        records.append(Record(line: start, fields: try reader.record()))
      } catch {
        problems.add(start, error.message)
        reader.skipLine()
      }
    }
    return records
  }

  private mutating func record() throws(LineFault) -> [String] {
    var fields: [String] = []
    while true {
      fields.append(peek == ASCII.quote ? try quotedField() : try plainField())
      if skip(ASCII.comma) { continue }
      endLine()
      return fields
    }
  }

  private mutating func plainField() throws(LineFault) -> String {
    let start = position
    while let byte = peek, byte != ASCII.comma, !isLineEnd {
      guard byte != ASCII.quote else { throw LineFault("A field contains a quote but does not begin with one.") }
      guard byte != ASCII.carriageReturn else { throw LineFault("A carriage return has no line feed after it.") }
      position += 1
    }
    return try Self.text(bytes[start..<position])
  }

  private mutating func quotedField() throws(LineFault) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = peek {
      position += 1
      if byte == ASCII.lineFeed { line += 1 }
      guard byte == ASCII.quote else {
        text.append(byte)
        continue
      }
      guard peek == ASCII.quote else {
        guard peek == nil || peek == ASCII.comma || isLineEnd else {
          throw LineFault("A closing quote is not followed by a comma or the end of the line.")
        }
        return try Self.text(text[...])
      }
      text.append(byte)
      position += 1
    }
    throw LineFault("A quote is never closed.")
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws(LineFault) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw LineFault("A field is not valid UTF-8.") }
    return text
  }

  // MARK: Bytes

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var isLineEnd: Bool {
    guard let byte = peek else { return false }
    if byte == ASCII.lineFeed { return true }
    return byte == ASCII.carriageReturn && position + 1 < bytes.count && bytes[position + 1] == ASCII.lineFeed
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  private mutating func endLine() {
    _ = skip(ASCII.carriageReturn)
    if skip(ASCII.lineFeed) { line += 1 }
  }

  private mutating func skipLine() {
    while let byte = peek, byte != ASCII.lineFeed { position += 1 }
    endLine()
  }
}

/// Records under a header, accessed by column name.
struct CSVTable {
  struct Row {
    let line: Int64
    fileprivate let fields: [String]
    fileprivate let columns: [String: Int]

    /// The field; nil if there is no such column or it is empty.
    subscript(name: String) -> String? {
      guard let column = columns[name], !fields[column].isEmpty else { return nil }
      return fields[column]
    }

    func text(_ name: String) throws(LineFault) -> String {
      guard let text = self[name] else { throw LineFault("\"\(name)\" is empty.") }
      return text
    }
  }

  private(set) var rows: [Row] = []

  /// - Parameters:
  ///   - required: Names of required columns, each with its alternative spellings; the first spelling is the name.
  ///   - optional: Names of optional columns; other columns are problems.
  ///   - progress: Called with the number of bytes read.
  init(
    _ bytes: [UInt8], required: [[String]], optional: [String], ignored: [String],
    _ problems: inout ImportProblems, progress: (Int) -> Void
  ) {
    var records = CSVReader.records(bytes, &problems, progress: progress)[...]
    guard let header = records.popFirst() else {
      if problems.isEmpty { problems.add(1, "There is no header line.") }
      return
    }
    var columns: [String: Int] = [:]
    for (index, name) in header.fields.enumerated() {
      let isKnown = required.contains { $0.contains(name) } || optional.contains(name) || ignored.contains(name)
      if !isKnown { problems.add(header.line, "The column \"\(name.prefix(60))\" is unknown.") }
      // A required column is known by its first spelling, regardless of the spelling in the file.
      let own = required.first { $0.contains(name) }?.first ?? name
      if columns.updateValue(index, forKey: own) != nil {
        problems.add(header.line, "The column \"\(name.prefix(60))\" occurs twice.")
      }
    }
    for names in required where columns[names[0]] == nil {
      problems.add(header.line, "The column \"\(names[0])\" is missing.")
    }
    guard problems.isEmpty else { return }
    for record in records {
      guard record.fields.count == header.fields.count else {
        problems.add(
          record.line, "The line has \(record.fields.count) fields; the header has \(header.fields.count).")
        continue
      }
      rows.append(Row(line: record.line, fields: record.fields, columns: columns))
    }
  }
}
