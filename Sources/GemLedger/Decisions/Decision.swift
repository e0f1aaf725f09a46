/// The outcome of one command in a group.
enum Decision {
  case booked(Booking)
  /// Nothing was booked for the command, except effects that were due before it.
  case refused(LedgerError)
  /// Rows are needed that are not loaded yet: the group is decided again with them.
  case needsRows
  /// The command belongs to other lanes than the group's: it is routed again.
  case belongsElsewhere

  /// - Parameter error: The error that ended the command.
  init(_ error: LedgerError) {
    switch error {
    case .rowsMissing: self = .needsRows
    case .misrouted: self = .belongsElsewhere
    default: self = .refused(error)
    }
  }

  /// Returns the booking of a command that is decided.
  ///
  /// - Throws: The refusal.
  consuming func booking() throws(LedgerError) -> Booking {
    switch consume self {
    case .booked(let booking): return booking
    case .refused(let error): throw error
    case .needsRows: throw .rowsMissing
    case .belongsElsewhere: throw .misrouted
    }
  }
}

extension LedgerError {
  /// Ends a command that belongs to other lanes.
  static let misrouted = LedgerError(.unexpected, "The command belongs to another lane.")
}
