internal import GemLedger

/// Writes one event as a JSON object, straight into bytes: this runs three times with every purchase.
struct RecordWriter {
  private var bytes: [UInt8] = []

  /// - Parameter textByteCount: About how long the longest text in it is.
  init(_ what: StaticString, textByteCount: Int = 0) {
    bytes.reserveCapacity(512 + textByteCount)
    bytes.append(UInt8(ascii: "{"))
    JSONWriter.append(name: "what", isFirst: true, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    bytes += UnsafeBufferPointer(start: what.utf8Start, count: what.utf8CodeUnitCount)
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func text(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    self.name(name)
    JSONWriter.append(text, to: &bytes)
  }

  mutating func integer(_ name: StaticString, _ number: Int64?) {
    guard let number else { return }
    self.name(name)
    JSONWriter.append(number, to: &bytes)
  }

  mutating func bool(_ name: StaticString, _ bool: Bool) {
    self.name(name)
    bytes += (bool ? "true" : "false").utf8
  }

  mutating func value(_ name: StaticString, _ value: JSONValue) {
    self.name(name)
    value.append(to: &bytes)
  }

  consuming func finish() -> String {
    bytes.append(UInt8(ascii: "}"))
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func name(_ name: StaticString) { JSONWriter.append(name: name, to: &bytes) }
}
