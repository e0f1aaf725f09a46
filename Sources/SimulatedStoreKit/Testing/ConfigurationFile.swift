internal import GemLedger

/// Finds and reads `.storekit` files.
package enum ConfigurationFile {
  /// The maximum depth of searched directories below the working directory.
  private static let depthMax = 5
  /// The maximum number of searched directories.
  private static let directoryCountMax = 20_000

  static func read(_ url: URL) throws -> StoreKitConfiguration {
    guard url.isFileURL else { throw SKTestError(.invalidURL, "\(url) is not the URL of a file.") }
    let data: Data
    do { data = try Data(contentsOf: url) } catch {
      throw SKTestError(.fileNotFound, "\(url.path) cannot be read: \(error)")
    }
    return try StoreKitConfiguration.load(Array(data))
  }

  /// Returns the file of this name among the resources of bundles, else below a directory.
  package static func named(
    _ name: String, below directory: String = FileManager.default.currentDirectoryPath
  ) throws -> URL {
    let fileName = name.hasSuffix(".storekit") ? name : "\(name).storekit"
    for directory in resourceDirectories() {
      let url = directory.appendingPathComponent(fileName)
      if FileManager.default.fileExists(atPath: url.path) { return url }
    }
    let top = URL(fileURLWithPath: directory, isDirectory: true)
    let found = shallowest(fileName, below: top)
    guard let first = found.first else {
      throw SKTestError(
        .fileNotFound,
        "There is no \(fileName) in a resource bundle or below \(top.path); name its place with init(contentsOf:).")
    }
    guard found.count == 1 else {
      let places = found.map(\.path).joined(separator: ", ")
      throw SKTestError(.fileNotFound, "There are several, name one with init(contentsOf:): \(places)")
    }
    return first
  }

  /// The resources of the process's bundles and those of Swift packages, which are next to its program.
  private static func resourceDirectories() -> [URL] {
    let bundles = [Bundle.main] + Bundle.allBundles
    var directories = bundles.compactMap(\.resourceURL)
    for place in Set(bundles.map { $0.bundleURL.standardizedFileURL } + directories) {
      directories += children(of: place).filter { ["resources", "bundle"].contains($0.pathExtension) }
    }
    return directories
  }

  /// Returns the files of this name at the least depth, by path; hidden directories are left out.
  private static func shallowest(_ fileName: String, below top: URL) -> [URL] {
    var level = [top]
    var visited = 0
    for _ in 0..<depthMax where !level.isEmpty && visited < directoryCountMax {
      visited += level.count
      let entries = level.flatMap(children)
      let found = entries.filter { $0.lastPathComponent == fileName }
      if !found.isEmpty { return found.sorted { $0.path < $1.path } }
      level = entries.filter(\.hasDirectoryPath)
    }
    return []
  }

  private static func children(of directory: URL) -> [URL] {
    let keys: [URLResourceKey] = [.isDirectoryKey]
    // A directory that cannot be read holds no file that could be.
    let entries = try? FileManager.default.contentsOfDirectory(
      at: directory, includingPropertiesForKeys: keys, options: [.skipsHiddenFiles])
    return entries ?? []
  }
}
