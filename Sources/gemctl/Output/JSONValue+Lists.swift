import GemLedger

extension JSONValue {
  /// A list with the JSON of each element.
  static func array<Element>(_ elements: some Sequence<Element>, _ json: (Element) -> JSONValue) -> JSONValue {
    .array(elements.map(json))
  }

  /// An object with a member for each element.
  static func object<Element>(
    _ elements: some Sequence<Element>, _ member: (Element) -> (String, JSONValue)
  ) -> JSONValue {
    .object(JSONObject(elements.map(member)))
  }
}
