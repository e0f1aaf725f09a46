#if Server
internal import GemLedger
internal import SystemHTTP

/// An error response of the simulated App Store Server API, with Apple's number and message.
struct SimulatedAppStoreError: Error, Hashable, Sendable {
  let status: Int
  let code: Int64
  let message: String

  private init(_ code: Int64, _ message: String) {
    status = Int(code / 10_000)
    self.code = code
    self.message = message
  }

  static let badRequest = Self(4_000_000, "Bad request.")
  static let revision = Self(4_000_005, "Invalid request revision.")
  static let transactionID = Self(4_000_006, "Invalid transaction id.")
  static let startAfterEnd = Self(4_000_013, "Invalid request. The end date must be after the start date.")
  static let startDate = Self(4_000_015, "Invalid request. The start date is not a timestamp value.")
  static let endDate = Self(4_000_016, "Invalid request. The end date is not a timestamp value.")
  static let sort = Self(4_000_021, "Invalid request. The sort parameter is invalid.")
  static let productType = Self(4_000_022, "Invalid request. The product type parameter is invalid.")
  static let productID = Self(4_000_023, "Invalid request. The product id parameter is invalid.")
  static let group = Self(4_000_024, "Invalid request. The subscription group identifier parameter is invalid.")
  static let ownership = Self(4_000_026, "Invalid request. The in-app ownership type parameter is invalid.")
  static let revoked = Self(4_000_030, "Invalid request. The revoked parameter is invalid.")
  static let consent = Self(4_000_035, "Invalid request. The customer consented field is invalid.")
  static let delivery = Self(4_000_036, "Invalid request. The delivery status field is invalid.")
  static let sample = Self(4_000_041, "Invalid request. The sample content provided field is invalid.")
  static let preference = Self(4_000_044, "Invalid request. The refund preference field is invalid.")
  static let testNotFound = Self(4_040_008, "Test notification not found.")
  static let transactionNotFound = Self(4_040_010, "Transaction id not found.")
  static let rateLimited = Self(4_290_000, "Rate limit exceeded.")
  static let internalError = Self(5_000_001, "An unknown error occurred. Please try again.")

  var response: HTTPResponse {
    .json(status, ["errorCode": .integer(code), "errorMessage": .string(message)])
  }
}
#endif
