#if Server
package import GemLedger

/// The rule for targets of outgoing requests: the public internet, and hosts allowed by name.
///
/// Customers of the server supply URLs, and must not reach the server's internal network through them. So all addresses
/// of a host must be public, and the port must be a port of the web. Allowed hosts are exempt from both.
package struct OutgoingTarget: Sendable {
  /// Allowed hosts, with any address.
  package let allowedHosts: Set<OutgoingHost>

  /// - Parameter allowedHosts: Names and addresses, such as `game.internal`, `10.0.0.7` or `[::1]`.
  /// - Throws: `LedgerError` with `configuration` for a text that is no host.
  package init(allowedHosts: some Sequence<String> = []) throws(LedgerError) {
    var hosts: Set<OutgoingHost> = []
    for text in allowedHosts {
      guard let host = OutgoingHost(text) else {
        throw LedgerError(.configuration, "\"\(text.prefix(100))\" is no host name and no address.")
      }
      hosts.insert(host)
    }
    self.allowedHosts = hosts
  }

  /// Reads a URL and makes all checks that need no look-up.
  ///
  /// - Throws: `LedgerError` with `invalid_request`; the detail `param` is `url`.
  package func url(_ text: String) throws(LedgerError) -> OutgoingURL {
    let url = try OutgoingURL(text)
    try check(url)
    return url
  }

  /// - Throws: As ``url(_:)``.
  package func check(_ url: OutgoingURL) throws(LedgerError) {
    guard !allowedHosts.contains(url.host) else { return }
    switch url.host {
    case .address(let address): try check([address], of: url)
    case .name(let name):
      guard name != "localhost", !name.hasSuffix(".localhost") else {
        throw LedgerError.outgoing("The host \"\(name)\" is this machine; requests go out to the public internet.")
      }
    }
    guard url.port == 80 || url.port == 443 else {
      throw LedgerError.outgoing("The port \(url.port) is not 80 or 443; the host has to be allowed by name for that.")
    }
  }

  /// Checks the addresses of a look-up; one private address refuses them all.
  ///
  /// - Throws: As ``url(_:)``.
  package func check(_ addresses: [NetworkAddress], of url: OutgoingURL) throws(LedgerError) {
    guard !allowedHosts.contains(url.host) else { return }
    for address in addresses where !address.isPublic {
      throw LedgerError.outgoing("The host \"\(url.host)\" is at \(address), which is not of the public internet.")
    }
  }
}
#endif
