#if PostgreSQL
internal import GemLedger

/// The stored form of keys: a UUID as a zero byte and its sixteen bytes, any other key as text.
///
/// No text begins with a zero byte, so the two forms never collide.
enum PostgresKey {
  static func append(_ key: IdempotencyKey, to bytes: inout [UInt8]) {
    guard let (high, low) = HexForm.parseUUID(key.text) else {
      bytes += key.text.utf8
      return
    }
    bytes.append(0)
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes.append(contentsOf: $0) }
  }

  static func bytes(_ key: IdempotencyKey) -> [UInt8] {
    var bytes: [UInt8] = []
    append(key, to: &bytes)
    return bytes
  }

  static func key(_ bytes: UnsafeBufferPointer<UInt8>) -> IdempotencyKey {
    guard bytes.count == 17, bytes[0] == 0, let start = UnsafeRawPointer(bytes.baseAddress) else {
      return IdempotencyKey(unchecked: String(decoding: bytes, as: UTF8.self))
    }
    let high = UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
    let low = UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 9, as: UInt64.self))
    return IdempotencyKey(unchecked: HexForm.uuid(high: high, low: low))
  }
}
#endif
