#if Server
/// The first line and the fields of a request, checked.
///
/// libmicrohttpd 0.9 is laxer than RFC 9112, and a proxy in front of it could read such requests differently.
struct RequestHead {
  /// The reason to refuse a request.
  ///
  /// The connection ends, since the beginning of the next request is unknown.
  struct Refusal: Error {
    let status: Int
    let reason: String

    init(_ status: Int, _ reason: String) {
      self.status = status
      self.reason = reason
    }
  }

  let method: String
  let path: [String]
  let query: [(name: String, value: String)]
  let headers: HTTPHeaders
  let body: Body

  /// The announcement of the body in the head.
  enum Body: Equatable {
    case none
    case bytes(Int)
    /// In chunks, each with its length.
    case chunks
  }

  /// - Parameters:
  ///   - target: The target as sent, with the query.
  ///   - fields: The bytes of names and values.
  init(
    method: String, target: [UInt8], version: String, fields: [HeadFields.Field]
  ) throws(Refusal) {
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw Refusal(505, "This server speaks HTTP/1.1.") }
    guard !method.isEmpty, method.utf8.allSatisfy(Self.isTokenByte) else {
      throw Refusal(400, "The method has invalid characters.")
    }
    let headers = try Self.headers(fields)
    if version == "HTTP/1.1", headers["Host"] == nil { throw Refusal(400, "The field Host is missing.") }
    body = try Self.body(headers, version)
    (path, query) = try Self.parts(of: target)
    self.method = method
    self.headers = headers
  }

  // MARK: Fields

  /// Fields that must not be repeated, since two readers could see two different requests.
  private static let onceOnly = ["Host", "Content-Length", "Transfer-Encoding", "Authorization", "Content-Type"]

  private static func headers(_ fields: [HeadFields.Field]) throws(Refusal) -> HTTPHeaders {
    var headers = HTTPHeaders()
    headers.reserve(fields.count)
    for field in fields {
      guard !field.name.isEmpty, field.name.allSatisfy(isTokenByte) else { throw Refusal(400, "A field has no name.") }
      guard let value = value(field.value) else { throw Refusal(400, "A field's value has invalid characters.") }
      headers.add(String(decoding: field.name, as: UTF8.self), value)
    }
    for name in onceOnly where headers.count(of: name) > 1 {
      throw Refusal(400, "The field \(name) occurs twice.")
    }
    return headers
  }

  /// Returns a field's value without the spaces around it; nil for control characters and bytes that are not UTF-8.
  private static func value(_ bytes: UnsafeRawBufferPointer) -> String? {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var allBits: UInt8 = 0
    for byte in bytes {
      guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { return nil }
      allBits |= byte
    }
    var (start, end) = (0, bytes.count)
    while start < end, isSpace(bytes[start]) { start += 1 }
    while start < end, isSpace(bytes[end - 1]) { end -= 1 }
    let trimmed = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    // The check of UTF-8 takes longer than a copy of ASCII.
    return allBits < 0x80
      ? String(decoding: trimmed, as: UTF8.self) : String(validating: trimmed, as: UTF8.self)
  }

  private static func body(_ headers: HTTPHeaders, _ version: String) throws(Refusal) -> Body {
    let length = headers["Content-Length"]
    if let coding = headers["Transfer-Encoding"] {
      guard version == "HTTP/1.1" else { throw Refusal(400, "HTTP/1.0 has no transfer codings.") }
      guard length == nil else { throw Refusal(400, "Content-Length and Transfer-Encoding exclude each other.") }
      guard coding.lowercased() == "chunked" else { throw Refusal(501, "The transfer coding is unknown.") }
      return .chunks
    }
    guard let length else { return .none }
    guard !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw Refusal(400, "Content-Length is not a number.")
    }
    // A number with more digits is longer than any limit.
    let count = Int(length) ?? .max
    return count > 0 ? .bytes(count) : .none
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: "!#$%&'*+.^`|~".utf8.contains(byte)
    }
  }

  // MARK: The target

  private static func parts(
    of target: [UInt8]
  ) throws(Refusal) -> (path: [String], query: [(name: String, value: String)]) {
    guard target.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") }) else {
      throw Refusal(400, "The path has characters that must be encoded.")
    }
    let local = withoutOrigin(target)
    guard local.first == UInt8(ascii: "/") else { throw Refusal(400, "The path must begin with a slash.") }
    let end = local.firstIndex(of: UInt8(ascii: "?")) ?? local.endIndex
    let path = try segments(of: local[..<end].dropFirst())
    return (path, end < local.endIndex ? try pairs(of: local[(end + 1)...]) : [])
  }

  private static func segments(of bytes: ArraySlice<UInt8>) throws(Refusal) -> [String] {
    var parts: [String] = []
    parts.reserveCapacity(8)
    var start = bytes.startIndex
    for end in bytes.indices where bytes[end] == UInt8(ascii: "/") {
      parts.append(try decoded(bytes[start..<end]))
      start = end + 1
    }
    parts.append(try decoded(bytes[start...]))
    return parts
  }

  private static func pairs(of bytes: ArraySlice<UInt8>) throws(Refusal) -> [(name: String, value: String)] {
    var query: [(name: String, value: String)] = []
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
      let pair = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let value = try pair.count > 1 ? decoded(pair[1], plusIsSpace: true) : ""
      query.append((try decoded(pair[0], plusIsSpace: true), value))
    }
    return query
  }

  /// Removes scheme and host, which clients of a proxy send.
  private static func withoutOrigin(_ target: [UInt8]) -> ArraySlice<UInt8> {
    guard target.first != UInt8(ascii: "/") else { return target[...] }
    for scheme in ["http://", "https://"] where target.starts(with: scheme.utf8) {
      let rest = target.dropFirst(scheme.utf8.count)
      return rest.drop { $0 != UInt8(ascii: "/") }
    }
    return target[...]
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) throws(Refusal) -> String {
    guard let text = Percent.decoded(bytes, plusIsSpace: plusIsSpace) else {
      throw Refusal(400, "The path or the query has an invalid encoding.")
    }
    return text
  }
}
#endif
