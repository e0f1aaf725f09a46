/// Ends a verb with an exit status of its own, after the verb has printed its answer.
struct ExitStatus: Error, Hashable {
  let code: Int32

  /// A purchase or a queue is not complete; standard output says why.
  static let incomplete = Self(code: 3)
}
