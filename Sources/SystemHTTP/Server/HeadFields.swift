#if Server
internal import CMicroHTTPD

/// Reads the fields of a request, each as often as it was sent.
///
/// libmicrohttpd 0.9 hides three ambiguous forms: a NUL in a value, a value that continues on a second line, and a line
/// without a carriage return. They can still be detected: the library returns pointers into the received bytes, where
/// only line ends become NUL. If the lines are not adjacent, or the head does not end after the last line, a form was
/// hidden. Version 1.0 in strict mode refuses all three.
struct HeadFields {
  /// Pointers to a name and a value in the library's memory, valid while the request is read.
  typealias Field = (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

  /// Whether this type checks the lines instead of the library.
  static let looksBehindLines = MHD_get_version().map { String(cString: $0).hasPrefix("0.9.") } ?? false

  private var fields: [Field] = []
  /// The required address of the next line.
  private var next: UInt
  private var isBroken = false

  /// - Parameters:
  ///   - method: The first word of the first line.
  ///   - version: The last word of the first line.
  static func read(
    _ connection: OpaquePointer, from method: UnsafePointer<CChar>, behind version: UnsafePointer<CChar>
  ) throws(RequestHead.Refusal) -> [Field] {
    var head = HeadFields(next: UInt(bitPattern: version) + UInt(Exchange.length(version)) + 2)
    head.fields.reserveCapacity(16)
    withUnsafeMutablePointer(to: &head) { head in
      gem_mhd_fields(
        connection,
        { context, _, name, value in
          guard let context, let name, let value else { return gem_mhd_no }
          context.assumingMemoryBound(to: HeadFields.self).pointee.add(name, value)
          return gem_mhd_yes
        }, head)
    }
    guard looksBehindLines else { return head.fields }
    // An empty line ends the head; the library treats a line with a leading NUL or without CRLF as empty too.
    let isWhole = UInt(bitPattern: method) + UInt(gem_mhd_head_size(connection)) == head.next + 2
    guard !head.isBroken, isWhole else {
      throw RequestHead.Refusal(400, "A field continues on a second line, ends without CRLF, or has a NUL.")
    }
    return head.fields
  }

  private init(next: UInt) { self.next = next }

  private mutating func add(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) {
    let length = Exchange.length(value)
    if UInt(bitPattern: name) != next { isBroken = true }
    // The carriage return and the line feed, which this version replaces by NUL.
    next = UInt(bitPattern: value) + UInt(length) + 2
    if value[length + 1] != 0 { isBroken = true }
    fields.append(
      (
        UnsafeRawBufferPointer(start: name, count: Exchange.length(name)),
        UnsafeRawBufferPointer(start: value, count: length)
      ))
  }
}
#endif
