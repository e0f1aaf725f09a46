#if Server
package import GemLedger
package import StoreBackend
package import SystemHTTP
internal import Synchronization

/// Writes one JSON object per line, for requests and events.
///
/// It never contains keys, tokens, bodies or queries. It contains paths, since operators search for their ids.
package final class ServerLog: Sendable {
  package enum Level: String, Sendable {
    case info
    case warning
    case error
  }

  private let write: @Sendable (String) -> Void
  private let clock: LedgerClock

  /// - Parameter write: Receives a whole line; called from any thread.
  package init(clock: LedgerClock, write: @escaping @Sendable (String) -> Void) {
    self.write = write
    self.clock = clock
  }

  package func request(_ summary: HTTPSummary) {
    line(.info, "request") { writer in
      writer.text("request_id", summary.id)
      writer.text("method", summary.method)
      // Truncate paths that were sent to fill the log.
      writer.text("path", summary.path.utf8.count > 500 ? String(summary.path.prefix(500)) : summary.path)
      writer.text("operation", summary.label)
      writer.integer("status", summary.status.map(Int64.init))
      writer.integer("microseconds", summary.nanoseconds / 1000)
      writer.integer("bytes", Int64(summary.byteCount))
      writer.text("client", summary.client)
    }
  }

  package func error(_ error: LedgerError, requestID: String) {
    line(.error, "error") { writer in
      writer.text("request_id", requestID)
      writer.text("code", error.code.description)
      writer.text("message", error.message)
    }
  }

  /// Logs a refusal with its details.
  package func warning(_ error: LedgerError, requestID: String) {
    line(.warning, "warning") { writer in
      writer.text("request_id", requestID)
      writer.text("code", error.code.description)
      writer.text("message", error.message)
      for detail in error.details {
        writer.name(escaping: detail.name)
        switch detail.value {
        case .integer(let number): writer.value(.integer(number))
        case .text(let text): writer.value(.string(text))
        }
      }
    }
  }

  package func event(_ level: Level = .info, _ message: String, _ facts: [String: JSONValue] = [:]) {
    line(level, "event") { writer in
      writer.text("message", message)
      for (name, value) in facts.sorted(by: { $0.key < $1.key }) {
        writer.name(escaping: name)
        writer.value(value)
      }
    }
  }

  /// Logs a warning of a project's backend for the operator.
  package func warning(_ warning: BackendWarning, project: String) {
    var facts: [String: JSONValue] = ["project": .string(project), "warning": .string(warning.name)]
    for fact in warning.facts {
      switch fact.value {
      case .integer(let number): facts[fact.name] = .integer(number)
      case .text(let text): facts[fact.name] = .string(text)
      }
    }
    event(.warning, warning.message, facts)
  }

  private func line(_ level: Level, _ kind: String, _ body: (inout JSONWriter) -> Void) {
    // Terminals show logs too, so control characters in a path are escaped.
    var writer = JSONWriter(style: .terminal)
    writer.beginObject()
    writer.text("time", clock.now().description)
    writer.text("level", level.rawValue)
    writer.text("kind", kind)
    body(&writer)
    writer.endObject()
    writer.endLine()
    write(writer.string)
  }
}
#endif
