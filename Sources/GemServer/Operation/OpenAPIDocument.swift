#if Server
package import GemLedger

/// The description of all operations in OpenAPI 3.1, generated from the routes.
package struct OpenAPIDocument: Sendable {
  private let routes: [Route]
  private let projectIDs: [String]

  /// - Parameter projectIDs: The projects of the server.
  package init(_ routes: [Route], projectIDs: [String]) {
    self.routes = routes
    self.projectIDs = projectIDs
  }

  package var json: JSONValue {
    var paths = JSONObject()
    for route in routes {
      var operations = paths[route.path]?.object ?? JSONObject()
      operations[route.method.lowercased()] = operation(route)
      paths[route.path] = .object(operations)
    }
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "GemLedger", "version": "1",
        "description": .string(
          "A virtual-currency ledger: RevenueCat's currency API, a two-step purchase, and further operations."),
      ],
      "paths": .object(paths),
      "components": ["schemas": ["Error": error], "securitySchemes": securitySchemes],
    ]
  }

  private func operation(_ route: Route) -> JSONValue {
    var operation: JSONObject = ["operationId": .string(route.name), "summary": .string(route.summary)]
    if route.isDeprecated { operation["deprecated"] = true }
    let parameters =
      names(in: route.path).map {
        parameter(Parameter($0, schema(ofName: $0), "In the path.", isRequired: true), "path")
      }
      + route.query.map { parameter($0, "query") } + route.headers.map { parameter($0, "header") }
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    if let body = route.body {
      var schema = body.json
      if route.takesUnknown, case .object(var members) = schema {
        members["additionalProperties"] = [:]
        schema = .object(members)
      }
      operation["requestBody"] = [
        "required": .bool(!body.takesNothing), "content": ["application/json": ["schema": schema]],
      ]
    }
    operation["responses"] = responses(route)
    switch route.access {
    case .open: operation["security"] = []
    case .secret: operation["security"] = [["secret_key": []]]
    case .app: operation["security"] = [["public_key": []], ["session_token": []], ["secret_key": []]]
    case .session: operation["security"] = [["session_token": []]]
    }
    return .object(operation)
  }

  private func names(in path: String) -> [String] {
    path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
  }

  /// The pattern of identifiers, which must not contain control characters.
  private static let withoutControls = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$"

  private func schema(ofName name: String) -> Schema {
    switch name {
    case "project_id": .word(projectIDs)
    case "customer_id": .text(1...1500, pattern: Self.withoutControls)
    case "app_user_id": .appUserID
    case "purchase_code": .purchaseCode
    default: .text(1...255, pattern: Self.withoutControls)
    }
  }

  private func parameter(_ parameter: Parameter, _ place: String) -> JSONValue {
    [
      "name": .string(parameter.name), "in": .string(place), "required": .bool(parameter.isRequired),
      "description": .string(parameter.help), "schema": parameter.schema.json,
    ]
  }

  private func responses(_ route: Route) -> JSONValue {
    var responses = JSONObject()
    for (status, schema) in route.answers.sorted(by: { $0.key < $1.key }) {
      var content = JSONObject()
      content[route.mediaType] = ["schema": schema.json]
      responses[String(status)] = [
        "description": "Done.", "content": .object(content),
      ]
    }
    let refusal: JSONValue = [
      "description": "Refused: nothing was changed.",
      "content": ["application/json": ["schema": route.style == .rest ? ["$ref": "#/components/schemas/Error"] : [:]]],
    ]
    responses["default"] = refusal
    return .object(responses)
  }

  private var securitySchemes: JSONValue {
    func scheme(_ help: String) -> JSONValue { ["type": "http", "scheme": "bearer", "description": .string(help)] }
    return [
      "secret_key": scheme("A secret key (sk_), for servers only."),
      "public_key": scheme("A public key (appl_, goog_, amzn_, test_), for apps."),
      "session_token": scheme("A token of one customer, requested by the app's server."),
    ]
  }

  private var error: JSONValue {
    Schema.object([
      Schema.Field("object", .word(["error"]), isRequired: true), Schema.Field("type", .text(), isRequired: true),
      Schema.Field("message", .text(), isRequired: true), Schema.Field("retryable", .boolean, isRequired: true),
      Schema.Field("param", .nullable(.text())), Schema.Field("doc_url", .text()),
      Schema.Field("backoff_ms", .integer()), Schema.Field("code", .text()), Schema.Field("details", .anything),
      Schema.Field("request_id", .text()),
    ]).json
  }
}

extension Schema {
  /// The form as a JSON schema (draft 2020-12), which OpenAPI 3.1 uses.
  package var json: JSONValue {
    switch self {
    case .text(let bounds, let pattern):
      var schema: JSONObject = ["type": "string"]
      if bounds.lowerBound > 0 { schema["minLength"] = .integer(Int64(bounds.lowerBound)) }
      if bounds.upperBound < 1_048_576 { schema["maxLength"] = .integer(Int64(bounds.upperBound)) }
      if let pattern { schema["pattern"] = .string(pattern) }
      return .object(schema)
    case .word(let words): return ["type": "string", "enum": .array(words.map(JSONValue.string))]
    case .integer(let bounds):
      var schema: JSONObject = ["type": "integer"]
      if bounds.lowerBound > .min { schema["minimum"] = .integer(bounds.lowerBound) }
      if bounds.upperBound < .max { schema["maximum"] = .integer(bounds.upperBound) }
      return .object(schema)
    case .decimal: return ["type": "number", "minimum": 0, "maximum": 999_999_999_999, "multipleOf": .number("0.001")]
    case .boolean: return ["type": "boolean"]
    case .list(let schema, let bounds):
      return [
        "type": "array", "items": schema.json, "minItems": .integer(Int64(bounds.lowerBound)),
        "maxItems": .integer(Int64(bounds.upperBound)),
      ]
    case .map(let schema, let bounds):
      return [
        "type": "object", "additionalProperties": schema.json, "minProperties": .integer(Int64(bounds.lowerBound)),
        "maxProperties": .integer(Int64(bounds.upperBound)),
      ]
    case .object(let fields): return Self.json(of: fields)
    case .nullable(let schema): return ["anyOf": [schema.json, ["type": "null"]]]
    case .stating(let members, let schema):
      var object = schema.json.object ?? JSONObject()
      for member in members.members { object[member.name] = member.value }
      return .object(object)
    // Generators of clients do not support the schema "true", which means the same.
    case .anything: return [:]
    }
  }

  private static func json(of fields: [Field]) -> JSONValue {
    var properties = JSONObject()
    for field in fields {
      var schema = field.schema.json
      if case .object(var object) = schema, !field.help.isEmpty {
        object["description"] = .string(field.help)
        schema = .object(object)
      }
      properties[field.name] = schema
    }
    return [
      "type": "object", "additionalProperties": false, "properties": .object(properties),
      "required": .array(fields.filter(\.isRequired).map { .string($0.name) }),
    ]
  }
}
#endif
