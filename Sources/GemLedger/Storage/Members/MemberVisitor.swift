/// Visits the columns of an exported row with their members in exports.
///
/// An export writes the members and an import sets them. Storages visit the same columns (``ColumnVisitor``).
package protocol MemberVisitor {
  /// A currency has a number here and a code in exports; 64 bits without a bound are hexadecimal there.
  mutating func integer(
    _ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?, _ member: ExportMember)
  /// - Parameter type: The kind of identifier that the text must be; nil for any text.
  mutating func text(
    _ name: StaticString, optional value: inout String?, _ member: ExportMember, as type: (any IdentifierKind.Type)?)
  mutating func date(
    _ name: StaticString, _ bound: ColumnBound, optional value: inout Timestamp?, _ member: ExportMember)
  mutating func kind<Kind: ExportedKind>(_ name: StaticString, optional value: inout Kind?, _ member: ExportMember)

  // The same for values that a row always has.
  mutating func integer(
    _ name: StaticString, _ bound: ColumnBound, _ value: inout Int64, _ member: ExportMember)
  mutating func text(
    _ name: StaticString, _ value: inout String, _ member: ExportMember, as type: (any IdentifierKind.Type)?)
  mutating func date(_ name: StaticString, _ bound: ColumnBound, _ value: inout Timestamp, _ member: ExportMember)
  /// - Parameter other: The replacement for an unknown kind.
  mutating func kind<Kind: ExportedKind>(
    _ name: StaticString, _ value: inout Kind, else other: Kind, _ member: ExportMember)

  /// An environment's number; in exports the name of one without a session.
  mutating func environment(_ name: StaticString, _ value: inout Int64, _ member: ExportMember)
  mutating func token(_ value: inout TokenNumber, _ member: ExportMember)
  mutating func share(
    _ part: StaticString, _ whole: StaticString, _ value: inout RefundShare, _ member: ExportMember)
  mutating func extent(
    _ kind: StaticString, _ amount: StaticString, optional value: inout StoreRefund.Extent?, _ member: ExportMember)
  /// Visits the members of an object inside the line.
  ///
  /// - Returns: Whether there is an object.
  mutating func object(
    _ name: StaticString, isPresent: Bool, _ member: ExportMember, _ body: (inout Self) -> Void
  ) -> Bool

  // Values over several columns, whose members differ from the columns.
  mutating func account(_ value: inout AccountNumber, _ member: ExportMember)
  mutating func expiry(_ name: StaticString, _ value: inout Int64, _ member: ExportMember)
  mutating func counter(_ value: inout CountKey?, _ member: ExportMember)
  mutating func identity(_ value: inout PurchaseIdentity, _ member: ExportMember)
  /// The dates of a statement's first and last form.
  mutating func dates(
    _ first: StaticString, _ value: inout Timestamp, _ last: StaticString, _ end: inout Timestamp,
    _ member: ExportMember)
  mutating func extent(
    _ kind: StaticString, _ amount: StaticString, _ value: inout StoreRefund.Extent, _ member: ExportMember)
  mutating func money(_ name: StaticString, _ currency: StaticString, _ value: inout Money?, _ member: ExportMember)
  mutating func lotAmount(
    _ currency: StaticString, _ lot: StaticString, _ amount: StaticString, _ value: inout LotAmount?,
    _ member: ExportMember)
  mutating func held(_ value: inout EvidenceRow.HeldState?, _ member: ExportMember)
  /// The state of a purchase after its newest refund.
  mutating func refundState(of purchase: Int64, _ value: inout RefundStateRow?, _ member: ExportMember)
}

// MARK: Members of values that are never missing

// Inlined, so that the members of a row are constants.
extension MemberVisitor {
  @inline(__always)
  package mutating func integer(
    _ name: StaticString, _ bound: ColumnBound, _ value: inout Int64, _ member: ExportMember
  ) {
    var found: Int64? = value
    integer(name, bound, optional: &found, member.required)
    value = found ?? value
  }

  package mutating func text(
    _ name: StaticString, _ value: inout String, _ member: ExportMember, as type: (any IdentifierKind.Type)?
  ) {
    var found: String? = value
    text(name, optional: &found, member.required, as: type)
    value = found ?? value
  }

  package mutating func date(
    _ name: StaticString, _ bound: ColumnBound, _ value: inout Timestamp, _ member: ExportMember
  ) {
    var found: Timestamp? = value
    date(name, bound, optional: &found, member.required)
    value = found ?? value
  }

  @inline(__always)
  package mutating func kind<Kind: ExportedKind>(
    _ name: StaticString, _ value: inout Kind, else other: Kind, _ member: ExportMember
  ) {
    var found: Kind? = value
    kind(name, optional: &found, member.required)
    value = found ?? value
  }
}

// MARK: Members of values over several columns

extension MemberVisitor {
  package mutating func account(_ value: inout AccountNumber, _ member: ExportMember) {
    var (customer, currency) = (value.customer, value.currency)
    integer("currency", .currency, &currency, member)
    number("customer", &customer, .exported(unless: .transaction))
    value = AccountNumber(customer: customer, currency: currency)
  }

  package mutating func expiry(_ name: StaticString, _ value: inout Int64, _ member: ExportMember) {
    var date = value == .max ? nil : Timestamp(milliseconds: value)
    self.date(name, .value, optional: &date, member)
    value = date?.milliseconds ?? .max
  }

