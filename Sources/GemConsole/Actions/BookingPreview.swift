#if Server
internal import GemLedger
internal import GemServer

extension Action {
  /// An action that books one command.
  ///
  /// - Parameters:
  ///   - command: Makes the command from the form. Its key, reason and actor are added here.
  ///   - finish: Completes the change after the booking; a repeated form repeats it.
  static func booking(
    _ title: String, _ path: String, _ scopes: Scope..., isFinal: Bool = false,
    fields: @escaping @Sendable (Visit) throws(LedgerError) -> [Field] = { _ in [] },
    command: @escaping @Sendable (Visit) throws(LedgerError) -> LedgerCommand,
    finish: @escaping @Sendable (Visit) async throws(LedgerError) -> Void = { _ in }
  ) -> Action {
    Action(title, path, scopes: scopes, isFinal: isFinal, isBooking: true, fields: fields) {
      (visit) throws(LedgerError) in
      var command = try command(visit)
      command.key = try visit.key
      command.reason = try visit.reason
      command.actor = try visit.session.actor
      let preview = try visit.ledger.preview(command)
      return Change(preview: BookingView(preview, visit.reader).html, isRepeated: preview.isReplayed) {
        [command] () async throws(LedgerError) in
        let booking = try await visit.ledger.book(command)
        try await finish(visit)
        let note: String? = booking.isReplayed ? "repeated" : "booked"
        guard let id = booking.transactionID, visit.session.allows(.purchases) else {
          return .seeOther(ConsolePath("customers", booking.customer.text, query: ["note": note]))
        }
        return .seeOther(ConsolePath("transactions", id.description, query: ["note": note]))
      }
    }
  }
}

/// The effects of a booking: what changes, and the balances afterwards.
struct BookingView {
  private let booking: Booking
  private let reader: Reader

  init(_ booking: Booking, _ reader: Reader) {
    self.booking = booking
    self.reader = reader
  }

  var html: HTML {
    let entries = DataTable(
      "Entries", ["Currency", "Kind", "#Change", "#Balance afterwards", "#Debt afterwards"],
      booking.entries.map { entry in
        [
          .text(entry.currency.description), .text(entry.kind.name), reader.change(entry.amount),
          reader.amount(entry.balance), reader.amount(entry.debt),
        ]
      })
    let items = DataTable(
      "Items", ["Item", "#Change", "#Owned afterwards"],
      booking.items.map { [.foreign($0.item.text), reader.change($0.quantity), reader.amount($0.owned)] })
    let replay = HTML.message(
      "warning", .p("The ledger knows this already: nothing changes. This is what was booked the first time:"))
    return .group([
      booking.isReplayed ? replay : .none,
      .facts([
        ("Customer", .link(.foreign(booking.customer.text), to: ConsolePath("customers", booking.customer.text))),
        ("Kind", .text(booking.kind.name)),
        ("Passes the maximum balance", booking.isOverMaximum ? "yes, because it was paid for" : nil),
      ]), entries.html(none: "No balance changes."), booking.items.isEmpty ? .none : items.html(none: ""),
      extras,
    ])
  }

  private var extras: HTML {
    .facts([
      ("Undoes", booking.reversed.map { .link(.code("\($0)"), to: ConsolePath("transactions", "\($0)")) }),
      ("Left on hold", booking.hold.map { reader.amounts($0.amounts.map { ($0.currency, $0.amount) }) }),
      ("Hold ends", booking.hold?.expiresAt.map(reader.time)),
      ("Expired before the return", amounts(booking.expired)),
      ("Taken by a refund or a debt", amounts(booking.reclaimed)),
      (
        "Other customers",
        booking.parties.isEmpty
          ? nil
          : .list(
            booking.parties.map { party in
              .group([
                HTML.customer(party.customer), ": ",
                reader.amounts(party.entries.map { ($0.currency, $0.amount) }, signed: true),
              ])
            })
      ),
      (
        "Could not be returned",
        booking.unmerged.flatMap { report in
          report.isWhole ? nil : "Not everything: currency that was spent since the merge remains spent."
        }
      ),
    ])
  }

  private func amounts(_ amounts: [CurrencyAmount]) -> HTML? {
    amounts.isEmpty ? nil : reader.amounts(amounts.map { ($0.currency, $0.amount) })
  }
}
#endif
