/// A list that only grows, kept in chunks so that growing never copies what is there.
struct ChunkedArray<Element> {
  private static var shift: Int { 12 }
  private static var chunkCount: Int { 1 << shift }

  private var chunks: [[Element]] = []
  private(set) var count = 0

  subscript(index: Int) -> Element { chunks[index >> Self.shift][index & (Self.chunkCount - 1)] }

  mutating func append(_ element: Element) {
    if count & (Self.chunkCount - 1) == 0 {
      chunks.append([])
      chunks[chunks.count - 1].reserveCapacity(Self.chunkCount)
    }
    chunks[chunks.count - 1].append(element)
    count += 1
  }

  mutating func append(contentsOf elements: [Element]) {
    for element in elements { append(element) }
  }
}

/// Rows by number, in pages that are made when one of their rows is.
struct PagedTable<Row> {
  private static var shift: Int { 8 }

  private var pages: [[Row?]] = []

  subscript(number: Int64) -> Row? {
    get {
      let page = Int(number >> Int64(Self.shift))
      guard page < pages.count, !pages[page].isEmpty else { return nil }
      return pages[page][Int(number) & (1 << Self.shift - 1)]
    }
    set {
      let page = Int(number >> Int64(Self.shift))
      while pages.count <= page { pages.append([]) }
      if pages[page].isEmpty { pages[page] = [Row?](repeating: nil, count: 1 << Self.shift) }
      pages[page][Int(number) & (1 << Self.shift - 1)] = newValue
    }
  }
}
