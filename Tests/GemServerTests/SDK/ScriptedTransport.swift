#if Server
import GemLedger
import StoreClientHTTP
import StoreTestSupport
import Synchronization

/// A network that fails by a script, in front of another one.
final class ScriptedTransport: HTTPTransport {
  enum Step: Sendable {
    case works
    /// The request never arrives.
    case lostBefore
    /// The request is done, and its answer lost.
    case lostAfter
    /// The request is done, and only the first half of its answer comes.
    case cut
    /// The request never arrives, and something else answers.
    case answers(ClientAnswer)
    /// The request is done, and something else answers.
    case answersAfter(ClientAnswer)
  }

  private let behind: (any HTTPTransport)?
  private let script: Mutex<[Step]>
  private let sent = Mutex<[ClientRequest]>([])

  private let part: String?

  /// - Parameters:
  ///   - part: The script is for requests with this in their path; the others work.
  ///   - script: One step a request; once it has ended, the network works.
  init(_ behind: (any HTTPTransport)? = nil, at part: String? = nil, _ script: [Step] = []) {
    self.behind = behind
    self.part = part
    self.script = Mutex(script)
  }

  var requests: [ClientRequest] { sent.withLock { $0 } }

  func add(_ steps: [Step]) { script.withLock { $0 += steps } }

  func send(_ request: ClientRequest) async throws(LedgerError) -> ClientAnswer {
    sent.withLock { $0.append(request) }
    let lost = LedgerError(.backendUnreachable, "The connection was lost.")
    let isMeant = part.map { request.target.contains($0) } ?? true
    switch script.withLock({ !isMeant || $0.isEmpty ? .works : $0.removeFirst() }) {
    case .works: return try await forward(request)
    case .lostBefore: throw lost
    case .lostAfter:
      _ = try await forward(request)
      throw lost
    case .cut:
      var answer = try await forward(request)
      answer.body.removeLast(answer.body.count / 2)
      return answer
    case .answers(let answer): return answer
    case .answersAfter(let answer):
      _ = try await forward(request)
      return answer
    }
  }

  private func forward(_ request: ClientRequest) async throws(LedgerError) -> ClientAnswer {
    guard let behind else { throw LedgerError(.backendUnreachable, "There is no server.") }
    return try await behind.send(request)
  }
}
#endif
