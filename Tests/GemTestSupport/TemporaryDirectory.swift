package import Foundation

/// A directory that is removed with its last reference.
package final class TemporaryDirectory: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("gemledger-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // If it cannot be removed, it is left to the system, which empties its temporary directory.
    try? FileManager.default.removeItem(at: url)
  }

  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
