/// Ends a verb with this exit status after the verb has printed its answer.
struct ExitStatus: Error, Hashable {
  let code: Int32

  /// A purchase or a queue is not complete; standard output states the reason.
  static let incomplete = Self(code: 3)
}
