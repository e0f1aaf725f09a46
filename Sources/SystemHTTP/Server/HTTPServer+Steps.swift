#if Server
internal import CMicroHTTPD
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The steps of a request, in the order of the library's calls.
extension HTTPServer {
  /// Handles the received part of a request.
  ///
  /// - Returns: False to close the connection at once.
  func step(
    _ exchange: Exchange, _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
    _ upload: UnsafeRawBufferPointer
  ) -> Bool {
    switch exchange.phase {
    case .begun: return takeHead(exchange, connection, method: method, version: version)
    case .body where !upload.isEmpty:
      takeBody(exchange, upload)
      return true
    case .body: return answer(exchange, connection)
    case .working:
      guard let response = exchange.answer.withLock({ $0.take() }) else { return false }
      return queue(response, exchange, connection)
    // Bytes of a discarded body.
    case .answered: return true
    }
  }

  /// Ends an exchange after its answer or the loss of its connection.
  func complete(_ exchange: Exchange) {
    let now = SteadyTime.now
    release(exchange)
    exchange.connection.goOn(until: now.later(seconds: settings.idleSeconds))
    handler.finished(exchange.summary(at: now))
  }

  // MARK: Head

  private func takeHead(
    _ exchange: Exchange, _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>
  ) -> Bool {
    exchange.connection.goOn(until: exchange.startedAt.later(seconds: settings.requestSeconds))
    exchange.method = String(cString: method)
    exchange.phase = .body
    do throws(RequestHead.Refusal) {
      let fields = try HeadFields.read(connection, from: method, behind: version)
      // The single byte between two words, which the library replaces by NUL.
      guard exchange.targetAddress == UInt(bitPattern: method) + UInt(Exchange.length(method)) + 1,
        UInt(bitPattern: version) == exchange.targetAddress + UInt(exchange.target.count) + 1
      else {
        throw RequestHead.Refusal(400, "The first line has invalid characters.")
      }
      let head = try RequestHead(
        method: exchange.method, target: exchange.target, version: String(cString: version), fields: fields)
      return begin(exchange, connection, head)
    } catch {
      return refuse(
        exchange, connection, handler.refusal(status: error.status, reason: error.reason, requestID: exchange.id))
    }
  }

  /// Decides by the head, so that bodies of senders with a refused key are not kept.
  private func begin(_ exchange: Exchange, _ connection: OpaquePointer, _ head: RequestHead) -> Bool {
    let request = HTTPRequest(
      method: head.method, path: head.path, query: head.query, headers: head.headers, body: [],
      client: exchange.connection.client, id: exchange.id, proofs: exchange.connection.proofs)
    exchange.request = request
    switch handler.begin(request) {
    case .refused(let response):
      if head.body != .none { return refuse(exchange, connection, response) }
      exchange.refusal = response
    case .accepted(let sender, let begin):
      if let response = refusal(of: head.body, from: sender, request) { return refuse(exchange, connection, response) }
      (exchange.bodySender, exchange.begin) = (sender, begin)
      if case .bytes(let count) = head.body { exchange.announcedByteCount = count }
    }
    return true
  }

  private func refusal(of body: RequestHead.Body, from sender: BodySender, _ request: HTTPRequest) -> HTTPResponse? {
    switch body {
    case .none: return nil
    // The library accepts lines without CR between chunks, which a proxy could read differently.
    case .chunks:
      return handler.refusal(
        status: 411, reason: "Send the body with a Content-Length: chunks are not accepted.", of: request)
    case .bytes(let count):
      let most = bodies.byteCountMax(of: sender)
      guard count > most else { return nil }
      return handler.refusal(status: 413, reason: "The body is too long; the maximum is \(most) bytes.", of: request)
    }
  }

  /// Answers before the request is complete, and ends the connection.
  private func refuse(_ exchange: Exchange, _ connection: OpaquePointer, _ response: HTTPResponse) -> Bool {
    var response = response
    response.closes = true
    exchange.connection.linger()
    return queue(response, exchange, connection)
  }

