#if Server
internal import CCurl
internal import CDelayLoad

/// One request by libcurl; it blocks its thread until the answer.
struct CurlTransfer {
  private let request: OutgoingRequest
  private let addresses: [NetworkAddress]
  private let timeout: Duration

  /// - Parameters:
  ///   - addresses: The checked addresses to connect to; at least one.
  ///   - timeout: The rest of the request's time.
  init(_ request: OutgoingRequest, addresses: [NetworkAddress], timeout: Duration) {
    self.request = request
    self.addresses = addresses
    self.timeout = timeout
  }

  /// Loads and initializes the library, once per process; the reason if that failed.
  private static let problem: String? =
    if let problem = gem_load_library(GEM_LIBCURL) {
      String(cString: problem)
    } else {
      gem_curl_init() == CURLE_OK ? nil : notReady
    }

  private static let notReady = "libcurl could not be readied."

  func run() -> Result<HTTPReply, HTTPSendFailure> {
    guard request.headers.allSatisfy({ Self.isField($0.name, $0.value) }) else {
      return .failure(HTTPSendFailure(.refused, "A header field of the request holds a control character."))
    }
    if let problem = Self.problem { return .failure(HTTPSendFailure(.unreachable, problem)) }
    guard let handle = curl_easy_init() else { return .failure(HTTPSendFailure(.unreachable, Self.notReady)) }
    defer { curl_easy_cleanup(handle) }
    let fields = CurlList(fieldLines)
    let pins = CurlList(pins)
    defer {
      fields.free()
      pins.free()
    }
    let collector = ReplyCollector(bodyByteCountMax: request.bodyByteCountMax)
    return withExtendedLifetime(collector) {
      guard configure(handle), setBody(handle), Self.collect(handle, into: collector),
        gem_curl_set_pointer(handle, CURLOPT_HTTPHEADER, fields.head) == CURLE_OK,
        gem_curl_set_pointer(handle, CURLOPT_RESOLVE, pins.head) == CURLE_OK
      else { return .failure(HTTPSendFailure(.unreachable, "libcurl lacks a setting that requests need.")) }
      return outcome(curl_easy_perform(handle), handle, collector)
    }
  }

  // MARK: Settings

