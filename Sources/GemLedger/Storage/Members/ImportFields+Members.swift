// The members of rows, as an export writes them.

extension ImportFields: MemberVisitor {
  package mutating func integer(
    _ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?, _ member: ExportMember
  ) {
    let omitted = member.omission == .transaction ? transaction?.customer : member.omission?.number
    set(name, member, &value, else: omitted ?? (member.least == 0 ? 0 : nil)) { (fields, name) throws(LineFault) in
      switch bound {
      case .any:
        // A digest that may be missing is never 0.
        guard member.isRequired, member.omission == nil else { return try fields.digest(ifAny: name) }
        return Int64(bitPattern: try fields.hexadecimal(name))
      case .currency: return try fields.text(ifAny: name).map(fields.context.currency)
      default: return try fields.integer(ifAny: name, bound, member)
      }
    }
  }

  package mutating func text(
    _ name: StaticString, optional value: inout String?, _ member: ExportMember, as type: (any IdentifierKind.Type)?
  ) {
    set(name, member, &value, else: member.omission == nil ? nil : "") { (fields, name) throws(LineFault) in
      if member.isDocument { return fields.document(ifAny: name) }
      let text = try fields.text(ifAny: name)
      if let type, let text { try Self.check(text, name, as: type) }
      return text
    }
  }

  private static func check<Kind: IdentifierKind>(
    _ text: String, _ name: StaticString, as type: Kind.Type
  ) throws(LineFault) {
    do throws(LedgerError) {
      _ = try Identifier<Kind>(text)
    } catch {
      throw LineFault("\"\(name)\": \(error.message)")
    }
  }

  package mutating func date(
    _ name: StaticString, _ bound: ColumnBound, optional value: inout Timestamp?, _ member: ExportMember
  ) {
    let omitted = member.omission?.number.map(Timestamp.init(milliseconds:))
    set(name, member, &value, else: omitted) { (fields, name) throws(LineFault) in try fields.time(ifAny: name) }
  }

  package mutating func kind<Kind: ExportedKind>(
    _ name: StaticString, optional value: inout Kind?, _ member: ExportMember
  ) {
    let own = member.omission == .transaction ? transaction.flatMap { Kind.numbered($0.kind.number) } : nil
    set(name, member, &value, else: own) { (fields, name) throws(LineFault) in
      try fields.word(ifAny: name, Kind.init(name:))
    }
  }

  package mutating func environment(_ name: StaticString, _ value: inout Int64, _ member: ExportMember) {
    set(name, member, &value) { (fields, name) throws(LineFault) in
      let found = try fields.value(name)
      if let number = found.integer, number > 0 {
        guard ColumnBound.number.holds(number) else { throw LineFault("\"\(name)\" is \(number), out of range.") }
        return number
      }
      guard let kind = found.text.flatMap(StoreEnvironment.Kind.init(name:)) else {
        throw LineFault("\"\(name)\" is neither the name nor the number of an environment.")
      }
      return kind.number
    }
  }

  package mutating func token(_ value: inout TokenNumber, _ member: ExportMember) {
    set("token", member, &value) { (fields, name) throws(LineFault) in
      guard let (high, low) = HexForm.parseUUID(try Self.required(try fields.utf8(ifAny: name), name)) else {
        throw LineFault("\"\(name)\" is not a UUID.")
      }
      return TokenNumber(high: Int64(bitPattern: high), low: Int64(bitPattern: low))
    }
  }

  package mutating func share(
    _ part: StaticString, _ whole: StaticString, _ value: inout RefundShare, _ member: ExportMember
  ) {
    set(part, member, &value) { (fields, name) throws(LineFault) in
      let (part, whole) = try Self.pair(try fields.value(name), name)
      guard whole > 0, (0...whole).contains(part) else {
        throw LineFault("\"\(name)\" is \(part) of \(whole).")
      }
      return RefundShare(part, of: whole)
    }
  }

  package mutating func extent(
    _ kind: StaticString, _ amount: StaticString, optional value: inout StoreRefund.Extent?, _ member: ExportMember
  ) {
    set(amount, member, &value) { (fields, name) throws(LineFault) in try fields.extent(name) }
  }

  /// Reads the refunded part of a purchase; nil if the notice does not state it.
  private mutating func extent(_ name: StaticString) throws(LineFault) -> StoreRefund.Extent? {
    if let share = try number(ifAny: "milli_percent") { return .milliPercent(share) }
    if let units = try number(ifAny: "quantity") { return .totalQuantity(units) }
    if let units = try number(ifAny: "units") { return .quantity(units) }
    return try word(ifAny: name) { $0 == "full" ? .full : nil }
  }

  package mutating func object(
    _ name: StaticString, isPresent: Bool, _ member: ExportMember, _ body: (inout Self) -> Void
  ) -> Bool {
    var isThere = false
    set(name, member, &isThere) { (fields, name) throws(LineFault) in
      guard let value = fields.value(ifAny: name) else { return false }
      var own = try Self(value, fields.context, in: fields.transaction)
      try own.visitAll(body)
      return true
    }
    return isThere
  }
}