  package mutating func counter(_ value: inout CountKey?, _ member: ExportMember) {
    var (kind, subject) = (value?.kind, value?.subject ?? "")
    self.kind("count", optional: &kind, member)
    if kind != nil { text("subject", &subject, member) }
    value = kind.map { CountKey($0, subject) }
  }

  package mutating func identity(_ value: inout PurchaseIdentity, _ member: ExportMember) {
    kind("store", &value.store, else: .test, member)
    environment("environment", &value.environment, member)
    identifier("store_transaction_id", &value.transactionID, member)
  }

  package mutating func dates(
    _ first: StaticString, _ value: inout Timestamp, _ last: StaticString, _ end: inout Timestamp,
    _ member: ExportMember
  ) {
    var begin = value == end ? nil : value
    date(first, .any, optional: &begin, member)
    date(last, .any, &end, member)
    value = begin ?? end
  }

  package mutating func extent(
    _ kind: StaticString, _ amount: StaticString, _ value: inout StoreRefund.Extent, _ member: ExportMember
  ) {
    var extent = value == .full ? nil : value
    self.extent(kind, amount, optional: &extent, member)
    value = extent ?? .full
  }

  package mutating func money(
    _ name: StaticString, _ currency: StaticString, _ value: inout Money?, _ member: ExportMember
  ) {
    var (minorUnits, code) = (value?.minorUnits ?? 0, value?.currency ?? "")
    let isThere = object(name, isPresent: value != nil, member) { price in
      price.amount("minor_units", &minorUnits, .exported)
      price.text("currency", &code, .exported)
    }
    value = isThere ? Money(minorUnits: minorUnits, currency: code) : nil
  }

  package mutating func lotAmount(
    _ currency: StaticString, _ lot: StaticString, _ amount: StaticString, _ value: inout LotAmount?,
    _ member: ExportMember
  ) {
    var found = value ?? LotAmount(currency: 0, lot: 0, amount: 0)
    let isThere = object(currency, isPresent: value != nil, member) { grant in
      grant.integer("currency", .currency, &found.currency, .exported)
      grant.number("lot", &found.lot, .exported)
      grant.amount("amount", &found.amount, .exported(within: .number))
    }
    value = isThere ? found : nil
  }

  package mutating func held(_ value: inout EvidenceRow.HeldState?, _ member: ExportMember) {
    var reason = value?.reason
    kind("reason", optional: &reason, member)
    guard let reason else {
      value = nil
      return
    }
    var held = value ?? EvidenceRow.HeldState(reason: reason)
    held.reason = reason
    integer("due_at_milliseconds", .instantOrNever, &held.dueAt, .exported(unless: .never))
    number("customer", &held.customer, .exported(unless: .zero))
    text("subject", optional: &held.subject, member)
    value = held
  }

  package mutating func refundState(of purchase: Int64, _ value: inout RefundStateRow?, _ member: ExportMember) {}
}

// MARK: Columns by their meaning

extension MemberVisitor {
  package mutating func text(_ name: StaticString, _ value: inout String, _ member: ExportMember) {
    text(name, &value, member, as: nil)
  }
  package mutating func text(_ name: StaticString, optional value: inout String?, _ member: ExportMember) {
    text(name, optional: &value, member, as: nil)
  }
  package mutating func identifier<Kind: IdentifierKind>(
    _ name: StaticString, _ value: inout Identifier<Kind>, _ member: ExportMember
  ) {
    var text = value.text
    self.text(name, &text, member, as: Kind.self)
    value = Identifier(unchecked: text)
  }
  package mutating func identifier<Kind: IdentifierKind>(
    _ name: StaticString, optional value: inout Identifier<Kind>?, _ member: ExportMember
  ) {
    var text = value?.text
    self.text(name, optional: &text, member, as: Kind.self)
    value = text.map(Identifier.init(unchecked:))
  }
  package mutating func currency(_ name: StaticString, _ value: inout Int64, _ member: ExportMember) {
    integer(name, .currency, &value, member)
  }
  @inline(__always)
  package mutating func number(_ name: StaticString, _ value: inout Int64, _ member: ExportMember) {
    integer(name, .number, &value, member)
  }
  package mutating func number(_ name: StaticString, optional value: inout Int64?, _ member: ExportMember) {
    integer(name, .number, optional: &value, member)
  }
  package mutating func transaction(_ name: StaticString, _ value: inout TransactionNumber, _ member: ExportMember) {
    integer(name, .transaction, &value, member)
  }
  package mutating func entry(_ name: StaticString, _ value: inout EntryNumber, _ member: ExportMember) {
    integer(name, .entry, &value, member)
  }
  @inline(__always)
  package mutating func amount(_ name: StaticString, _ value: inout Int64, _ member: ExportMember) {
    integer(name, .amount, &value, member)
  }
  package mutating func value(_ name: StaticString, _ value: inout Int64, _ member: ExportMember) {
    integer(name, .value, &value, member)
  }
  package mutating func instant(_ name: StaticString, _ value: inout Timestamp, _ member: ExportMember) {
    date(name, .value, &value, member)
  }
  package mutating func instant(_ name: StaticString, optional value: inout Timestamp?, _ member: ExportMember) {
    date(name, .value, optional: &value, member)
  }
  /// A store's date, which may be any instant: arithmetic on it must be checked.
  package mutating func date(_ name: StaticString, _ value: inout Timestamp, _ member: ExportMember) {
    date(name, .any, &value, member)
  }
  package mutating func date(_ name: StaticString, optional value: inout Timestamp?, _ member: ExportMember) {
    date(name, .any, optional: &value, member)
  }
}
