/// The size of the pages in which a whole table is read.
package enum ScanPage {
  /// A page is held in memory as a whole, and costs one round trip to a remote storage.
  @inlinable package static var size: Int { 4096 }

  /// The rows in pages of that size.
  package static func pages<Row>(_ rows: [Row]) -> [[Row]] {
    stride(from: 0, to: rows.count, by: size).map { Array(rows[$0..<min(rows.count, $0 + size)]) }
  }
}
