#if Server
internal import CMicroHTTPD

/// Reads the fields of a request, each as often as it was sent.
///
/// libmicrohttpd 0.9 hides three things that two readers could read in two ways: a NUL in a value, a value that goes on
/// in a second line, and a line that ends without a carriage return. They show all the same: it hands out pointers into
/// the bytes as they came, with NUL in place of the ends of lines. So where the lines do not stand one behind the
/// other, something was hidden. Version 1.0 refuses all three by itself.
struct HeadFields {
  typealias Field = (name: [UInt8], value: [UInt8])

  private final class List {
    var fields: [Field] = []
    /// Where the next line has to begin.
    var next: UInt
    var isBroken = false

    init(next: UInt) { self.next = next }

    func add(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) {
      let bytes = (name: HeadFields.bytes(name), value: HeadFields.bytes(value))
      if UInt(bitPattern: name) != next { isBroken = true }
      // The carriage return and the line feed, of which this version makes NUL.
      next = UInt(bitPattern: value) + UInt(bytes.value.count) + 2
      if value[bytes.value.count + 1] != 0 { isBroken = true }
      fields.append(bytes)
    }
  }

  private static let looksBehindLines = MHD_get_version().map { String(cString: $0).hasPrefix("0.9.") } ?? false

  /// - Parameter version: The last word of the first line.
  static func read(
    _ connection: OpaquePointer, behind version: UnsafePointer<CChar>
  ) throws(RequestHead.Refusal) -> [Field] {
    let list = List(next: UInt(bitPattern: version) + UInt(Exchange.length(version)) + 2)
    withExtendedLifetime(list) {
      gem_mhd_fields(
        connection,
        { context, _, name, value in
          guard let context, let name, let value else { return gem_mhd_no }
          Unmanaged<List>.fromOpaque(context).takeUnretainedValue().add(name, value)
          return gem_mhd_yes
        }, Unmanaged.passUnretained(list).toOpaque())
    }
    guard !list.isBroken || !looksBehindLines else {
      throw RequestHead.Refusal(400, "A field goes over two lines, ends without CRLF, or has a NUL.")
    }
    return list.fields
  }

  private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    UnsafeRawBufferPointer(start: text, count: Exchange.length(text)).map { $0 }
  }
}
#endif
