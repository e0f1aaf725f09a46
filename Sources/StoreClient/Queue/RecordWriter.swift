internal import GemLedger

/// Writes one event as a JSON object, straight into bytes: this runs three times with every purchase.
struct RecordWriter {
  private var bytes: [UInt8] = []

  /// - Parameter textByteCount: About how long the longest text in it is.
  init(_ what: StaticString, textByteCount: Int = 0) {
    bytes.reserveCapacity(512 + textByteCount)
    bytes.append(UInt8(ascii: "{"))
    name("what")
    raw(what)
  }

  mutating func text(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    comma(name)
    JSONWriter.append(text, to: &bytes)
  }

  mutating func integer(_ name: StaticString, _ number: Int64?) {
    guard let number else { return }
    comma(name)
    JSONWriter.append(number, to: &bytes)
  }

  mutating func bool(_ name: StaticString, _ bool: Bool) {
    comma(name)
    bytes += (bool ? "true" : "false").utf8
  }

  mutating func value(_ name: StaticString, _ value: JSONValue) {
    comma(name)
    value.append(to: &bytes)
  }

  consuming func finish() -> String {
    bytes.append(UInt8(ascii: "}"))
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func comma(_ name: StaticString) {
    bytes.append(UInt8(ascii: ","))
    self.name(name)
  }

  private mutating func name(_ name: StaticString) {
    raw(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// A name of ours needs no escaping.
  private mutating func raw(_ text: StaticString) {
    bytes.append(UInt8(ascii: "\""))
    bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    bytes.append(UInt8(ascii: "\""))
  }
}
