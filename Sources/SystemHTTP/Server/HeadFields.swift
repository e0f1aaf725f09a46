#if Server
internal import CMicroHTTPD

/// Reads the fields of a request, each as often as it was sent.
///
/// libmicrohttpd 0.9 hides three things that two readers could read in two ways: a NUL in a value, a value that goes on
/// in a second line, and a line that ends without a carriage return. They show all the same: it hands out pointers into
/// the bytes as they came, with NUL in place of the ends of lines. So where the lines do not stand one behind the
/// other, or the head does not end behind the last of them, something was hidden. Version 1.0 refuses all three by
/// itself, as long as it is strict.
struct HeadFields {
  /// A name and a value where they lie in the library's memory, for as long as the request is read.
  typealias Field = (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

  /// Whether lines are looked at here, and not by the library.
  static let looksBehindLines = MHD_get_version().map { String(cString: $0).hasPrefix("0.9.") } ?? false

  private var fields: [Field] = []
  /// Where the next line has to begin.
  private var next: UInt
  private var isBroken = false

  /// - Parameters:
  ///   - method: The first word of the first line.
  ///   - version: The last one.
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
    // An empty line ends the head; the library takes one that begins with NUL, or ends without CRLF, for empty too.
    let isWhole = UInt(bitPattern: method) + UInt(gem_mhd_head_size(connection)) == head.next + 2
    guard !head.isBroken, isWhole else {
      throw RequestHead.Refusal(400, "A field goes over two lines, ends without CRLF, or has a NUL.")
    }
    return head.fields
  }

  private init(next: UInt) { self.next = next }

  private mutating func add(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) {
    let length = Exchange.length(value)
    if UInt(bitPattern: name) != next { isBroken = true }
    // The carriage return and the line feed, of which this version makes NUL.
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
