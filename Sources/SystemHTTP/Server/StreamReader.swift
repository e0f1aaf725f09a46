#if Server
internal import CMicroHTTPD
internal import Synchronization

/// Passes the bytes of a stream to the library, and wakes the connection for more bytes.
final class StreamReader {
  private let stream: HTTPStream
  private let connection: Resumption
  private let handle: OpaquePointer
  private unowned let server: HTTPServer

  init(_ stream: HTTPStream, _ connection: OpaquePointer, server: HTTPServer) {
    self.stream = stream
    self.connection = Resumption(connection)
    handle = connection
    self.server = server
  }

  /// Returns the library's answer, which owns this reader.
  func response() -> OpaquePointer? {
    MHD_create_response_from_callback(
      gem_mhd_size_unknown, 4096,
      { context, _, buffer, count in
        guard let context, let buffer else { return gem_mhd_end_of_stream }
        let reader = Unmanaged<StreamReader>.fromOpaque(context).takeUnretainedValue()
        return reader.read(UnsafeMutableRawBufferPointer(start: buffer, count: count))
      }, Unmanaged.passRetained(self).toOpaque(),
      { context in
        guard let context else { return }
        Unmanaged<StreamReader>.fromOpaque(context).takeRetainedValue().close()
      })
  }

  private func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    let (connection, handle) = (connection, handle)
    let part = stream.read(into: buffer) {
      MHD_suspend_connection(handle)
      return { connection.resume() }
    }
    switch part {
    case .bytes(let count): return count
    case .end: return gem_mhd_end_of_stream
    case .failed: return gem_mhd_end_with_error
    case .later: return 0
    }
  }

  private func close() {
    stream.close()
    server.streams.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(stream)) }
  }
}
#endif
