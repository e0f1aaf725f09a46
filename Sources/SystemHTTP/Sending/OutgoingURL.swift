#if Server
package import GemLedger

/// The host of a URL: a name, or an address.
package enum OutgoingHost: Hashable, Sendable, CustomStringConvertible {
  /// A name in small letters.
  case name(String)
  case address(NetworkAddress)

  /// Reads a name, four decimal numbers, or a version 6 address in brackets.
  ///
  /// Names are letters, digits and hyphens between dots; other letters need the `xn--` form. A name that ends in a
  /// number is refused unless it is a plain address: systems read `2130706433`, `0x7f.1` and `127.00.0.1` as addresses,
  /// in different ways.
  package init?(_ text: String) {
    if text.hasPrefix("[") {
      guard text.hasSuffix("]"), let address = NetworkAddress(String(text.dropFirst().dropLast())),
        address.bytes.count == 16
      else { return nil }
      self = .address(address)
    } else if let address = NetworkAddress(text), address.bytes.count == 4 {
      self = .address(address)
    } else {
      let name = text.lowercased()
      guard Self.isName(name) else { return nil }
      self = .name(name)
    }
  }

  /// As URLs have it.
  package var description: String {
    switch self {
    case .name(let name): name
    case .address(let address): address.bytes.count == 16 ? "[\(address)]" : address.description
    }
  }

  private static func isName(_ text: String) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy(isLabel), let last = labels.last else { return false }
    return !last.allSatisfy(isDigit) && !last.starts(with: "0x".utf8)
  }

  private static func isLabel(_ label: Substring.UTF8View) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
      && label.allSatisfy { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == hyphen }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// A URL of outgoing requests, read strictly: ambiguous forms are refused.
package struct OutgoingURL: Hashable, Sendable, CustomStringConvertible {
  /// The longest URL that is read, in bytes.
  package static let byteCountMax = 2048

  package let isSecure: Bool
  package let host: OutgoingHost
  /// 1 to 65,535.
  package let port: UInt16
  /// Path and query, beginning with a slash.
  package let target: String

  /// Reads `http://` or `https://`, a host, an optional port, a path and a query.
  ///
  /// - Throws: `LedgerError` with `invalid_request`; the detail `param` is `url`.
  package init(_ text: String) throws(LedgerError) {
    guard text.utf8.count <= Self.byteCountMax else { throw Self.refused("is longer than 2,048 bytes") }
    guard text.utf8.allSatisfy(Self.isAllowed) else {
      throw Self.refused("holds a character that has to be percent-encoded")
    }
    guard let schemeEnd = text.firstRange(of: "://") else { throw Self.refused("has to begin with https://") }
    switch text[..<schemeEnd.lowerBound].lowercased() {
    case "https": isSecure = true
    case "http": isSecure = false
    default: throw Self.refused("has to begin with https:// or http://")
    }
    let rest = text[schemeEnd.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = String(rest.dropFirst(authority.count))
    target = path.hasPrefix("/") ? path : "/" + path
    guard !authority.contains("@") else { throw Self.refused("may hold no user name and no password") }
    let (hostText, portText) = Self.split(authority)
    guard let host = OutgoingHost(String(hostText)) else { throw Self.refused("has no host name that is taken here") }
    self.host = host
    guard let portText else {
      port = isSecure ? 443 : 80
      return
    }
    guard let port = UInt16(portText), port > 0, String(port) == portText else {
      throw Self.refused("has no port from 1 to 65535")
    }
    self.port = port
  }

  /// The URL as sent, with its port unless it is the scheme's default.
  package var description: String {
    let usual: UInt16 = isSecure ? 443 : 80
    return "\(isSecure ? "https" : "http")://\(host)\(port == usual ? "" : ":\(port)")\(target)"
  }

  /// Splits the authority at the last colon outside brackets.
  private static func split(_ authority: Substring) -> (host: Substring, port: Substring?) {
    guard let colon = authority.lastIndex(of: ":"), authority.lastIndex(of: "]").map({ $0 < colon }) ?? true else {
      return (authority, nil)
    }
    return (authority[..<colon], authority[authority.index(after: colon)...])
  }

  /// Returns whether the byte may be unescaped in a URL; fragments are for browsers.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !"\"#<>\\^`{|}".utf8.contains(byte)
  }

  static func refused(_ what: String) -> LedgerError { .outgoing("The URL \(what).") }
}

extension LedgerError {
  /// Returns the error for a refused URL.
  static func outgoing(_ message: String) -> LedgerError {
    LedgerError(.invalidRequest, message, details: [.text("param", "url")])
  }
}
#endif
