#if Server
internal import GemLedger

/// Reads answers of the server, and of proxies in between.
enum AnswerReading {
  /// The range of a server's requested wait, in seconds.
  private static let waits: ClosedRange<Int64> = 0...86_400

  /// Returns the document of a success.
  ///
  /// - Throws: `LedgerError` with the server's error, or with an error by the status alone.
  static func document(in answer: ClientAnswer) throws(LedgerError) -> WireObject {
    let document = json(answer.body)
    guard (200..<300).contains(answer.status) else { throw error(answer, document) }
    guard let document else {
      throw LedgerError(
        .backendUnreachable, "The answer is not JSON: a proxy may have sent it instead of the server.",
        details: facts(of: answer))
    }
    return WireObject(document)
  }

  /// Returns the error of a success with a document in the wrong format.
  static func misread(_ error: LedgerError) -> LedgerError {
    LedgerError(
      .backendUnreachable, "The server's answer cannot be read: \(error.message)", details: error.details)
  }

  private static func json(_ body: [UInt8]) -> JSONObject? {
    do throws(JSONError) { return try JSONValue.parse(body).object } catch { return nil }
  }

  private static func error(_ answer: ClientAnswer, _ document: JSONObject?) -> LedgerError {
    written(document) ?? ofStatus(answer)
  }

  /// Returns the server's error; nil if there is no known error.
  private static func written(_ document: JSONObject?) -> LedgerError? {
    guard let object = document?["error"]?.object, let code = object["code"]?.text,
      LedgerError.Code(code) != nil
    else { return nil }
    do throws(LedgerError) {
      let error = try LedgerError(wire: WireObject(object))
      guard let requestID = object["request_id"]?.text else { return error }
      var named = LedgerError(
        error.code, error.message, details: error.details + [.text("request_id", requestID)])
      named.isReplayed = error.isReplayed
      return named
    } catch { return nil }
  }

  /// Returns the error of an answer without an error document, such as a proxy's.
  private static func ofStatus(_ answer: ClientAnswer) -> LedgerError {
    let (code, message): (LedgerError.Code, String) =
      switch answer.status {
      case 300..<400: (.backendUnreachable, "The server's address has changed; use the new address.")
      case 401: (.unauthenticated, "The server does not accept the key.")
      case 403: (.forbidden, "The server refuses this call.")
      case 408, 504: (.timedOut, "The server did not answer in time.")
      case 423: (.inProgress, "The same request is still in progress.")
      case 429: (.rateLimited, "The server accepts no more requests at the moment.")
      default: (.backendUnreachable, "The answer is not the server's (status \(answer.status)).")
      }
    return LedgerError(code, message, details: facts(of: answer))
  }

  private static func facts(of answer: ClientAnswer) -> [LedgerError.Detail] {
    var details: [LedgerError.Detail] = [.integer("status", Int64(answer.status))]
    if let seconds = answer.header("Retry-After").flatMap({ Int64($0) }), seconds >= waits.lowerBound {
      details.append(.integer("retry_after", min(seconds, waits.upperBound)))
    }
    if let requestID = answer.header("X-Request-Id") { details.append(.text("request_id", requestID)) }
    return details
  }
}
#endif
