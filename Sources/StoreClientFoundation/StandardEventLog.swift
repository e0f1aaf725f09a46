/// The file for a client's state if the app chose none.
enum StandardEventLog {
  /// Opens the file of the app with this key, and creates its folder.
  ///
  /// - Throws: `LedgerError` with `input_output`, and those of `FileEventLog`.
  static func open(apiKey: String, in folder: URL = standardFolder()) throws(LedgerError) -> any EventLog {
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw LedgerError(
        .inputOutput, "The folder \(folder.path) for the client's state cannot be made: \(error.localizedDescription)")
    }
    return try FileEventLog(path: folder.appendingPathComponent(fileName(of: apiKey)).path)
  }

  /// Returns application support on Apple's platforms; elsewhere the folder of the XDG Base Directory Specification for
  /// a program's state.
  static func standardFolder(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> URL {
    #if canImport(Darwin)
    let home = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    return (home ?? FileManager.default.temporaryDirectory).appendingPathComponent("StoreClient")
    #else
    // The specification requires that relative paths are ignored.
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return URL(fileURLWithPath: state).appendingPathComponent("storeclient")
    }
    return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/state/storeclient")
    #endif
  }

  /// Returns a separate name for each key, without the key in it.
  static func fileName(of apiKey: String) -> String {
    // FNV-1a in 64 bits: the hash only has to differ between keys.
    let hash = apiKey.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    return "receipts-" + String(hash, radix: 16) + ".log"
  }
}
