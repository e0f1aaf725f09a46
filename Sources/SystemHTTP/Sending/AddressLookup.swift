#if Server
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#endif

/// Looks up the addresses of a host; it blocks its thread for as long as the system's resolver takes.
package struct AddressLookup: Sendable {
  private let find: @Sendable (String) -> [NetworkAddress]

  /// - Parameter find: Returns the addresses of a name; empty if there is no such name.
  package init(_ find: @escaping @Sendable (String) -> [NetworkAddress]) { self.find = find }

  /// The system's resolver.
  package static let system = AddressLookup(addresses(of:))

  func addresses(of host: OutgoingHost) -> [NetworkAddress] {
    switch host {
    case .address(let address): [address]
    case .name(let name): find(name)
    }
  }

  private static func addresses(of name: String) -> [NetworkAddress] {
    var hints = addrinfo()
    #if canImport(Glibc)
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
    hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0, let list else { return [] }
    defer { freeaddrinfo(list) }
    var found: [NetworkAddress] = []
    var next: UnsafeMutablePointer<addrinfo>? = list
    while let entry = next {
      if let address = address(in: entry.pointee), !found.contains(address) { found.append(address) }
      next = entry.pointee.ai_next
    }
    return found
  }

  private static func address(in entry: addrinfo) -> NetworkAddress? {
    guard let raw = UnsafeRawPointer(entry.ai_addr) else { return nil }
    switch entry.ai_family {
    case AF_INET:
      let address = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
      return NetworkAddress(bytes: withUnsafeBytes(of: address) { Array($0) })
    case AF_INET6:
      let address = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      return NetworkAddress(bytes: withUnsafeBytes(of: address) { Array($0) })
    default: return nil
    }
  }
}
#endif
