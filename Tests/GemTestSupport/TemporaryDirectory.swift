package import Foundation

/// A directory that goes when nobody needs it any more.
package final class TemporaryDirectory: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("gemledger-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // What cannot be removed is left to the system, which empties its temporary directory.
    try? FileManager.default.removeItem(at: url)
  }

  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
