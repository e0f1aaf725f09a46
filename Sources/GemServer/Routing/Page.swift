#if Server
package import GemLedger
package import SystemHTTP

/// One page of a list, in RevenueCat's envelope.
package struct Page: Sendable {
  package var items: [JSONValue]
  /// The cursor of the last item, if there are more pages.
  package var next: String?

  package init(_ items: [JSONValue], next: String? = nil) {
    self.items = items
    self.next = next
  }

  /// Creates the page after the call's cursor from a complete list.
  ///
  /// - Parameter cursor: Returns the cursor of an element.
  /// - Throws: `LedgerError` with `invalid_request` if no element has the call's cursor.
  package init<Element>(
    of list: [Element], _ call: Call, cursor: (Element) -> String, item: (Element) -> JSONValue
  ) throws(LedgerError) {
    var start = 0
    if let after = call.query["starting_after"]?.text {
      guard let index = list.firstIndex(where: { cursor($0).hasBytes(of: after) }) else {
        throw .parameter("starting_after", "names nothing in this list")
      }
      start = index + 1
    }
    let page = list[start...].prefix(call.limit)
    self.init(page.map(item), next: start + page.count < list.count ? page.last.map(cursor) : nil)
  }

  /// Returns the answer to a call for the page.
  package func response(to call: Call) -> HTTPResponse { .json(200, document(for: call)) }

  /// Returns the envelope with additional members.
  package func document(for call: Call, with others: [(String, JSONValue)] = []) -> JSONValue {
    let path = "/" + call.request.path.map(Percent.encoded).joined(separator: "/")
    var document: JSONObject = ["object": "list"]
    document["items"] = .array(items)
    document["next_page"] = JSONValue(next.map { path + "?" + query(of: call, after: $0) })
    document["url"] = .string(path)
    for (name, value) in others { document[name] = value }
    return .object(document)
  }

  private func query(of call: Call, after cursor: String) -> String {
    let kept = call.request.query.filter { $0.name != "starting_after" } + [("starting_after", cursor)]
    return kept.map { "\(Percent.encoded($0.name))=\(Percent.encoded($0.value))" }.joined(separator: "&")
  }

  /// The path and query of the next page; nil on the last page.
  func link(to call: Call) -> String? {
    next.map { "/" + call.request.path.map(Percent.encoded).joined(separator: "/") + "?" + query(of: call, after: $0) }
  }

  /// The parameters of every list.
  package static let parameters = [
    Parameter("starting_after", .text(1...1500), "The id of the previous page's last item, or the value in next_page."),
    Parameter("limit", .integer(), "The number of items per page, limited to 1 to 100; 20 by default."),
  ]
}
#endif
