#if Server
internal import GemLedger

/// Sends requests to other servers, on a few dedicated threads.
///
/// A host's addresses are looked up once, and all are checked. The connection uses only these addresses, even if the
/// name resolves to another address a moment later. Redirects are not followed, and no proxy is used.
package struct HTTPSender: Sendable {
  /// The default time limit of a request.
  package static let timeout = Duration.seconds(15)
  /// The maximum time limit of a request.
  package static let timeoutMax = Duration.seconds(120)
  /// The maximum number of requests that wait for a thread.
  package static let waitingMax = 10_000

  private let target: OutgoingTarget
  private let lookup: AddressLookup
  private let threads: SendingThreads

  /// - Parameters:
  ///   - target: The allowed targets.
  ///   - threadCount: The maximum number of concurrent requests; at least one.
  ///   - lookup: The resolver of host names.
  package init(to target: OutgoingTarget, threadCount: Int = 8, lookup: AddressLookup = .system) {
    self.target = target
    self.lookup = lookup
    threads = SendingThreads(count: max(1, threadCount), waitingMax: Self.waitingMax)
  }

  /// Posts a body, and waits for the answer until the timeout.
  ///
  /// - Parameters:
  ///   - url: The target, which is checked again with the host's current addresses.
  ///   - headers: The fields in addition to `User-Agent`, without control characters.
  ///   - body: The bytes to send.
  ///   - timeout: From the look-up to the last byte of the answer; at most ``timeoutMax``.
  package func post(
    _ url: OutgoingURL, headers: [(name: String, value: String)], body: [UInt8], timeout: Duration = Self.timeout
  ) async -> Result<HTTPReply, HTTPSendFailure> {
    await send(OutgoingRequest(url: url, headers: headers, body: body, timeout: Self.bounded(timeout)))
  }

  /// Gets a URL, with the checks and limits of ``post(_:headers:body:timeout:)``.
  ///
  /// - Parameter bodyByteCountMax: The longest body of the answer that is read, in bytes.
  package func get(
    _ url: OutgoingURL, headers: [(name: String, value: String)], timeout: Duration = Self.timeout,
    bodyByteCountMax: Int = HTTPReply.bodyByteCountMax
  ) async -> Result<HTTPReply, HTTPSendFailure> {
    await send(
      OutgoingRequest(
        url: url, headers: headers, body: nil, timeout: Self.bounded(timeout), bodyByteCountMax: bodyByteCountMax))
  }

  private static func bounded(_ timeout: Duration) -> Duration { min(max(timeout, .milliseconds(1)), timeoutMax) }

  private func send(_ request: OutgoingRequest) async -> Result<HTTPReply, HTTPSendFailure> {
    let (target, lookup) = (target, lookup)
    return await withCheckedContinuation { continuation in
      let isTaken = threads.run { continuation.resume(returning: Self.send(request, to: target, lookup: lookup)) }
      guard !isTaken else { return }
      continuation.resume(returning: .failure(HTTPSendFailure(.overloaded, "Too many requests wait to be sent.")))
    }
  }

  private static func send(
    _ request: OutgoingRequest, to target: OutgoingTarget, lookup: AddressLookup
  ) -> Result<HTTPReply, HTTPSendFailure> {
    let start = ContinuousClock.now
    let addresses: [NetworkAddress]
    do throws(LedgerError) {
      try target.check(request.url)
      addresses = lookup.addresses(of: request.url.host)
      try target.check(addresses, of: request.url)
    } catch {
      return .failure(HTTPSendFailure(.refused, error.message))
    }
    guard !addresses.isEmpty else {
      return .failure(HTTPSendFailure(.unresolved, "The host \"\(request.url.host)\" has no address."))
    }
    let left = request.timeout - (ContinuousClock.now - start)
    guard left > .zero else { return .failure(HTTPSendFailure(.timedOut, "The look-up of the host took too long.")) }
    return CurlTransfer(request, addresses: addresses, timeout: left).run()
  }
}

/// A request to another server.
struct OutgoingRequest: Sendable {
  let url: OutgoingURL
  let headers: [(name: String, value: String)]
  /// The posted bytes; nil for a GET.
  let body: [UInt8]?
  let timeout: Duration
  /// The longest body of the answer that is read, in bytes.
  var bodyByteCountMax = HTTPReply.bodyByteCountMax
}
#endif
