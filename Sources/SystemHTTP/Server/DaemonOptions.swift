#if Server
internal import CMicroHTTPD

/// The library's options, and the functions that it calls.
///
/// The functions receive the server as an unmanaged pointer, retained until the server has stopped.
struct DaemonOptions {
  private var options: [MHD_OptionItem] = []
  private let server: UnsafeMutableRawPointer
  private let threads: Int
  private let tls: HTTPServerSettings.TLS?

  init(_ settings: HTTPServerSettings, server: HTTPServer) {
    let context = Unmanaged.passRetained(server).toOpaque()
    self.server = context
    threads = settings.threads
    tls = settings.tls
    // The acceptor enforces the bound of all threads together; one thread may have all connections.
    add(gem_mhd_option_connection_limit, settings.connectionCountMax)
    add(gem_mhd_option_connection_timeout, settings.idleSeconds)
    add(gem_mhd_option_memory_limit, settings.headByteCountMax)
    // RequestHead refuses a space in the target and a missing Host with an error object. Strict version 0.9 would
    // refuse them by closing without an answer, or by sending the head of its answer twice.
    add(gem_mhd_option_strict, HeadFields.looksBehindLines ? 0 : 1)
    add(gem_mhd_option_uri_log, unsafeBitCast(Self.begin, to: Int.self), context)
    add(gem_mhd_option_unescape, unsafeBitCast(Self.leaveEscapes, to: Int.self), context)
    add(gem_mhd_option_completed, unsafeBitCast(Self.complete, to: Int.self), context)
    add(gem_mhd_option_connection, unsafeBitCast(Self.connectionChanged, to: Int.self), context)
  }

  private mutating func add(_ option: Int32, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil) {
    options.append(gem_mhd_option(option, value, pointer))
  }

  /// Starts the library's threads; nil if that fails.
  func start() -> Workers? {
    var daemons: [OpaquePointer] = []
    while daemons.count < max(1, threads) {
      guard let daemon = startOne() else {
        Workers(daemons).stop()
        return nil
      }
      daemons.append(daemon)
    }
    return Workers(daemons)
  }

  private func startOne() -> OpaquePointer? {
    let flags = gem_mhd_flags | gem_mhd_no_listening
    guard let tls else { return Self.start(options, flags: flags, server) }
    return tls.key.withCString { key in
      tls.certificate.withCString { certificate in
        Self.versions.withCString { versions in
          let settings = [
            gem_mhd_option(gem_mhd_option_tls_key, 0, UnsafeMutableRawPointer(mutating: key)),
            gem_mhd_option(gem_mhd_option_tls_certificate, 0, UnsafeMutableRawPointer(mutating: certificate)),
            gem_mhd_option(gem_mhd_option_tls_priorities, 0, UnsafeMutableRawPointer(mutating: versions)),
          ]
          return Self.start(options + settings, flags: flags | gem_mhd_tls, server)
        }
      }
    }
  }

  /// The TLS versions as a GnuTLS priority string; TLS 1.0 and 1.1 are deprecated (RFC 8996).
  private static let versions = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

  private static func start(
    _ options: [MHD_OptionItem], flags: UInt32, _ server: UnsafeMutableRawPointer
  ) -> OpaquePointer? {
    var ended = options + [gem_mhd_option(gem_mhd_option_end, 0, nil)]
    return gem_mhd_start(flags, access, server, &ended)
  }

  /// Releases the server after the library's threads have ended.
  static func release(_ server: HTTPServer) { Unmanaged.passUnretained(server).release() }

  // MARK: Functions

  private static let begin:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
      context, target, connection in
      guard let context, let target, let connection, let opened = gem_mhd_connection_context(connection) else {
        return nil
      }
      let begun = DaemonOptions.server(context).begin(target, on: DaemonOptions.connection(opened))
      return Unmanaged.passRetained(begun).toOpaque()
    }

  /// Leaves escapes in the path; its parts are decoded separately later.
  private static let leaveEscapes:
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = { _, _, text in
      text.map { Exchange.length($0) } ?? 0
    }

  private static let access: MHD_AccessHandlerCallback = { context, connection, _, method, version, data, size, state in
    guard let context, let connection, let method, let version, let size, let exchange = state?.pointee else {
      return gem_mhd_no
    }
    let upload = UnsafeRawBufferPointer(start: data, count: size.pointee)
    let step = Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue()
    let goesOn = DaemonOptions.server(context).step(step, connection, method: method, version: version, upload)
    size.pointee = 0
    return goesOn ? gem_mhd_yes : gem_mhd_no
  }

  private static let complete:
    @convention(c) (
      UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
      MHD_RequestTerminationCode
    ) -> Void = { context, _, state, _ in
      guard let context, let exchange = state?.pointee else { return }
      state?.pointee = nil
      let ended = Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue()
      DaemonOptions.server(context).complete(ended)
    }

  private static let connectionChanged:
    @convention(c) (
      UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
      MHD_ConnectionNotificationCode
    ) -> Void = { context, connection, state, code in
      guard let context, let connection, let state else { return }
      let server = DaemonOptions.server(context)
      if gem_mhd_is_started(code) != 0 {
        state.pointee = Unmanaged.passRetained(server.opened(connection)).toOpaque()
      } else if let opened = state.pointee {
        state.pointee = nil
        server.closing(DaemonOptions.connection(opened))
        Unmanaged<OpenConnection>.fromOpaque(opened).release()
      }
    }

  private static func connection(_ context: UnsafeMutableRawPointer) -> OpenConnection {
    Unmanaged<OpenConnection>.fromOpaque(context).takeUnretainedValue()
  }

  private static func server(_ context: UnsafeMutableRawPointer) -> HTTPServer {
    Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
  }
}
#endif
