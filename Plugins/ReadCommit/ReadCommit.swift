import Foundation
import PackagePlugin

/// Writes the checked-out commit into a source file, whenever the commit changes.
@main
struct ReadCommit: BuildToolPlugin {
  /// The script with the package's directory and the file as arguments; the text is empty without a known commit.
  private static let script = """
    commit=$(git -C "$1" rev-parse --short=12 HEAD 2>/dev/null) || commit=
    printf 'let readCommit = "%s"\\n' "$commit" >"$2"
    """

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let output = context.pluginWorkDirectoryURL.appending(path: "ReadCommit.swift")
    // Git appends a line to it with every commit, checkout and pull.
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
