#if Server
internal import CMicroHTTPD

/// libmicrohttpd alone, with one fixed answer: what the server is measured against.
final class BareHTTP {
  private let daemon: OpaquePointer
  /// Kept for the library's threads.
  private let balances: BareBalances?
  let port: UInt16

  /// - Parameters:
  ///   - body: The answer to every request.
  ///   - balances: What is read before each answer; nil for nothing.
  init(threads: Int, body: [UInt8], balances: BareBalances? = nil) throws {
    let answer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: body.count)
    _ = answer.initialize(from: body)
    Self.body = UnsafeRawBufferPointer(answer)
    var options = [gem_mhd_option(gem_mhd_option_thread_pool_size, threads, nil), gem_mhd_option(0, 0, nil)]
    self.balances = balances
    let started = gem_mhd_start(
      gem_mhd_flags, Self.access, balances.map { Unmanaged.passUnretained($0).toOpaque() }, &options)
    guard let started else { throw HTTPLoad.Failure("the bare library did not start") }
    daemon = started
    port = gem_mhd_port(started)
  }

  func stop() { MHD_stop_daemon(daemon) }

  // One benchmark at a time, and it is set before the library's threads start.
  private nonisolated(unsafe) static var body = UnsafeRawBufferPointer(start: nil, count: 0)

  private static let access: MHD_AccessHandlerCallback = { context, connection, path, _, _, _, size, state in
    guard let connection, let path, let state else { return gem_mhd_no }
    // The first call is for the head; the answer comes with the second, as it does behind a body.
    guard state.pointee != nil else {
      state.pointee = UnsafeMutableRawPointer(connection)
      return gem_mhd_yes
    }
    if let size, size.pointee > 0 {
      size.pointee = 0
      return gem_mhd_yes
    }
    if let context { _ = Unmanaged<BareBalances>.fromOpaque(context).takeUnretainedValue().read(path: path) }
    let response = gem_mhd_response(BareHTTP.body.count, BareHTTP.body.baseAddress)
    defer { MHD_destroy_response(response) }
    gem_mhd_add_field(response, "Content-Type", "application/json")
    return gem_mhd_queue(connection, 200, response) != 0 ? gem_mhd_yes : gem_mhd_no
  }
}
#endif
