#if Server
/// Who may reach the console, and how long a session lasts.
package struct ConsoleSettings: Sendable {
  /// The names by which browsers may call the console, without ports; loopback names are always allowed.
  package var hosts: Set<String> = []
  /// The addresses of proxies whose `X-Forwarded-For`, `-Host` and `-Proto` are believed.
  package var trustedProxies: Set<String> = []
  /// Whether the server itself speaks TLS.
  package var hasTLS = false
  /// The time without a request after which a session ends, in milliseconds.
  package var idleMilliseconds: Int64 = 30 * 60_000
  /// The time after which a session ends in any case, in milliseconds.
  package var absoluteMilliseconds: Int64 = 12 * 3_600_000
  /// The failed attempts to sign in that one address has per minute; all addresses together have 20 times as many.
  package var attemptsPerMinute = 10

  package init() {}
}
#endif
