extension LedgerError {
  /// The kind of a failure; the text never changes once shipped, so programs may compare it.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    package let kind: ErrorKind

    package init(_ kind: ErrorKind) { self.kind = kind }

    /// The code with this text, or nil if there is none.
    public init?(_ text: String) {
      guard let kind = ErrorKind(rawValue: text) else { return nil }
      self.kind = kind
    }

    /// The code's text, such as `insufficient_balance`.
    public var description: String { kind.rawValue }

    /// Whether the refusal is the key's answer from then on (see <doc:ErrorCodes>).
    public var isKept: Bool { kind.row.isKept }

    /// The exit status of `gemctl`.
    public var exitStatus: Int32 { kind.row.exitStatus }
  }
}

extension LedgerError.Code {
  /// The request itself is malformed.
  public static let invalidRequest = Self(.invalidRequest)
  /// An identifier is empty, too long, not UTF-8, or holds NUL or control characters.
  public static let invalidIdentifier = Self(.invalidIdentifier)
  /// An amount is zero, out of bounds, or a sum passes them.
  public static let amountOutOfRange = Self(.amountOutOfRange)
  /// A list or text is longer than its limit.
  public static let limitExceeded = Self(.limitExceeded)
  /// The catalog has problems; all of them are listed.
  public static let invalidCatalog = Self(.invalidCatalog)
  /// The import has problems; they are listed with their lines.
  public static let invalidImport = Self(.invalidImport)
  /// The catalog has no such currency.
  public static let unknownCurrency = Self(.unknownCurrency)
  /// No customer has this id.
  public static let customerNotFound = Self(.customerNotFound)
  /// The catalog has no such product.
  public static let productNotFound = Self(.productNotFound)
  /// The catalog has no such item.
  public static let itemNotFound = Self(.itemNotFound)
  /// The catalog has no such offering.
  public static let offeringNotFound = Self(.offeringNotFound)
  /// The journal has no such transaction.
  public static let transactionNotFound = Self(.transactionNotFound)
  /// There is no such order.
  public static let orderNotFound = Self(.orderNotFound)
  /// Nothing was credited for such a store transaction.
  public static let purchaseNotFound = Self(.purchaseNotFound)
  /// No hold has that id.
  public static let holdNotFound = Self(.holdNotFound)
  /// There is no such webhook endpoint.
  public static let endpointNotFound = Self(.endpointNotFound)
  /// The key was used for another request.
  public static let keyConflict = Self(.keyConflict)
  /// The object to make exists already.
  public static let alreadyExists = Self(.alreadyExists)
  /// A duplicate of the command is still under way.
  public static let inProgress = Self(.inProgress)
  /// The commit's answer was lost; ask again with the same key.
  public static let outcomeUnknown = Self(.outcomeUnknown)
  /// A condition on version, minimum or maximum does not hold.
  public static let conditionFailed = Self(.conditionFailed)
  /// The customer may not spend.
  public static let customerFrozen = Self(.customerFrozen)
  /// The balance does not cover the amount.
  public static let insufficientBalance = Self(.insufficientBalance)
  /// The balance would pass the currency's maximum.
  public static let overMaximum = Self(.overMaximum)
  /// The customer owns as many of the item as allowed, or moved as much in a period as allowed.
  public static let limitReached = Self(.limitReached)
  /// The item is not for sale, or sold out.
  public static let notAvailable = Self(.notAvailable)
  /// The exchange would give less than a unit.
  public static let roundsToZero = Self(.roundsToZero)
  /// Both ids name the same customer.
  public static let sameCustomer = Self(.sameCustomer)
  /// The store transaction was given back in full already.
  public static let alreadyRefunded = Self(.alreadyRefunded)
  /// The transaction is undone in full already.
  public static let alreadyReversed = Self(.alreadyReversed)
  /// The requested amounts pass the part of the transaction that is not undone yet.
  public static let exceedsOriginal = Self(.exceedsOriginal)
  /// The transaction is of a kind that is not undone, such as a reversal or a purchase.
  public static let notReversible = Self(.notReversible)
  /// The hold was captured, released, or is past its deadline.
  public static let holdEnded = Self(.holdEnded)
  /// The requested amounts pass the rest of the hold.
  public static let exceedsHold = Self(.exceedsHold)
  /// The customer cancelled at the store.
  public static let purchaseCancelled = Self(.purchaseCancelled)
  /// Another person must approve the purchase first.
  public static let purchasePending = Self(.purchasePending)
  /// Another person declined the purchase.
  public static let purchaseDeclined = Self(.purchaseDeclined)
  /// The store failed; the detail `store_error` names the failure.
  public static let storeError = Self(.storeError)
  /// The purchase is paid for and waits for its credit.
  public static let validationPending = Self(.validationPending)
  /// The purchase is paid for and was refused its credit.
  public static let validationFailed = Self(.validationFailed)
  /// A receipt cannot be read.
  public static let receiptMalformed = Self(.receiptMalformed)
  /// A receipt is not the store's; the detail `check` names the failed check.
  public static let receiptUnverified = Self(.receiptUnverified)
  /// A receipt is dated further ahead than a clock can be wrong; the detail `check` names the date.
  public static let receiptFutureDated = Self(.receiptFutureDated)
  /// A receipt is for another app.
  public static let bundleMismatch = Self(.bundleMismatch)
  /// A receipt is of an environment that is not credited here.
  public static let environmentNotAllowed = Self(.environmentNotAllowed)
  /// The store took the purchase back.
  public static let receiptRevoked = Self(.receiptRevoked)
  /// A receipt's price or quantity differs from the sold product's.
  public static let amountMismatch = Self(.amountMismatch)
  /// Another purchase is under way.
  public static let purchaseAlreadyInProgress = Self(.purchaseAlreadyInProgress)
  /// The client is set up wrongly, such as with a secret key.
  public static let configuration = Self(.configuration)
  /// The app user id cannot name a customer.
  public static let invalidUserID = Self(.invalidUserID)
  /// The caller is not authenticated.
  public static let unauthenticated = Self(.unauthenticated)
  /// The caller has no permission.
  public static let forbidden = Self(.forbidden)
  /// Too many requests in a short time.
  public static let rateLimited = Self(.rateLimited)
  /// The backend could not be reached.
  public static let backendUnreachable = Self(.backendUnreachable)
  /// There was no answer in time.
  public static let timedOut = Self(.timedOut)
  /// The storage could not be reached or stayed busy.
  public static let storageUnavailable = Self(.storageUnavailable)
  /// The machine's clock is too far from the newest transaction to be right.
  public static let clockImplausible = Self(.clockImplausible)
  /// The storage is damaged.
  public static let storageDamaged = Self(.storageDamaged)
  /// The file is not a GemLedger storage.
  public static let storageForeign = Self(.storageForeign)
  /// The storage was written by a newer version.
  public static let storageNewer = Self(.storageNewer)
  /// The operating system refused to read or write.
  public static let inputOutput = Self(.inputOutput)
  /// The books do not add up.
  public static let booksWrong = Self(.booksWrong)
  /// A defect of this software.
  public static let unexpected = Self(.unexpected)
}

