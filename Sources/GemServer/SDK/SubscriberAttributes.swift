#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// The attributes that SDKs post, such as `$email`, at each change of an app's state.
///
/// An SDK repeats the post until it gets a status other than 404 and 5xx. The status is therefore 200 even if some
/// attributes are refused; `attributes_error_response` names those.
enum SubscriberAttributes {
  static let post = Route.sdk(
    "POST", "/v1/subscribers/{app_user_id}/attributes", "set_subscriber_attributes",
    "Sets attributes of a customer, which only secret keys read; creates an unknown customer.",
    body: .object([.always("attributes", .map(.anything), "By name: value, or null to remove it, and updated_at_ms.")]),
    answers: [200: answer],
    work: .later { (call) async throws(LedgerError) in
      .json(200, .object(try await set(call.body["attributes"], of: call.subscriber(), call)))
    })

  /// Sets the attributes of a body, and creates an unknown customer.
  ///
  /// - Returns: The answer's member `attributes_error_response`, or no members.
  static func set(
    _ attributes: JSONValue?, of customer: CustomerID, _ call: Call
  ) async throws(LedgerError) -> JSONObject {
    let (changes, errors) = changes(in: attributes?.object ?? [:], at: call.project.clock.now())
    _ = try await call.project.backend.register(customer)
    do throws(LedgerError) {
      try await BlockingWork.run { () throws(LedgerError) in
        _ = try call.project.ledger.attributes.change(changes, of: customer)
      }
      return response(errors)
    } catch {
      guard error.code == .limitExceeded else { throw error }
      return response(errors + changes.map { ($0.name, error.message) })
    }
  }

  private static let answer = Schema.object([answerField])

  /// The member that names refused attributes.
  static let answerField = Schema.Field(
    "attributes_error_response",
    .object([
      .always("code", .integer()), .always("message", .text()),
      .always(
        "attribute_errors", .list(.object([.always("key_name", .text()), .always("message", .text())])),
        "The attributes that were not taken."),
    ]), "Only if an attribute was not taken.")

  /// RevenueCat's number for malformed attributes.
  private static let codeOfErrors: Int64 = 7263

  /// The maximum number of attributes per body: twice the limit of a customer.
  private static let changesMax = 2 * Limits.attributesPerCustomer

  private typealias Refused = (name: String, message: String)

  private static func changes(
    in attributes: JSONObject, at now: Timestamp
  ) -> (changes: [CustomerAttribute.Change], errors: [Refused]) {
    var (changes, errors): ([CustomerAttribute.Change], [Refused]) = ([], [])
    for (place, (name, attribute)) in attributes.members.enumerated() {
      // A device with a clock that is ahead would block later changes by other devices.
      let updatedAt = attribute["updated_at_ms"]?.integer.map { min(Timestamp(milliseconds: max(0, $0)), now) } ?? now
      let change = CustomerAttribute.Change(name, attribute["value"]?.text, at: updatedAt)
      do throws(LedgerError) {
        guard place < changesMax else {
          throw LedgerError(.limitExceeded, "A request can set at most \(changesMax) attributes. Split it.")
        }
        guard change.value != nil || attribute.object != nil && attribute["value"] ?? .null == .null else {
          throw .parameter(name, "has to have a text as \"value\", or null to remove it")
        }
        try change.check()
        changes.append(change)
      } catch {
        errors.append((name, error.message))
      }
    }
    return (changes, errors)
  }

  private static func response(_ errors: [Refused]) -> JSONObject {
    guard !errors.isEmpty else { return [:] }
    return [
      "attributes_error_response": [
        "code": .integer(codeOfErrors), "message": "Some attributes were not taken.",
        "attribute_errors": .array(
          errors.map { ["key_name": .string(String($0.name.prefix(100))), "message": .string($0.message)] }),
      ]
    ]
  }
}

extension CustomerAttributes {
  /// The attributes in the form of RevenueCat's API v1 and webhooks.
  var subscriberAttributes: JSONValue {
    .object(
      JSONObject(
        list.map {
          ($0.name, ["value": .string($0.value), "updated_at_ms": .integer($0.updatedAt.milliseconds)])
        }))
  }
}
#endif
