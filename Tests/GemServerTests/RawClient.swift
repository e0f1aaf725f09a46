#if Server
import XCTest

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A client that sends bytes as they are, right or wrong.
final class RawClient {
  private let descriptor: Int32

  init(port: UInt16) throws {
    #if canImport(Darwin)
    descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    XCTAssertEqual(status, 0, "connect: \(errno)")
  }

  deinit { close(descriptor) }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        #if canImport(Darwin)
        Darwin.send(descriptor, $0.baseAddress, $0.count, 0)
        #else
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        #endif
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Closes the sending half, as a client that goes away in the middle does.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// One answer with its body, by its length; what has come where the other end closes before.
  func readAnswer() -> String {
    var text = ""
    while !Self.isWhole(text) {
      let more = read(atMost: 65_536)
      guard !more.isEmpty else { break }
      text += more
    }
    return text
  }

  private static func isWhole(_ text: String) -> Bool {
    guard let head = text.range(of: "\r\n\r\n"), let mark = text.range(of: "Content-Length: ") else { return false }
    let length = Int(text[mark.upperBound...].prefix { $0.isNumber }) ?? 0
    return text[head.upperBound...].utf8.count >= length
  }

  private func read(atMost count: Int) -> String {
    var buffer = [UInt8](repeating: 0, count: count)
    let received = recv(descriptor, &buffer, count, 0)
    return received > 0 ? String(decoding: buffer[..<received], as: UTF8.self) : ""
  }

  /// All bytes until the other end closes, or until the text has come.
  func read(until end: String? = nil) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      bytes += buffer[..<count]
      if let end, String(decoding: bytes, as: UTF8.self).contains(end) { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
#endif
