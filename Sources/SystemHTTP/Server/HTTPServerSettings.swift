#if Server
/// The address and the limits of a server.
package struct HTTPServerSettings: Sendable {
  /// A name or an address to listen on; loopback by default, which other machines cannot reach.
  package var host = "127.0.0.1"
  /// The port; 0 for a free port.
  package var port: UInt16 = 0
  /// The number of threads that read requests.
  package var threads = 2
  /// The maximum number of open connections; further connections wait in the system's queue or are refused.
  ///
  /// A burst can exceed it by the 1024 connections of the queue: a connection counts when a thread has begun it.
  package var connectionCountMax = 10_000
  /// The maximum size of a request's first line and fields, in bytes.
  package var headByteCountMax = 32 * 1024
  /// The maximum size of a body from a sender with a key, in bytes.
  package var bodyByteCountMax = 1024 * 1024
  /// The maximum total size of bodies from senders with a key, in bytes.
  package var bodiesByteCountMax = 256 * 1024 * 1024
  /// The maximum size of a body from a sender without a key, such as a store's notification, in bytes.
  package var unknownBodyByteCountMax = 160 * 1024
  /// The maximum total size of bodies from senders without a key, in bytes.
  package var unknownBodiesByteCountMax = 32 * 1024 * 1024
  /// The maximum time to receive a head or a body, in seconds.
  package var requestSeconds = 10
  /// The maximum idle time of a connection, in seconds.
  package var idleSeconds = 75
  /// The maximum time for open requests when the server stops, in seconds.
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
