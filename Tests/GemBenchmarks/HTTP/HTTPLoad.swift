#if Server
#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A load generator with many loopback connections, each with one open request at any time, on one thread.
final class HTTPLoad {
  /// The times of all answers of a round.
  struct Answers {
    /// Nanoseconds from the request to the end of its answer, ascending.
    var nanoseconds: [UInt64] = []
    /// Answers without the status 200.
    var failureCount = 0

    func percentile(_ share: Double) -> Double {
      guard !nanoseconds.isEmpty else { return 0 }
      return Double(nanoseconds[min(nanoseconds.count - 1, Int(Double(nanoseconds.count) * share))])
    }
  }

  private struct Connection {
    let descriptor: Int32
    var sentAt: UInt64 = 0
    var bytes: [UInt8] = []
  }

  private var connections: [Connection] = []
  private let readiness: Readiness
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// Opens the connections, at each port in turn.
  init(ports: [UInt16], connectionCount: Int) throws {
    for place in 0..<connectionCount {
      connections.append(Connection(descriptor: try Self.connect(ports[place % ports.count])))
    }
    readiness = Readiness(of: connections.map(\.descriptor))
  }

  deinit { for connection in connections { close(connection.descriptor) } }

  /// Sends all requests, and waits for their answers.
  ///
  /// - Parameter requests: The full text of each request.
  func run(_ requests: [[UInt8]]) throws -> Answers {
    let count = requests.count
    var answers = Answers()
    answers.nanoseconds.reserveCapacity(count)
    var sent = 0
    for index in connections.indices where sent < count {
      try send(requests[sent], on: index)
      sent += 1
    }
    while answers.nanoseconds.count < count {
      let ready = readiness.wait(seconds: 10)
      guard !ready.isEmpty else { throw Failure("no answer within ten seconds") }
      for index in ready {
        guard let status = try receive(on: index) else { continue }
        answers.nanoseconds.append(Self.now() - connections[index].sentAt)
        if status != 200 { answers.failureCount += 1 }
        guard sent < count else { continue }
        try send(requests[sent], on: index)
        sent += 1
      }
    }
    answers.nanoseconds.sort()
    return answers
  }

  /// Returns the body of the answer to one request.
  func body(of request: [UInt8]) throws -> [UInt8] {
    try send(request, on: 0)
    while true {
      let count = recv(connections[0].descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { throw Failure("the server closed a connection") }
      connections[0].bytes += buffer[..<count]
      guard let (status, length) = Self.answer(in: connections[0].bytes), connections[0].bytes.count >= length,
        let end = Self.range(of: Self.endMark, in: connections[0].bytes)
      else { continue }
      guard status == 200 else { throw Failure("the server answered \(status)") }
      return Array(connections[0].bytes[(end + 4)...])
    }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  // MARK: One connection

  private static func connect(_ port: UInt16) throws -> Int32 {
    #if canImport(Darwin)
    let made = socket(AF_INET, SOCK_STREAM, 0)
    #else
    let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #if canImport(Darwin)
        Darwin.connect(made, $0, size)
        #else
        Glibc.connect(made, $0, size)
        #endif
      }
    }
    guard status == 0 else { throw Failure("connect: \(String(cString: strerror(errno)))") }
    var on: Int32 = 1
    _ = setsockopt(made, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    return made
  }

  private func send(_ request: [UInt8], on index: Int) throws {
    connections[index].sentAt = Self.now()
    let sent = request.withUnsafeBytes { write(connections[index].descriptor, $0.baseAddress, $0.count) }
    guard sent == request.count else { throw Failure("a request was not taken whole") }
  }

  /// Reads the received bytes; returns the status once the answer is complete.
  private func receive(on index: Int) throws -> Int? {
    let count = recv(connections[index].descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { throw Failure("the server closed a connection") }
    connections[index].bytes += buffer[..<count]
    guard let (status, length) = Self.answer(in: connections[index].bytes) else { return nil }
    guard connections[index].bytes.count >= length else { return nil }
    connections[index].bytes.removeAll(keepingCapacity: true)
    return status
  }

  private static let (endMark, lengthMark) = (Array("\r\n\r\n".utf8), Array("Content-Length: ".utf8))

  /// Returns the status and the full length of an answer if its head is complete.
  private static func answer(in bytes: [UInt8]) -> (status: Int, length: Int)? {
    guard let end = range(of: endMark, in: bytes), let start = range(of: lengthMark, in: bytes) else { return nil }
    var length = 0
    for digit in bytes[(start + lengthMark.count)...] {
      guard (0x30...0x39).contains(digit) else { break }
      length = length * 10 + Int(digit - 0x30)
    }
    let status = bytes[9..<12].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return (status, end + 4 + length)
  }

  private static func range(of text: [UInt8], in bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      while start + text.count <= bytes.count {
        if bytes[start] == text[0], bytes[start..<start + text.count].elementsEqual(text) { return start }
        start += 1
      }
      return nil
    }
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
#endif
