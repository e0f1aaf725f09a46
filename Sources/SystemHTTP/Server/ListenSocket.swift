#if Server
internal import GemLedger

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A listening socket.
struct ListenSocket {
  let descriptor: Int32
  let port: UInt16

  /// - Throws: `LedgerError` with `input_output`.
  init(host: String, port: UInt16) throws(LedgerError) {
    var hints = addrinfo()
    #if canImport(Darwin)
    hints.ai_socktype = SOCK_STREAM
    #else
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    hints.ai_flags = AI_PASSIVE
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    guard status == 0, let address = list?.pointee else {
      throw LedgerError(
        .inputOutput, "There is no address \"\(host)\" to listen on: \(Self.text(gai_strerror(status))).")
    }
    let made = socket(address.ai_family, address.ai_socktype, 0)
    guard made >= 0 else { throw Self.failure("make a socket for", host, port) }
    var on: Int32 = 1
    _ = setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(made, F_SETFD, FD_CLOEXEC)
    _ = fcntl(made, F_SETFL, O_NONBLOCK)
    guard bind(made, address.ai_addr, address.ai_addrlen) == 0, listen(made, 1024) == 0 else {
      let failure = Self.failure("listen on", host, port)
      Self.close(made)
      throw failure
    }
    descriptor = made
    self.port = Self.port(of: made)
  }

  static func close(_ descriptor: Int32) {
    #if canImport(Darwin)
    _ = Darwin.close(descriptor)
    #else
    _ = Glibc.close(descriptor)
    #endif
  }

  private static func port(of socket: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      guard let start = bytes.baseAddress,
        getsockname(socket, start.assumingMemoryBound(to: sockaddr.self), &length) == 0
      else { return 0 }
      // IPv4 and IPv6 addresses have the port in bytes 2 and 3.
      return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }
  }

  private static func failure(_ what: String, _ host: String, _ port: UInt16) -> LedgerError {
    let reason = text(strerror(errno))
    let remedy = errno == EADDRINUSE ? " Another process listens there; choose another port." : ""
    return LedgerError(.inputOutput, "The server cannot \(what) \(host):\(port): \(reason).\(remedy)")
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map(String.init(cString:)) ?? "" }
}
#endif
