/// CRC-32C (Castagnoli): finds every single damaged byte and every run of damage up to four bytes long.
package enum Checksum {
  private static let table: [UInt32] = (0..<256).map { index in
    var rest = UInt32(index)
    for _ in 0..<8 { rest = rest & 1 == 1 ? rest >> 1 ^ 0x82F6_3B78 : rest >> 1 }
    return rest
  }

  package static func of(_ bytes: some Sequence<UInt8>, after earlier: UInt32 = 0) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      var state = ~earlier
      for byte in bytes { state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state >> 8 }
      return ~state
    }
  }
}