  // MARK: Body

  private func takeBody(_ exchange: Exchange, _ upload: UnsafeRawBufferPointer) {
    // The rest is read and dropped, so that the sender can read the answer.
    guard exchange.refusal == nil, let request = exchange.request else { return }
    guard bodies.take(upload.count, from: exchange.bodySender) else {
      release(exchange)
      let reason = "The server's memory for bodies is full; send the request again."
      exchange.refusal = handler.refusal(status: 503, reason: reason, of: request)
      exchange.refusal?.closes = true
      return
    }
    exchange.keptByteCount += upload.count
    // The announced length is within the bound for a body, and unwritten memory costs nothing.
    if exchange.body.isEmpty { exchange.body.reserveCapacity(exchange.announcedByteCount) }
    exchange.body.append(contentsOf: upload)
  }

  private func release(_ exchange: Exchange) {
    // Most requests have no body, and all threads share the count.
    guard exchange.keptByteCount > 0 else { return }
    exchange.body = []
    bodies.release(exchange.keptByteCount, from: exchange.bodySender)
    exchange.keptByteCount = 0
  }

  // MARK: Answer

  private func answer(_ exchange: Exchange, _ connection: OpaquePointer) -> Bool {
    exchange.connection.pause()
    if let refusal = exchange.refusal { return queue(refusal, exchange, connection) }
    guard var request = exchange.request.take(), let begin = exchange.begin.take() else { return false }
    swap(&request.body, &exchange.body)
    switch begin(request) {
    case .now(let response): return queue(response, exchange, connection)
    case .later(let work):
      exchange.phase = .working
      beginWork()
      MHD_suspend_connection(connection)
      let resumption = Resumption(connection)
      Task {
        let response = await work()
        exchange.answer.withLock { $0 = response }
        resumption.resume()
        endWork()
      }
      return true
    }
  }

  private func queue(_ response: HTTPResponse, _ exchange: Exchange, _ connection: OpaquePointer) -> Bool {
    exchange.phase = .answered
    exchange.status = response.status
    exchange.label = response.label
    guard let made = make(response, exchange, connection) else { return false }
    defer { MHD_destroy_response(made) }
    for (name, value) in response.headers { gem_mhd_add_field(made, name, value) }
    if response.closes || isStopping { gem_mhd_add_field(made, "Connection", "close") }
    return gem_mhd_queue(connection, UInt32(response.status), made) != 0
  }

  private func make(_ response: HTTPResponse, _ exchange: Exchange, _ connection: OpaquePointer) -> OpaquePointer? {
    switch response.content {
    case .bytes(let bytes):
      exchange.byteCount = bytes.count
      return bytes.withUnsafeBytes { gem_mhd_response($0.count, $0.baseAddress) }
    case .stream(let stream):
      streams.withLock { $0[ObjectIdentifier(stream)] = stream }
      if isStopping { stream.end() }
      return StreamReader(stream, connection, server: self).response()
    }
  }

  /// Returns the peer's address, without its port.
  static func address(of connection: OpaquePointer) -> String {
    guard let address = gem_mhd_client(connection) else { return "" }
    let isShort = Int32(address.pointee.sa_family) == AF_INET
    // The common case avoids the system's formatting, which takes a microsecond.
    if isShort { return dotted(UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr) }
    let length = MemoryLayout<sockaddr_in6>.size
    var text = [CChar](repeating: 0, count: 64)
    guard getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
      return ""
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Returns an IPv4 address in dotted form.
///
/// - Parameter address: The address in network byte order.
private func dotted(_ address: UInt32) -> String {
  let number = UInt32(bigEndian: address)
  return "\(number >> 24).\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
}

/// A connection that waits for its answer.
// Unchecked: any thread may resume a connection, and the library keeps it until then.
struct Resumption: @unchecked Sendable {
  private let connection: OpaquePointer

  init(_ connection: OpaquePointer) { self.connection = connection }

  func resume() { MHD_resume_connection(connection) }
}
#endif
