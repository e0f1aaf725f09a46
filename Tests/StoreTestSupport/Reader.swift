/// Reads a stream one by one; a missing element must be shown by an element that comes after it.
package struct Reader<Element: Sendable>: Sendable {
  private let stream: AsyncStream<Element>

  package init(_ stream: AsyncStream<Element>) { self.stream = stream }

  package func next() async -> Element? {
    // Every iterator goes on where the last one stopped.
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }
}
