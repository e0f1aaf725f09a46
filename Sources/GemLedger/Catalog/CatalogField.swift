/// One value of a document and its position; reading it as a type gives the value or reports a problem.
package struct CatalogField {
  package let value: JSONValue
  package let path: JSONPath
  package let check: CatalogCheck

  package init(_ value: JSONValue, at path: JSONPath, _ check: CatalogCheck) {
    self.value = value
    self.path = path
    self.check = check
  }

  /// Reports a problem with this value; nil for the caller to return.
  package func refuse<Value>(_ message: String) -> Value? {
    check.add(path, message)
    return nil
  }

  package func refuseType<Value>(_ expected: String) -> Value? {
    refuse("This should be \(expected), but is \(value.kind).")
  }
}

// Scalars.
extension CatalogField {
  package func bool() -> Bool? { value.bool ?? refuseType("true or false") }

  package func integer(in range: ClosedRange<Int64>) -> Int64? {
    guard let integer = value.integer else { return refuseType("a whole number, in plain digits") }
    guard range.contains(integer) else {
      return refuse("This should be from \(range.lowerBound) to \(range.upperBound), but is \(integer).")
    }
    return integer
  }

  /// Any text within the limit of bytes.
  package func text() -> String? {
    guard let text = value.text else { return refuseType("a text") }
    guard text.utf8.count <= Limits.catalogTextBytes else {
      return refuse("The text has \(text.utf8.count) bytes; the most is \(Limits.catalogTextBytes).")
    }
    return text
  }

  /// A text for people; it must not be empty.
  package func caption() -> String? {
    guard let text = text() else { return nil }
    guard !text.isEmpty else { return refuse("The text is empty.") }
    return text
  }

  /// A text that names something: checked like an identifier.
  package func name() -> String? { identifier(Identifier<CatalogNameKind>.self)?.text }

  package func identifier<Kind>(_ type: Identifier<Kind>.Type) -> Identifier<Kind>? {
    guard let text = value.text else { return refuseType("a text") }
    do throws(LedgerError) {
      return try Identifier(text)
    } catch {
      return refuse(error.message)
    }
  }

  package func currencyCode() -> CurrencyCode? {
    guard let text = value.text else { return refuseType("a text") }
    do throws(LedgerError) {
      return try CurrencyCode(text)
    } catch {
      return refuse(error.message)
    }
  }

  /// A currency that the catalog must have.
  package func currencyReference() -> CurrencyCode? {
    guard let code = currencyCode() else { return nil }
    check.refer(to: .currency, code.description, at: path)
    return code
  }

  package func option<Option: CatalogOption>(_ type: Option.Type) -> Option? {
    guard let text = value.text else { return refuseType("a text") }
    guard let kind = Option.Kind(rawValue: text) else {
      let all = Option.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      return refuse("This should be one of \(all), but is \"\(text.abridged)\".")
    }
    return Option(kind)
  }
}

// Values that contain other values.
extension CatalogField {
  /// The object's fields; those that are not known are reported.
  package func fields(_ known: [String]) -> CatalogFields? {
    guard let object = value.object else { return refuseType("an object") }
    let fields = CatalogFields(object: object, path: path, check: check)
    fields.refuseUnknown(known)
    return fields
  }

  /// The elements that could be read, in order.
  package func list<Element>(max: Int, _ read: (CatalogField) -> Element?) -> [Element]? {
    guard let array = value.array else { return refuseType("a list") }
    guard array.count <= max else { return refuse("The list has \(array.count) entries; the most is \(max).") }
    return array.enumerated().compactMap { index, value in read(CatalogField(value, at: path[index], check)) }
  }

  /// The elements that could be read; two with the same key are a problem.
  package func list<Element>(
    max: Int, uniqueBy key: (Element) -> String, _ read: (CatalogField) -> Element?
  ) -> [Element]? {
    var keys: Set<ByteString> = []
    return list(max: max) { field in
      guard let element = read(field) else { return nil }
      let key = key(element)
      guard keys.insert(ByteString(key)).inserted else {
        return field.refuse("\"\(key.abridged)\" is in the list already.")
      }
      return element
    }
  }

  /// Returns the readable members, of an object with data as names instead of fields.
  package func members<Member>(_ read: (String, CatalogField) -> Member?) -> [Member]? {
    guard let object = value.object else { return refuseType("an object") }
    var names: Set<ByteString> = []
    return object.members.compactMap { name, value in
      let member = CatalogField(value, at: path / name, check)
      // A file never has a name twice, since its reader checks that; a catalog made in code might.
      guard names.insert(ByteString(name)).inserted else { return member.refuse("The name occurs twice.") }
      return read(name, member)
    }
  }
}

/// The kind of names that are not identifiers of the ledger: store ids, entitlements, package ids.
package enum CatalogNameKind: IdentifierKind {
  package static let word = "name"
  package static let byteCountMax = Limits.catalogIDBytes
}
