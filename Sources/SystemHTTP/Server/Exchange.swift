#if Server
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// One request and its answer, from the first line to the last byte.
///
/// libmicrohttpd calls for one connection from one thread at a time; only the answer comes from elsewhere.
// Unchecked: one thread at a time has it, and the answer is behind a lock.
final class Exchange: @unchecked Sendable {
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
  let connection: OpenConnection
  let startedAt = SteadyTime.now
  var phase = Phase.begun
  var method = ""
  /// The request without its body; nil while its head was not taken.
  var request: HTTPRequest?
  /// Begins the answer once the body has come.
  var begin: (@Sendable (HTTPRequest) -> HTTPAnswer)?
  /// The answer to a request of which the body, if it has one, is discarded.
  var refusal: HTTPResponse?
  var body: [UInt8] = []
  /// The length of the body, as the head has it.
  var announcedByteCount = 0
  var bodySender = BodySender.unknown
  /// How many bytes it holds of the memory for bodies.
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

  /// How many bytes stand before the NUL.
  static func length(_ text: UnsafePointer<CChar>) -> Int { strlen(text) }

  /// What is said about it once it is over.
  func summary(at now: SteadyTime) -> HTTPSummary {
    let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    return HTTPSummary(
      id: id, method: method, path: String(decoding: target[..<end], as: UTF8.self), status: status, label: label,
      client: connection.client, nanoseconds: now.nanoseconds - startedAt.nanoseconds, byteCount: byteCount)
  }
}
#endif
