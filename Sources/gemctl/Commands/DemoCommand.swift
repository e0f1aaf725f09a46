import GemLedger

/// `demo`: runs a demo script through the real verbs, in a temporary home.
struct DemoCommand {
  let invocation: Invocation

  /// One command line of the demo script, and its outcome.
  private struct Played {
    let step: DemoScript.Step
    let line: String
    let output: String
    let status: Int32
  }

  /// The ids that a script printed, by their names, and the time that passed in it.
  private struct State {
    var ids: [String: String] = [:]
    var aheadMilliseconds: Int64 = 0

    /// The machine's clock, ahead by the days that have passed.
    var clock: LedgerClock {
      LedgerClock { [ahead = aheadMilliseconds] in
        Timestamp(milliseconds: LedgerClock.system.now().milliseconds + ahead)
      }
    }
  }

  func run() throws {
    let script = try DemoScript.named(invocation.parsed.positionals.first)
    let home = Home(path: try FileAccess.makeTemporaryDirectory("gemctl-demo"))
    defer { home.remove() }
    var path = ""
    if let file = script.file {
      path = "\(try FileAccess.makeTemporaryDirectory("gemctl-demo"))/\(file.name)"
      _ = try FileAccess.create(path, file.text)
    }
    defer { if !path.isEmpty { FileAccess.removeWithDirectory(path) } }
    var state = State()
    var played: [Played] = []
    if !invocation.isJSON { try invocation.terminal.output(heading(of: script)) }
    for step in script.steps {
      let one = play(step, of: script, home, path, &state)
      played.append(one)
      // Printed at once, so that the user sees how long each step takes.
      if !invocation.isJSON { try invocation.terminal.output(text(one)) }
    }
    if invocation.isJSON { try invocation.terminal.output(Self.json(script, played).text() + "\n") }
    // Scripts that run the demo need to know.
    for one in played where one.step.status != one.status {
      throw LedgerError.defect("\"\(one.line)\" ended with \(one.status) instead of \(one.step.status)")
    }
  }

  /// - Parameter path: The path of the script's file, which the step's line names.
  private func play(
    _ step: DemoScript.Step, of script: DemoScript, _ home: Home, _ path: String, _ state: inout State
  ) -> Played {
    state.aheadMilliseconds += step.daysBefore * Self.day
    let line = Self.line(of: step, state)
    if let file = script.file, line == "cat \(file.name)" {
      return Played(step: step, line: line, output: file.text, status: 0)
    }
    let captured = CapturedOutput()
    var terminal = invocation.terminal
    terminal.captured = captured
    let words = line.split(separator: " ").dropFirst().map { $0 == script.file?.name ?? "" ? path : String($0) }
    let environment = ["GEMCTL_HOME": home.path, "GEMCTL_CUSTOMER": DemoScript.customer]
    let status = runLine(words, on: terminal, clock: state.clock) { environment[$0] }
    for printed in Self.plain(captured.text).split(separator: "\n") {
      guard let name = Self.names.first(where: { printed.hasPrefix("\($0) ") }) else { continue }
      state.ids[name] = printed.split(separator: " ").last.map(String.init)
    }
    return Played(step: step, line: line, output: captured.text, status: status)
  }

  /// The step's line with ids and times instead of their names.
  private static func line(of step: DemoScript.Step, _ state: State) -> String {
    let tomorrow = Timestamp(milliseconds: state.clock.now().milliseconds + day)
    let line = state.ids.reduce(step.line) { $0.replacing("{\($1.key)}", with: $1.value) }
    return line.replacing("{tomorrow}", with: tomorrow.description)
  }

  private static let names = ["store transaction", "transaction", "hold"]
  private static let day: Int64 = 86_400_000

  /// The text without its colour codes.
  private static func plain(_ text: String) -> String { text.replacing(/\u{1B}[^m]*m/, with: "") }
}

// MARK: Answering

extension DemoCommand {
  private func heading(of script: DemoScript) -> String {
    let style = invocation.terminal.outputStyle
    return """
      \(style.bold("\(script.name): \(script.summary)"))

      \(style.dim("# Type the lines after the dollar signs to play it yourself\(script.hint)."))
      \(Self.prompt(style))export GEMCTL_HOME="$(mktemp -d)"
      \(Self.prompt(style))export GEMCTL_CUSTOMER=\(DemoScript.customer)

      """
  }

  private func text(_ played: Played) -> String {
    let style = invocation.terminal.outputStyle
    var text = "\n"
    if let said = played.step.said { text += style.dim("# \(said)") + "\n" }
    text += Self.prompt(style) + style.bold(played.line) + "\n" + played.output
    if played.status != 0 { text += style.dim("(exit status \(played.status))") + "\n" }
    return text
  }

  private static func prompt(_ style: Style) -> String { style.green("$") + " " }

  private static func json(_ script: DemoScript, _ played: [Played]) -> JSONValue {
    let steps = played.map { one -> JSONValue in
      [
        "command": .string(one.line), "about": JSONValue(one.step.said), "output": .string(one.output),
        "exit_status": .integer(Int64(one.status)),
      ]
    }
    return ["demo": .string(script.name), "steps": .array(steps)]
  }
}
