#if Server
internal import GemLedger

/// Reads answers of the server, and of whatever stands between.
enum AnswerReading {
  /// How long a server may ask a client to wait, in seconds.
  private static let waits: ClosedRange<Int64> = 0...86_400

  /// The document of a success.
  ///
  /// - Throws: `LedgerError` with the error that the server wrote, or with one by the status alone.
  static func document(in answer: ClientAnswer) throws(LedgerError) -> WireObject {
    let document = json(answer.body)
    guard (200..<300).contains(answer.status) else { throw error(answer, document) }
    guard let document else {
      throw LedgerError(
        .backendUnreachable, "The answer is not JSON: something else than the server may have sent it.",
        details: facts(of: answer))
    }
    return WireObject(document)
  }

  /// The error of a success with a document that has not the form that it should have.
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

  /// The error that the server wrote; nil where it wrote none that is known here.
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

  /// The error of an answer without one in words, such as a proxy's.
  private static func ofStatus(_ answer: ClientAnswer) -> LedgerError {
    let (code, message): (LedgerError.Code, String) =
      switch answer.status {
      case 300..<400: (.backendUnreachable, "The server's address is another one now; redirects are not followed.")
      case 401: (.unauthenticated, "The server does not take the key.")
      case 403: (.forbidden, "The server refuses this.")
      case 408, 504: (.timedOut, "The server did not answer in time.")
      case 423: (.inProgress, "The same request is still under way.")
      case 429: (.rateLimited, "The server takes no more requests for now.")
      default: (.backendUnreachable, "The answer is none of the server's (status \(answer.status)).")
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
