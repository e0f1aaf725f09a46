#if Server
package import GemLedger
package import SystemHTTP

/// The format of an operation's errors, determined by its API.
package enum ErrorStyle: Sendable {
  /// RevenueCat's REST API v2, and this project's operations.
  case rest
  /// The v1 endpoints that SDKs use: `code` and `message`.
  case sdk
  /// The two-step purchase: `statusCode` and `message`.
  case payment
  /// The spend by item: `error`.
  case spend

  /// Writes an error of an operation.
  ///
  /// - Parameters:
  ///   - status: A status that replaces the status of the error's code, for operations of SDKs.
  ///   - number: A RevenueCat number that replaces the number of the error's code.
  package func response(
    _ error: LedgerError, requestID: String, status: Int? = nil, number: Int64? = nil
  ) -> HTTPResponse {
    let own = status ?? error.code.kind.row.httpStatus
    return switch self {
    case .rest: Self.rest(error, requestID: requestID)
    case .sdk: Self.sdk(error, requestID: requestID, status: own, number: number)
    case .payment: Self.payment(error, requestID: requestID, status: own)
    case .spend: Self.spend(error, requestID: requestID)
    }
  }
}

extension ErrorStyle {
  /// RevenueCat's message, which its customers compare.
  private static let insufficientBalance = "Customer's balance is not enough to perform the transaction."

  private static func rest(_ error: LedgerError, requestID: String) -> HTTPResponse {
    let row = error.code.kind.row
    let retryAfter = error.integer("retry_after")
    let isRetryable = [423, 429, 500, 503].contains(row.httpStatus) && error.code != .storageDamaged
    let body = JSONWriter.text { writer in
      writer.beginObject()
      writer.text("object", "error")
      writer.text("type", row.type)
      writer.text("code", error.code.description)
      writer.text("message", error.code == .insufficientBalance ? insufficientBalance : publicMessage(error))
      writer.bool("retryable", isRetryable)
      writer.name("param")
      if let param = error.text("param") ?? adjustmentsParam(error) { writer.text(param) } else { writer.null() }
      writer.text("doc_url", ErrorPages.url(of: error.code.description))
      if isRetryable { writer.integer("backoff_ms", retryAfter.map { $0 * 1000 } ?? 1000) }
      writer.name("details")
      writer.value(details(of: error))
      writer.text("request_id", requestID)
      writer.endObject()
    }
    var response = HTTPResponse.json(row.httpStatus, body)
    if isRetryable { response.headers.append(("Retry-After", String(retryAfter ?? 1))) }
    return response
  }

  /// Returns the public message; internal reasons are for the log only.
  static func publicMessage(_ error: LedgerError) -> String {
    guard error.code.kind.row.httpStatus == 500 else { return error.message }
    return "The server could not do this. Ask again; its log has the reason under the request's id."
  }

  static func details(of error: LedgerError) -> JSONValue {
    guard error.code.kind.row.httpStatus < 500 else { return [:] }
    var details = JSONObject()
    for detail in error.details where detail.name != "param" {
      switch detail.value {
      case .integer(let number): details[detail.name] = .integer(number)
      case .text(let text): details[detail.name] = .string(text)
      }
    }
    return .object(details)
  }

  private static func adjustmentsParam(_ error: LedgerError) -> String? {
    let codes: [LedgerError.Code] = [
      .insufficientBalance, .customerFrozen, .overMaximum, .limitReached, .notAvailable, .unknownCurrency,
      .amountOutOfRange,
    ]
    return codes.contains(error.code) ? "adjustments" : nil
  }
}

extension HTTPResponse {
  /// Returns a JSON document.
  package static func json(_ status: Int = 200, _ text: String) -> HTTPResponse {
    HTTPResponse(status: status, headers: [("Content-Type", "application/json")], content: .bytes(Array(text.utf8)))
  }

  /// Returns a JSON document.
  package static func json(_ status: Int = 200, _ value: JSONValue) -> HTTPResponse { json(status, value.text()) }
}

extension JSONWriter {
  /// Returns the text that the body writes.
  package static func text(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(style: .compact)
    body(&writer)
    return writer.string
  }
}
#endif
