#if Server
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// One request and its answer, from the first line to the last byte.
///
/// libmicrohttpd calls for a connection from one thread at a time; only the answer is set by another thread.
// Unchecked: one thread at a time uses it, and a lock protects the answer.
final class Exchange: @unchecked Sendable {
  /// The state of the exchange.
  enum Phase {
    /// Only the first line was received.
    case begun
    /// The head was received.
    case body
    /// The connection waits for the running work.
    case working
    /// An answer is being sent.
    case answered
  }

  let target: [UInt8]
  /// The address of the target in the library's memory.
  let targetAddress: UInt
  let id: String
  let connection: OpenConnection
  let startedAt = SteadyTime.now
  var phase = Phase.begun
  var method = ""
  /// The request without its body; nil until its head is accepted.
  var request: HTTPRequest?
  /// Begins the answer after the body.
  var begin: (@Sendable (HTTPRequest) -> HTTPAnswer)?
  /// The answer to a request with a discarded body.
  var refusal: HTTPResponse?
  var body: [UInt8] = []
  /// The length of the body from the head.
  var announcedByteCount = 0
  var bodySender = BodySender.unknown
  /// The number of its bytes in the memory for bodies.
  var keptByteCount = 0
  var status: Int?
  var label = ""
  var byteCount = 0
  let answer = Mutex<HTTPResponse?>(nil)

  init(target: UnsafePointer<CChar>, id: String, connection: OpenConnection) {
    self.target = Array(UnsafeRawBufferPointer(start: target, count: Self.length(target)))
    targetAddress = UInt(bitPattern: target)
    self.id = id
    self.connection = connection
  }

  /// Returns the number of bytes before the NUL.
  static func length(_ text: UnsafePointer<CChar>) -> Int { strlen(text) }

  /// Returns its log record after its end.
  func summary(at now: SteadyTime) -> HTTPSummary {
    let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    return HTTPSummary(
      id: id, method: method, path: String(decoding: target[..<end], as: UTF8.self), status: status, label: label,
      client: connection.client, nanoseconds: now.nanoseconds - startedAt.nanoseconds, byteCount: byteCount)
  }
}
#endif
