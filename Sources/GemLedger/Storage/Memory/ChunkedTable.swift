/// An append-only table in chunks, so that growing never moves existing rows.
///
/// It manages its memory itself: an `Array` of arrays would check its uniqueness at every append, and the storage in
/// memory appends three rows a command.
struct ChunkedTable<Row>: ~Copyable {
  private static var shift: Int { 12 }
  private static var chunkCount: Int { 1 << shift }

  private var chunks: [UnsafeMutablePointer<Row>] = []
  /// The address of the next row; if it equals `end`, a new chunk is allocated first.
  private var next: UnsafeMutablePointer<Row>?
  private var end: UnsafeMutablePointer<Row>?
  private(set) var count = 0

  deinit {
    for (index, chunk) in chunks.enumerated() {
      chunk.deinitialize(count: min(Self.chunkCount, count - index << Self.shift))
      chunk.deallocate()
    }
  }

  subscript(index: Int) -> Row {
    get {
      precondition(index >= 0 && index < count, "row out of range")
      return chunks[index >> Self.shift][index & (Self.chunkCount - 1)]
    }
    set {
      precondition(index >= 0 && index < count, "row out of range")
      chunks[index >> Self.shift][index & (Self.chunkCount - 1)] = newValue
    }
  }

  mutating func append(_ row: consuming Row) {
    if next == end { addChunk() }
    next?.initialize(to: row)
    next? += 1
    count += 1
  }

  mutating func append(contentsOf rows: [Row]) {
    for row in rows { append(row) }
  }

  private mutating func addChunk() {
    let chunk = UnsafeMutablePointer<Row>.allocate(capacity: Self.chunkCount)
    chunks.append(chunk)
    next = chunk
    end = chunk + Self.chunkCount
  }
}
