internal import GemLedger

/// A value in a row, in a key or in the file.
enum StoredValue: Equatable {
  case nothing
  case integer(Int64)
  case data([UInt8])

  static func text(_ text: String) -> Self { .data(Array(text.utf8)) }

  var number: Int64? { if case .integer(let number) = self { number } else { nil } }
  var bytes: [UInt8]? { if case .data(let bytes) = self { bytes } else { nil } }
  var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
}

extension Sequence where Element == StoredValue {
  /// The values one behind the other, as bytes that stand in the order of the values.
  var coded: [UInt8] {
    var coded: [UInt8] = []
    for value in self {
      switch value {
      case .nothing: coded.append(0)
      case .integer(let number):
        coded.append(1)
        withUnsafeBytes(of: (UInt64(bitPattern: number) ^ 1 << 63).bigEndian) { coded += $0 }
      case .data(let bytes):
        coded.append(2)
        // A text ends where a longer one goes on, and so comes before it.
        for byte in bytes {
          coded.append(byte)
          if byte == 0 { coded.append(255) }
        }
        coded += [0, 0]
      }
    }
    return coded
  }
}

/// Reads coded values; it ends before one that is not whole.
struct ValueReader: Sequence, IteratorProtocol {
  private let all: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) { all = bytes }

  mutating func next() -> StoredValue? {
    guard position < all.count else { return nil }
    position += 1
    return switch all[position - 1] {
    case 0: .nothing
    case 1: number()
    default: bytes()
    }
  }

  private mutating func number() -> StoredValue? {
    guard position + 8 <= all.count else { return nil }
    defer { position += 8 }
    return .integer(Int64(bitPattern: all[position..<position + 8].reduce(0) { $0 << 8 | UInt64($1) } ^ 1 << 63))
  }

  private mutating func bytes() -> StoredValue? {
    var found: [UInt8] = []
    while position + 1 < all.count {
      let (byte, following) = (all[position], all[position + 1])
      position += byte == 0 ? 2 : 1
      if byte == 0, following == 0 { return .data(found) }
      found.append(byte)
    }
    return nil
  }
}