  private func configure(_ handle: UnsafeMutableRawPointer) -> Bool {
    let (seconds, attoseconds) = timeout.components
    let milliseconds = max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (request.body == nil ? CURLOPT_HTTPGET : CURLOPT_POST, 1), (CURLOPT_FOLLOWLOCATION, 0),
      (CURLOPT_FORBID_REUSE, 1),
      (CURLOPT_TIMEOUT_MS, milliseconds), (CURLOPT_CONNECTTIMEOUT_MS, milliseconds),
      (CURLOPT_NETRC, 0), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
    ]
    // An empty proxy also overrides the environment's proxy.
    let texts = [
      (CURLOPT_URL, request.url.description), (CURLOPT_PROXY, ""), (CURLOPT_NOPROXY, "*"),
      (CURLOPT_USERAGENT, "GemLedger"),
    ]
    return gem_curl_set_web_only(handle) == CURLE_OK
      && numbers.allSatisfy { gem_curl_set_long(handle, $0.0, $0.1) == CURLE_OK }
      && texts.allSatisfy { gem_curl_set_text(handle, $0.0, $0.1) == CURLE_OK }
  }

  /// The library copies the bytes.
  private func setBody(_ handle: UnsafeMutableRawPointer) -> Bool {
    guard let body = request.body else { return true }
    // Without a pointer, the library would take the body from a stream.
    guard !body.isEmpty else { return gem_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, "") == CURLE_OK }
    return body.withUnsafeBytes { body in
      gem_curl_set_long(handle, CURLOPT_POSTFIELDSIZE, body.count) == CURLE_OK
        && gem_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, body.baseAddress) == CURLE_OK
    }
  }

  private static func collect(_ handle: UnsafeMutableRawPointer, into collector: ReplyCollector) -> Bool {
    let context = Unmanaged.passUnretained(collector).toOpaque()
    let onBody: gem_curl_callback = { bytes, size, count, context in
      ReplyCollector.at(context)?.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
    let onHead: gem_curl_callback = { bytes, size, count, context in
      ReplyCollector.at(context)?.takeHead(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
    return gem_curl_set_callback(handle, CURLOPT_WRITEFUNCTION, onBody) == CURLE_OK
      && gem_curl_set_pointer(handle, CURLOPT_WRITEDATA, context) == CURLE_OK
      && gem_curl_set_callback(handle, CURLOPT_HEADERFUNCTION, onHead) == CURLE_OK
      && gem_curl_set_pointer(handle, CURLOPT_HEADERDATA, context) == CURLE_OK
  }

  /// The lines of the head, without `Expect`, which many servers answer late.
  private var fieldLines: [String] {
    // A field without a value is written with a semicolon.
    request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" } + ["Expect:"]
  }

  /// The host's addresses, instead of a look-up by the library; none for a host that is an address.
  private var pins: [String] {
    guard case .name(let name) = request.url.host else { return [] }
    let list = addresses.map { $0.bytes.count == 16 ? "[\($0)]" : $0.description }.joined(separator: ",")
    return ["\(name):\(request.url.port):\(list)"]
  }

  private static func isField(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
      && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  // MARK: Outcome

  private func outcome(
    _ code: CURLcode, _ handle: UnsafeMutableRawPointer, _ collector: ReplyCollector
  ) -> Result<HTTPReply, HTTPSendFailure> {
    var (status, sentCount) = (0, 0)
    _ = gem_curl_status(handle, &status)
    _ = gem_curl_sent_count(handle, &sentCount)
    if code == CURLE_OK || (code == CURLE_WRITE_ERROR && collector.isBodyCut) {
      return .success(collector.reply(status: status))
    }
    let kind: HTTPSendFailure.Kind =
      switch code {
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_COULDNT_RESOLVE_HOST: .unresolved
      default: sentCount > 0 ? .lost : .unreachable
      }
    let reason = curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    return .failure(
      HTTPSendFailure(kind, "No answer of \"\(request.url.host)\": \(reason).", mayHaveArrived: sentCount > 0))
  }
}

/// A list of texts in the library's form.
private struct CurlList {
  private(set) var head: UnsafeMutablePointer<curl_slist>?

  init(_ texts: [String]) {
    for text in texts { head = curl_slist_append(head, text) ?? head }
  }

  func free() { curl_slist_free_all(head) }
}

/// Collects an answer, on the thread that waits for it.
private final class ReplyCollector {
  private var headers = HTTPHeaders()
  private var headByteCount = 0
  private var body: [UInt8] = []
  private(set) var isBodyCut = false
  private let bodyByteCountMax: Int

  init(bodyByteCountMax: Int) { self.bodyByteCountMax = bodyByteCountMax }

  static func at(_ context: UnsafeMutableRawPointer?) -> ReplyCollector? {
    context.map { Unmanaged<ReplyCollector>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Takes part of the body; a smaller result than the count ends the transfer.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    let taken = min(bytes.count, bodyByteCountMax - body.count)
    body.append(contentsOf: bytes.prefix(taken))
    if taken < bytes.count { isBodyCut = true }
    return taken
  }

  /// Takes a line of the head; a status line begins a new head, as after an interim answer.
  func takeHead(_ bytes: UnsafeRawBufferPointer) -> Int {
    headByteCount += bytes.count
    guard headByteCount <= HTTPReply.headByteCountMax else { return 0 }
    let line = String(decoding: bytes, as: UTF8.self)
    if line.hasPrefix("HTTP/") { headers = HTTPHeaders() }
    guard let colon = line.firstIndex(of: ":") else { return bytes.count }
    let value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
    let trimmed = value.reversed().drop(while: \.isWhitespace).reversed()
    headers.add(String(line[..<colon]), String(trimmed))
    return bytes.count
  }

  func reply(status: Int) -> HTTPReply {
    HTTPReply(status: status, headers: headers, body: body, isBodyCut: isBodyCut)
  }
}
#endif
