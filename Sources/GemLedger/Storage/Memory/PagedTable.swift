/// Rows by number, in pages that are allocated with their first row.
///
/// Outlying numbers do not enlarge the table by their distance: a dictionary holds their pages.
final class PagedTable<Row> {
  private static var shift: Int { 8 }
  private static var pageCount: Int { 1 << shift }

  @exclusivity(unchecked) private var pages: [UnsafeMutablePointer<Row?>?] = []

  private var farPages: [Int: UnsafeMutablePointer<Row?>] = [:]
  /// The maximum number of pages that the table grows by at once.
  private static var growthMax: Int { 4096 }

  deinit {
    for page in pages + farPages.values.map(Optional.some) {
      page?.deinitialize(count: Self.pageCount)
      page?.deallocate()
    }
  }

  subscript(number: Int64) -> Row? {
    get {
      let index = Int(number >> Int64(Self.shift))
      let position = Int(number) & (Self.pageCount - 1)
      if index >= 0, index < pages.count, let page = pages[index] { return page[position] }
      return farPages.isEmpty ? nil : farPages[index]?[position]
    }
    set { page(of: number)[Int(number) & (Self.pageCount - 1)] = newValue }
  }

  /// Reads every cache line of the row, to bring it into the processor's cache.
  @inline(__always)
  func touch(_ number: Int64) -> Int {
    let index = Int(number >> Int64(Self.shift))
    guard index >= 0, index < pages.count, let page = pages[index] else { return 0 }
    let position = UnsafeRawPointer(page + (Int(number) & (Self.pageCount - 1)))
    let last = MemoryLayout<Row?>.size - 1
    var sum = Int(position.load(fromByteOffset: last, as: UInt8.self))
    for offset in stride(from: 0, to: last, by: 64) {
      sum &+= Int(position.load(fromByteOffset: offset, as: UInt8.self))
    }
    return sum
  }

  private func page(of number: Int64) -> UnsafeMutablePointer<Row?> {
    let index = Int(number >> Int64(Self.shift))
    if index < pages.count, let page = pages[index] { return page }
    if let page = farPages[index] { return page }
    let page = UnsafeMutablePointer<Row?>.allocate(capacity: Self.pageCount)
    page.initialize(repeating: nil, count: Self.pageCount)
    guard index < pages.count + Self.growthMax else {
      farPages[index] = page
      return page
    }
    while pages.count <= index { pages.append(nil) }
    pages[index] = page
    return page
  }
}
