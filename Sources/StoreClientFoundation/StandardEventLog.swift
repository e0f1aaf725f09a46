/// The file in which a client keeps its state, where the app chose none.
enum StandardEventLog {
  /// Opens the file of the app with this key, and makes its folder.
  ///
  /// - Throws: `LedgerError` with `input_output`, and those of `FileEventLog`.
  static func open(apiKey: String, in folder: URL = standardFolder()) throws(LedgerError) -> any EventLog {
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw LedgerError(
        .inputOutput, "The folder \(folder.path) for the client's state cannot be made: \(error.localizedDescription)")
    }
    return try FileEventLog(path: folder.appendingPathComponent(fileName(of: apiKey)).path)
  }

  /// Application support on Apple's platforms; elsewhere the folder that the XDG Base Directory Specification names for
  /// a program's state.
  static func standardFolder(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> URL {
    #if canImport(Darwin)
    let home = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    return (home ?? FileManager.default.temporaryDirectory).appendingPathComponent("StoreClient")
    #else
    // The specification has relative paths ignored.
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return URL(fileURLWithPath: state).appendingPathComponent("storeclient")
    }
    return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/state/storeclient")
    #endif
  }

  /// A name of its own for each key, without the key in it.
  static func fileName(of apiKey: String) -> String {
    // FNV-1a in 64 bits: keys need to differ in it, and nothing else.
    let hash = apiKey.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    return "receipts-" + String(hash, radix: 16) + ".log"
  }
}
