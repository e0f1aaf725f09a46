#if Server
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A server on a loopback port that answers each request with the bytes that a test says, well formed or not.
final class LoopbackServer: Sendable {
  /// A request as it came.
  struct Request: Sendable {
    let line: String
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    var path: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

    func field(_ name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
  }

  let port: UInt16
  private let listener: Int32
  private let seen = Mutex<[Request]>([])

  /// The requests so far, in the order of their coming.
  var requests: [Request] { seen.withLock { $0 } }

  /// - Parameter answer: The whole answer to a request, head and body; nil closes the connection without one.
  init(answer: @escaping @Sendable (Request) -> String?) throws {
    #if canImport(Glibc)
    let stream = Int32(SOCK_STREAM.rawValue)
    #else
    let stream = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, stream, 0)
    guard listener >= 0 else { throw POSIXError(.ENOTSOCK) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isOpen else { throw POSIXError(.EADDRINUSE) }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        Thread.detachNewThread { self.serve(connection, answer) }
      }
      #if !canImport(Darwin)
      close(listener)
      #endif
    }
  }

  /// Ends the listening; connections under way end by themselves.
  func stop() {
    _ = shutdown(listener, Int32(SHUT_RDWR))
    #if canImport(Darwin)
    // Nothing else ends the accepting. Elsewhere its thread closes the socket, whose number another one may have soon.
    close(listener)
    #endif
  }

  private func serve(_ connection: Int32, _ answer: (Request) -> String?) {
    defer { close(connection) }
    guard let request = Self.read(connection) else { return }
    seen.withLock { $0.append(request) }
    guard let text = answer(request) else { return }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  private static func read(_ connection: Int32) -> Request? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      if let request = whole(bytes) { return request }
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }

  private static func whole(_ bytes: [UInt8]) -> Request? {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    var lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let line = lines.removeFirst()
    let fields = lines.map { line in
      let sides = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      return (name: sides[0], value: sides.count > 1 ? sides[1] : "")
    }
    let length = fields.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
    let body = bytes[end.upperBound...]
    guard body.count >= length else { return nil }
    return Request(line: line, fields: fields, body: Array(body.prefix(length)))
  }
}

extension LoopbackServer {
  /// A well-formed answer.
  static func answer(_ status: Int, _ body: String = "", _ fields: [String] = []) -> String {
    (["HTTP/1.1 \(status) Text", "Content-Length: \(body.utf8.count)", "Connection: close"] + fields)
      .joined(separator: "\r\n") + "\r\n\r\n" + body
  }
}
#endif
