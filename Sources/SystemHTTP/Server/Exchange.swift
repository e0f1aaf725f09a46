#if Server
internal import CMicroHTTPD
internal import Synchronization

/// One request and its answer, from the first line to the last byte.
///
/// libmicrohttpd calls for one connection from one thread at a time; only the answer comes from elsewhere.
final class Exchange: @unchecked Sendable {
  // Unchecked: see above; the answer is behind a lock.

  /// Where the work stands.
  enum Phase {
    /// Nothing but the first line has come.
    case begun
    /// The head has come.
    case body
    /// The work is under way, and the connection waits for it.
    case working
    /// An answer is on its way.
    case answered
  }

  let target: [UInt8]
  /// Where the target lies in the server's memory.
  let targetAddress: UInt
  let id: String
  let startedAt: ContinuousClock.Instant
  var phase = Phase.begun
  var method = ""
  var head: RequestHead?
  var body: [UInt8] = []
  var isTooLong = false
  var client = ""
  var status: Int?
  var label = ""
  var byteCount = 0
  let answer = Mutex<HTTPResponse?>(nil)

  init(target: UnsafePointer<CChar>, id: String) {
    self.target = UnsafeRawPointer(target).withMemoryRebound(to: UInt8.self, capacity: 0) { start in
      Array(UnsafeBufferPointer(start: start, count: Self.length(target)))
    }
    targetAddress = UInt(bitPattern: target)
    self.id = id
    startedAt = .now
  }

  /// How many bytes stand before the NUL.
  static func length(_ text: UnsafePointer<CChar>) -> Int {
    var count = 0
    while text[count] != 0 { count += 1 }
    return count
  }

  /// What is said about it once it is over.
  var summary: HTTPSummary {
    let path = target.prefix { $0 != UInt8(ascii: "?") }
    return HTTPSummary(
      id: id, method: method, path: String(decoding: path, as: UTF8.self), status: status, label: label, client: client,
      nanoseconds: (ContinuousClock.now - startedAt).nanoseconds, byteCount: byteCount)
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
#endif
