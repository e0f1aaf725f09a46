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
  ByteWriter.ignoreBrokenPipes()
  let terminal = Terminal.current()
  let words = ProcessArguments.words()
  do throws(UsageError) {
    return run(try Parser.parse(try ProcessArguments.checked(words)), on: terminal)
  } catch {
    return ErrorReport(error).write(to: terminal, asJSON: Parser.asksForJSON(words.map { $0 ?? "" }))
  }
}
