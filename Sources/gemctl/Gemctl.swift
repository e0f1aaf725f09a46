#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@main
enum Gemctl {
  static func main() { exit(runProcess()) }
}

/// Runs the process's command line and gives its exit status.
///
/// A plain function, because what `main` itself makes belongs to the main actor.
private func runProcess() -> Int32 {
  ByteWriter.ignoreSignals()
  let terminal = Terminal.current()
  let words = ProcessArguments.words()
  do throws(UsageError) {
    try Environment.check(GlobalSettings.variables)
    return runLine(try ProcessArguments.checked(words), on: terminal, environment: Environment.value)
  } catch {
    return ErrorReport(error).write(to: terminal, asJSON: Parser.asksForJSON(words.map { $0 ?? "" }))
  }
}