/// All codes, closed inside the package so that switches are exhaustive.
package enum ErrorKind: String, CaseIterable, Sendable {
  case invalidRequest = "invalid_request"
  case invalidIdentifier = "invalid_identifier"
  case amountOutOfRange = "amount_out_of_range"
  case limitExceeded = "limit_exceeded"
  case invalidCatalog = "invalid_catalog"
  case invalidImport = "invalid_import"
  case customerNotFound = "customer_not_found"
  case keyConflict = "key_conflict"
  case unknownCurrency = "unknown_currency"
  case productNotFound = "product_not_found"
  case itemNotFound = "item_not_found"
  case offeringNotFound = "offering_not_found"
  case transactionNotFound = "transaction_not_found"
  case orderNotFound = "order_not_found"
  case purchaseNotFound = "purchase_not_found"
  case holdNotFound = "hold_not_found"
  case endpointNotFound = "endpoint_not_found"
  case alreadyExists = "already_exists"
  case inProgress = "in_progress"
  case outcomeUnknown = "outcome_unknown"
  case conditionFailed = "condition_failed"
  case customerFrozen = "customer_frozen"
  case notAvailable = "not_available"
  case limitReached = "limit_reached"
  case insufficientBalance = "insufficient_balance"
  case overMaximum = "over_maximum"
  case sameCustomer = "same_customer"
  case alreadyRefunded = "already_refunded"
  case alreadyReversed = "already_reversed"
  case exceedsOriginal = "exceeds_original"
  case notReversible = "not_reversible"
  case holdEnded = "hold_ended"
  case exceedsHold = "exceeds_hold"
  case roundsToZero = "rounds_to_zero"
  case purchaseCancelled = "purchase_cancelled"
  case purchasePending = "purchase_pending"
  case purchaseDeclined = "purchase_declined"
  case storeError = "store_error"
  case validationPending = "validation_pending"
  case validationFailed = "validation_failed"
  case receiptMalformed = "receipt_malformed"
  case receiptUnverified = "receipt_unverified"
  case receiptFutureDated = "receipt_future_dated"
  case bundleMismatch = "bundle_mismatch"
  case environmentNotAllowed = "environment_not_allowed"
  case receiptRevoked = "receipt_revoked"
  case amountMismatch = "amount_mismatch"
  case purchaseAlreadyInProgress = "purchase_already_in_progress"
  case configuration = "configuration"
  case invalidUserID = "invalid_user_id"
  case unauthenticated = "unauthenticated"
  case forbidden = "forbidden"
  case rateLimited = "rate_limited"
  case backendUnreachable = "backend_unreachable"
  case timedOut = "timed_out"
  case storageUnavailable = "storage_unavailable"
  case clockImplausible = "clock_implausible"
  case storageDamaged = "storage_damaged"
  case storageForeign = "storage_foreign"
  case storageNewer = "storage_newer"
  case inputOutput = "input_output"
  case booksWrong = "books_wrong"
  case unexpected = "unexpected"
}

