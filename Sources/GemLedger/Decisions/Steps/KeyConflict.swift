/// Builds the refusal of a key that was used before for another request.
enum KeyConflict {
  /// The detail of a request for the exact inverse of the key's transaction: that transaction's id.
  static let inverseDetail = "inverse_of"

  /// - Parameters:
  ///   - field: The part in which the requests differ.
  ///   - row: The earlier use of the key.
  /// - Throws: `LedgerError` if the earlier transaction cannot be read.
  static func error(
    _ books: borrowing Bookkeeper, _ field: String, _ row: KeyRow, under key: IdempotencyKey,
    command: LedgerCommand.Body
  ) throws(LedgerError) -> LedgerError {
    if let booked = try bookedInverse(books, row, of: command) {
      return inverse(field, booked, under: key, command: command)
    }
    return LedgerError(
      .keyConflict,
      "The key \"\(key)\" was used before for another request: it differs in \(field). Use a new key for a new "
        + "request.",
      details: [.text("field", field)])
  }

  /// The key's transaction, if it can be reversed and the command asks for its entries with the opposite signs.
  ///
  /// A compensation has this form if the caller returns a spend's amounts under the spend's key.
  private static func bookedInverse(
    _ books: borrowing Bookkeeper, _ row: KeyRow, of command: LedgerCommand.Body
  ) throws(LedgerError) -> Booking? {
    guard case .booked(let number) = row.outcome, let adjustments = command.action.adjustments,
      let parts = try books.work.parts(of: number, ofAny: [row.customer])
    else { return nil }
    let booking = try parts.booking(customer: command.customer, definitions: books.definitions)
    guard ReversalRules.canReverse(booking.kind) else { return nil }
    let booked = booking.entries.map { Adjustment($0.currency, $0.amount) }
    let inverse = adjustments.map { Adjustment($0.currency, -$0.amount) }
    return booked.count == inverse.count && Set(booked) == Set(inverse) ? booking : nil
  }

  private static func inverse(
    _ field: String, _ booked: Booking, under key: IdempotencyKey, command: LedgerCommand.Body
  ) -> LedgerError {
    let id = booked.transactionID?.description ?? ""
    let before = text(booked.entries.map { Adjustment($0.currency, $0.amount) })
    let asked = text(command.action.adjustments ?? [])
    return LedgerError(
      .keyConflict,
      "The key \"\(key)\" was used before for the inverse request: transaction \(id) booked \(before), and this "
        + "request asks for \(asked). Nothing was changed. To return the amounts, reverse transaction \(id) under "
        + "another key.",
      details: [
        .text("field", field), .text(inverseDetail, id), .text("customer_id", command.customer.text),
        .text("booked", before), .text("requested", asked),
      ])
  }

  private static func text(_ amounts: [Adjustment]) -> String {
    amounts.sorted { $0.currency < $1.currency }.map { "\($0.currency) \($0.amount)" }.joined(separator: ", ")
  }
}

extension LedgerCommand.Action {
  /// The signed amounts of an adjustment or a grant; nil for other commands.
  fileprivate var adjustments: [Adjustment]? {
    switch self {
    case .adjustOne(let command): [command.adjustment]
    case .adjust(let command): command.adjustments
    default: nil
    }
  }
}

extension LedgerError {
  /// Whether a request was refused that asked for the exact inverse of its key's transaction.
  package var isInverseConflict: Bool { code == .keyConflict && text(KeyConflict.inverseDetail) != nil }
}
