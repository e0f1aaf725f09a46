#if Server
internal import CMicroHTTPD

/// Reads the fields of a request, each as often as it was sent.
enum HeadFields {
  private final class List {
    var fields: [(name: [UInt8], value: [UInt8])] = []
    var isBroken = false
  }

  static func read(_ connection: OpaquePointer) throws(RequestHead.Refusal) -> [(name: [UInt8], value: [UInt8])] {
    let list = List()
    withExtendedLifetime(list) {
      gem_mhd_fields(
        connection,
        { context, _, name, value in
          guard let context, let name else { return gem_mhd_no }
          let list = Unmanaged<List>.fromOpaque(context).takeUnretainedValue()
          list.fields.append((HeadFields.bytes(name), value.map(HeadFields.bytes) ?? []))
          return gem_mhd_yes
        }, Unmanaged.passUnretained(list).toOpaque())
    }
    guard !list.isBroken else {
      throw RequestHead.Refusal(400, "A field's value has characters that no field may have.")
    }
    return list.fields
  }

  private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    let count = Exchange.length(text)
    return UnsafeRawBufferPointer(start: text, count: count).map { $0 }
  }
}
#endif