extension ErrorKind {
  /// One row of the registry: the meaning of a code for keys, shells and HTTP.
  package struct Row: Sendable {
    package let isKept: Bool
    package let exitStatus: Int32
    package let httpStatus: Int
    package let type: String
  }

  package var row: Row {
    switch self {
    case .invalidRequest, .invalidIdentifier, .amountOutOfRange, .limitExceeded:
      Row(isKept: false, exitStatus: 64, httpStatus: 400, type: "parameter_error")
    case .invalidCatalog, .invalidImport:
      Row(isKept: false, exitStatus: 65, httpStatus: 400, type: "parameter_error")
    case .unknownCurrency, .customerNotFound, .productNotFound, .itemNotFound, .offeringNotFound,
      .transactionNotFound, .orderNotFound, .purchaseNotFound, .holdNotFound, .endpointNotFound:
      Row(isKept: false, exitStatus: 5, httpStatus: 404, type: "resource_missing")
    case .keyConflict:
      Row(isKept: false, exitStatus: 4, httpStatus: 409, type: "idempotency_error")
    case .alreadyExists:
      Row(isKept: false, exitStatus: 2, httpStatus: 409, type: "resource_already_exists")
    case .inProgress:
      Row(isKept: false, exitStatus: 69, httpStatus: 423, type: "resource_locked_error")
    case .outcomeUnknown, .storageUnavailable, .clockImplausible:
      Row(isKept: false, exitStatus: 69, httpStatus: 503, type: "server_error")
    case .conditionFailed:
      Row(isKept: false, exitStatus: 2, httpStatus: 412, type: "unprocessable_entity_error")
    case .customerFrozen, .insufficientBalance, .overMaximum, .limitReached, .notAvailable, .sameCustomer,
      .alreadyRefunded, .alreadyReversed, .exceedsOriginal, .notReversible, .holdEnded, .exceedsHold, .roundsToZero:
      Row(isKept: true, exitStatus: 2, httpStatus: 422, type: "unprocessable_entity_error")
    case .purchaseCancelled, .purchasePending, .purchaseDeclined, .storeError, .validationPending, .validationFailed:
      Row(isKept: false, exitStatus: 3, httpStatus: 422, type: "store_error")
    case .receiptMalformed, .receiptUnverified, .receiptFutureDated, .bundleMismatch, .environmentNotAllowed,
      .receiptRevoked, .amountMismatch:
      Row(isKept: false, exitStatus: 65, httpStatus: 422, type: "store_error")
    case .purchaseAlreadyInProgress, .configuration, .invalidUserID:
      Row(isKept: false, exitStatus: 64, httpStatus: 400, type: "parameter_error")
    case .unauthenticated:
      Row(isKept: false, exitStatus: 77, httpStatus: 401, type: "authentication_error")
    case .forbidden:
      Row(isKept: false, exitStatus: 77, httpStatus: 403, type: "authorization_error")
    case .rateLimited:
      Row(isKept: false, exitStatus: 69, httpStatus: 429, type: "rate_limit_error")
    case .backendUnreachable, .timedOut:
      Row(isKept: false, exitStatus: 69, httpStatus: 503, type: "server_error")
    case .storageDamaged, .storageForeign, .storageNewer, .inputOutput:
      Row(isKept: false, exitStatus: 74, httpStatus: 500, type: "server_error")
    case .booksWrong:
      Row(isKept: false, exitStatus: 6, httpStatus: 500, type: "server_error")
    case .unexpected:
      Row(isKept: false, exitStatus: 1, httpStatus: 500, type: "server_error")
    }
  }
}
