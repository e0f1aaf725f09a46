import GemLedger

/// `demo`: runs a demo script through the real verbs, in a temporary home.
struct DemoCommand {
  let invocation: Invocation

  /// One command line of the demo script, and its outcome.
  private struct Played {
    let said: String?
    let line: String
    let output: String
    let status: Int32
  }

  func run() throws {
    let script = try DemoScript.named(invocation.parsed.positionals.first)
    let home = Home(path: try FileAccess.makeTemporaryDirectory("gemctl-demo"))
    defer { home.remove() }
    let paths = try Self.write(script.file)
    defer { for path in paths.values { FileAccess.removeWithDirectory(path) } }
    var stage = DemoStage(
      environment: ["GEMCTL_HOME": home.path, "GEMCTL_CUSTOMER": DemoScript.customer], paths: paths)
    if !invocation.isJSON { try invocation.terminal.output(heading(of: script)) }
    var played: [Played] = []
    for step in script.steps {
      let step = play(step, of: script, on: &stage)
      played.append(step)
      // Printed at once, so that the user sees how long each step takes.
      if !invocation.isJSON { try invocation.terminal.output(text(step)) }
    }
    if invocation.isJSON { try invocation.terminal.output(Self.json(script, played).text() + "\n") }
    try Self.check(played, against: script)
  }

  /// Writes the script's file, and returns its path by its name.
  private static func write(_ file: (name: String, text: String)?) throws(LedgerError) -> [String: String] {
    guard let file else { return [:] }
    let path = "\(try FileAccess.makeTemporaryDirectory("gemctl-demo"))/\(file.name)"
    guard try FileAccess.create(path, file.text) else { throw .defect("A new directory has a file already") }
    return [file.name: path]
  }

  private func play(_ step: DemoScript.Step, of script: DemoScript, on stage: inout DemoStage) -> Played {
    stage.passDays(step.daysBefore)
    let line = stage.line(of: step)
    let captured = CapturedOutput()
    var status: Int32 = 0
    if let file = script.file, line == "cat \(file.name)" {
      captured.append(file.text)
    } else {
      var terminal = invocation.terminal
      terminal.captured = captured
      let environment = stage.environment
      status = runLine(stage.words(of: line), on: terminal, clock: stage.clock) { environment[$0] }
    }
    stage.remember(captured.text)
    return Played(said: step.said, line: line, output: captured.text, status: status)
  }

  /// A script that ends with another status than expected is a defect, and scripts that run the demo need to know.
  private static func check(_ played: [Played], against script: DemoScript) throws(LedgerError) {
    for (step, played) in zip(script.steps, played) where step.status != played.status {
      throw .defect("\"\(played.line)\" ended with \(played.status) instead of \(step.status)")
    }
  }
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
    if let said = played.said { text += style.dim("# \(said)") + "\n" }
    text += Self.prompt(style) + style.bold(played.line) + "\n" + played.output
    if played.status != 0 { text += style.dim("(exit status \(played.status))") + "\n" }
    return text
  }

  private static func prompt(_ style: Style) -> String { style.green("$") + " " }

  private static func json(_ script: DemoScript, _ played: [Played]) -> JSONValue {
    let steps = played.map { step -> JSONValue in
      [
        "command": .string(step.line), "about": JSONValue(step.said), "output": .string(step.output),
        "exit_status": .integer(Int64(step.status)),
      ]
    }
    return ["demo": .string(script.name), "steps": .array(steps)]
  }
}
