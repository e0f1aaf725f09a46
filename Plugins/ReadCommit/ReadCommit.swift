import Foundation
import PackagePlugin

/// Writes the commit that is checked out into a source file, anew whenever another one is.
@main
struct ReadCommit: BuildToolPlugin {
  /// Takes the package's directory and the file; the text is empty where git knows no commit.
  private static let script = """
    commit=$(git -C "$1" rev-parse --short=12 HEAD 2>/dev/null) || commit=
    printf 'let readCommit = "%s"\\n' "$commit" >"$2"
    """

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let output = context.pluginWorkDirectoryURL.appending(path: "ReadCommit.swift")
    // Git adds a line to it with every commit, checkout and pull.
    let log = context.package.directoryURL.appending(path: ".git/logs/HEAD")
    let inputs = FileManager.default.fileExists(atPath: log.path) ? [log] : []
    return [
      .buildCommand(
        displayName: "Reading the commit", executable: URL(filePath: "/bin/sh"),
        arguments: ["-c", Self.script, "sh", context.package.directoryURL.path, output.path],
        inputFiles: inputs, outputFiles: [output])
    ]
  }
}
