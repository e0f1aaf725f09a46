#if Server
import GemLedger
import Synchronization
import SystemHTTP
import XCTest

/// Reads server-sent events, as a browser does.
final class StreamSource: Sendable {
  struct Event: Sendable {
    let id: String
    let customer: String?
  }

  let stream: HTTPStream
  private let text = Mutex("")

  init(_ stream: HTTPStream) { self.stream = stream }

  /// Waits for so many events; fewer where the stream ends.
  func events(_ count: Int) async -> [Event] {
    var events: [Event] = []
    while events.count < count {
      while let block = nextBlock() { if let event = Self.event(block) { events.append(event) } }
      if events.count >= count { break }
      guard let more = await read() else { break }
      text.withLock { $0 += more }
    }
    return events
  }

  /// Waits for text that is no event.
  func comment() async -> String? {
    while true {
      while let block = nextBlock() { if block.hasPrefix(":") { return block } }
      guard let more = await read() else { return nil }
      text.withLock { $0 += more }
    }
  }

  private func nextBlock() -> String? {
    text.withLock { text in
      guard let end = text.range(of: "\n\n") else { return nil }
      defer { text = String(text[end.upperBound...]) }
      return String(text[..<end.lowerBound])
    }
  }

  private static func event(_ block: String) -> Event? {
    var fields: [String: String] = [:]
    for line in block.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      fields[String(parts[0])] = parts[1].drop { $0 == " " }.description
    }
    guard fields["event"] == "transaction", let id = fields["id"], let data = fields["data"],
      let json = try? JSONValue.parse(data)
    else { return nil }
    XCTAssertEqual(json["cursor"]?.text, id)
    return Event(id: id, customer: json["transaction"]?["customer_id"]?.text)
  }

  /// The next bytes, as soon as there are some; nil at the end.
  private func read() async -> String? {
    let stream = stream
    return await withCheckedContinuation { continuation in
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let part = bytes.withUnsafeMutableBytes { buffer in
        stream.read(into: buffer) { { continuation.resume(returning: "") } }
      }
      switch part {
      case .bytes(let count): continuation.resume(returning: String(decoding: bytes[..<count], as: UTF8.self))
      case .end, .failed: continuation.resume(returning: nil)
      case .later: break
      }
    }
  }
}
#endif
