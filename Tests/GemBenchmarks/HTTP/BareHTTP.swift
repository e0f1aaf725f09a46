#if Server
internal import CMicroHTTPD

/// libmicrohttpd alone, with one fixed answer: the baseline for the server.
///
/// Each thread listens at a separate port: threads that share a port leave nearly all connections to one of them.
final class BareHTTP {
  private let daemons: [OpaquePointer]
  let ports: [UInt16]
  private let answer: Answer

  /// The answer of the library's threads.
  private final class Answer: Sendable {
    let body: [UInt8]
    /// The balances read before each answer; nil to read nothing.
    let balances: BareBalances?

    init(body: [UInt8], balances: BareBalances?) {
      self.body = body
      self.balances = balances
    }
  }

  /// - Parameters:
  ///   - body: The answer to every request.
  ///   - balances: The balances read before each answer; nil to read nothing.
  init(threads: Int, body: [UInt8], balances: BareBalances? = nil) throws {
    let answer = Answer(body: body, balances: balances)
    self.answer = answer
    daemons = try (0..<threads).map { _ in
      var options = [gem_mhd_option(gem_mhd_option_end, 0, nil)]
      let started = gem_mhd_start(gem_mhd_flags, Self.access, Unmanaged.passUnretained(answer).toOpaque(), &options)
      guard let started else { throw HTTPLoad.Failure("the bare library did not start") }
      return started
    }
    ports = daemons.map { gem_mhd_port($0) }
  }

  func stop() { for daemon in daemons { MHD_stop_daemon(daemon) } }

  private static let access: MHD_AccessHandlerCallback = { context, connection, path, _, _, _, size, state in
    guard let context, let connection, let path, let state else { return gem_mhd_no }
    // The first call announces the head; the second call answers, as for a request with a body.
    guard state.pointee != nil else {
      state.pointee = UnsafeMutableRawPointer(connection)
      return gem_mhd_yes
    }
    if let size, size.pointee > 0 {
      size.pointee = 0
      return gem_mhd_yes
    }
    let answer = Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue()
    _ = answer.balances?.read(path: path)
    let response = answer.body.withUnsafeBytes { gem_mhd_response($0.count, $0.baseAddress) }
    defer { MHD_destroy_response(response) }
    gem_mhd_add_field(response, "Content-Type", "application/json")
    return gem_mhd_queue(connection, 200, response) != 0 ? gem_mhd_yes : gem_mhd_no
  }
}
#endif
