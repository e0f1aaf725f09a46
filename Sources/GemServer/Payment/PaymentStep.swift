#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

extension PaymentStatusCode.Step {
  /// Wraps the work of a step, so that its errors have the numbers that two-step SDKs know.
  func work(
    _ body: @escaping @Sendable (Call) async throws(LedgerError) -> HTTPResponse
  ) -> Route.Work {
    .later { (call) throws(LedgerError) in
      do throws(LedgerError) {
        return try await body(call)
      } catch {
        guard let number = PaymentStatusCode(error, in: self) else { throw error }
        throw LedgerError(
          error.code, error.message,
          details: error.details + [.integer(ErrorStyle.statusCodeDetail, Int64(number.rawValue))])
      }
    }
  }
}

extension ErrorStyle {
  /// The detail with the number of a two-step purchase's error.
  static let statusCodeDetail = "status_code"

  /// Writes an error of the two-step purchase.
  ///
  /// `statusCode` is the number that SDKs know, with its name as the message. Other errors have the HTTP status, which
  /// is lower than all those numbers, and the reason as the message.
  static func payment(_ error: LedgerError, requestID: String, status: Int) -> HTTPResponse {
    let reason = publicMessage(error)
    let number = error.integer(statusCodeDetail).map { PaymentStatusCode(rawValue: Int($0)) }
    let body: JSONValue = [
      "statusCode": .integer(number.map { Int64($0.rawValue) } ?? Int64(status)),
      "message": .string(number?.name ?? reason), "reason": .string(reason),
      "code": .string(error.code.description), "requestId": .string(requestID),
    ]
    var response = HTTPResponse.json(status, body)
    if let seconds = error.integer("retry_after") { response.headers.append(("Retry-After", String(seconds))) }
    return response
  }
}

/// The common members of the answers of the two-step purchase.
enum PaymentAnswer {
  static let statusCode = Schema.Field(
    "statusCode", .integer(0...9999), "0, or 1034, 1036, 1049 or 1050, which are successes too.", isRequired: true)
  static let message = Schema.Field("message", .text(), "The name of the number.", isRequired: true)
  static let paymentStatus = Schema.Field(
    "paymentStatus", .word(Order.Status.allCases.map(\.rawValue)), "The status of the order.", isRequired: true)
  static let purchaseCode = Schema.Field(
    "purchaseCode", .text(1...64), "Names the order; the delivery has it too.", isRequired: true)

  /// Returns the number and the name with which every answer begins.
  static func object(_ code: PaymentStatusCode) -> JSONObject {
    ["statusCode": .integer(Int64(code.rawValue)), "message": .string(code.name)]
  }
}
#endif
