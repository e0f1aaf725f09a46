#if Server
/// How a server listens, and the bounds of what it takes.
package struct HTTPServerSettings: Sendable {
  /// A name or an address to listen on; loopback by default, so that nobody else reaches it unasked.
  package var host = "127.0.0.1"
  /// 0 for a free one.
  package var port: UInt16 = 0
  /// How many threads read requests.
  package var threads = 2
  /// How many connections at once; further ones wait for the system, or are refused by it.
  ///
  /// A burst passes it by at most the 1024 that wait for the system: a connection counts once a thread has begun it.
  package var connectionCountMax = 10_000
  /// How many bytes a request's first line and fields may have.
  package var headByteCountMax = 32 * 1024
  /// How many bytes a body may have whose sender has a key.
  package var bodyByteCountMax = 1024 * 1024
  /// How many bytes all bodies of senders with a key may have together.
  package var bodiesByteCountMax = 256 * 1024 * 1024
  /// How many bytes a body may have whose sender needs no key, such as a store's notification.
  package var unknownBodyByteCountMax = 160 * 1024
  /// How many bytes all bodies of senders without a key may have together.
  package var unknownBodiesByteCountMax = 32 * 1024 * 1024
  /// How long a head or a body may take to come, in seconds.
  package var requestSeconds = 10
  /// How long a connection may stay without a request, in seconds.
  package var idleSeconds = 75
  /// How long requests under way may take once the server stops, in seconds.
  package var stopSeconds = 20
  /// Certificate chain and key, as PEM; nil without TLS.
  package var tls: TLS?

  package struct TLS: Sendable {
    package var certificate: String
    package var key: String

    package init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  package init() {}
}
#endif
