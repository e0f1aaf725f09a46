/// Writes the members of rows into the line that is open.
package struct MemberWriter {
  package let writer: ExportWriter
  /// The codes of currencies by number, in written form.
  private let codes: [Int64: [UInt8]]
  /// The transaction that the rows are part of.
  private let transaction: TransactionRow?
  package var place: ExportMember.Place = .middle
  /// A currency of the rows that the catalog does not have.
  package private(set) var unknownCurrency: Int64?

  package init(_ writer: ExportWriter, codes: [Int64: [UInt8]], in transaction: TransactionRow? = nil) {
    self.writer = writer
    self.codes = codes
    self.transaction = transaction
  }

  /// Returns the name of a member that is written now; nil for others.
  private func name(_ name: StaticString, _ member: ExportMember) -> StaticString? {
    member.isAbsent || member.place != place ? nil : member.name ?? name
  }

  private func omits(_ value: Int64, _ member: ExportMember, _ own: Int64? = nil) -> Bool {
    guard let omission = member.omission else { return false }
    return value == (omission == .transaction ? own : omission.number)
  }
}

extension MemberWriter: MemberVisitor {
  package mutating func integer(
    _ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?, _ member: ExportMember
  ) {
    guard let name = self.name(name, member), let value, !omits(value, member, transaction?.customer) else { return }
    switch bound {
    case .any: writer.hexadecimal(name, UInt64(bitPattern: value))
    case .currency:
      guard let code = codes[value] else {
        unknownCurrency = unknownCurrency ?? value
        return
      }
      writer.plain(name, code)
    default: writer.integer(name, value)
    }
  }

  package mutating func text(
    _ name: StaticString, optional value: inout String?, _ member: ExportMember, as type: (any IdentifierKind.Type)?
  ) {
    guard let name = self.name(name, member), let value, member.omission == nil || !value.isEmpty else { return }
    if member.isDocument { writer.document(name, value) } else { writer.text(name, value) }
  }

  package mutating func date(
    _ name: StaticString, _ bound: ColumnBound, optional value: inout Timestamp?, _ member: ExportMember
  ) {
    guard let name = self.name(name, member), let value, !omits(value.milliseconds, member) else { return }
    writer.time(name, value)
  }

  package mutating func kind<Kind: ExportedKind>(
    _ name: StaticString, optional value: inout Kind?, _ member: ExportMember
  ) {
    guard let name = self.name(name, member), let value, !omits(value.number, member, transaction?.kind.number)
    else { return }
    writer.text(name, value.name)
  }

  package mutating func environment(_ name: StaticString, _ value: inout Int64, _ member: ExportMember) {
    if let name = self.name(name, member) { writer.environment(name, value) }
  }

  package mutating func token(_ value: inout TokenNumber, _ member: ExportMember) {
    guard let name = name("token", member) else { return }
    writer.text(name, HexForm.uuid(high: UInt64(bitPattern: value.high), low: UInt64(bitPattern: value.low)))
  }

  package mutating func share(
    _ part: StaticString, _ whole: StaticString, _ value: inout RefundShare, _ member: ExportMember
  ) {
    if let name = name(part, member) { writer.pair(name, value.part, value.whole) }
  }

  package mutating func extent(
    _ kind: StaticString, _ amount: StaticString, optional value: inout StoreRefund.Extent?, _ member: ExportMember
  ) {
    guard let name = name(amount, member) else { return }
    switch value {
    case .full: writer.text(name, "full")
    case .milliPercent(let share): writer.integer("milli_percent", share)
    case .totalQuantity(let units): writer.integer("quantity", units)
    case .quantity(let units): writer.integer("units", units)
    case nil: break
    }
  }

  package mutating func object(
    _ name: StaticString, isPresent: Bool, _ member: ExportMember, _ body: (inout Self) -> Void
  ) -> Bool {
    guard isPresent, let name = self.name(name, member) else { return isPresent }
    let own = place
    place = .middle
    writer.object(name) { body(&self) }
    place = own
    return true
  }
}
