#if Server
package import GemLedger

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// A folder that only this user may read, for one file that must have a name; both end with the value.
package final class TemporaryFolder: Sendable {
  /// The system's folder for temporary files, or that of `TMPDIR`.
  static var parent: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

  private let path: String
  /// The path of the file, which does not exist at first.
  package var file: String { "\(path)/file" }

  /// - Throws: `LedgerError` with `input_output`.
  package init() throws(LedgerError) {
    var name = Array("\(Self.parent)/gemledger-XXXXXX".utf8CString)
    guard let made = mkdtemp(&name) else {
      throw LedgerError(
        .inputOutput, "A temporary folder could not be made in \(Self.parent) (error \(errno)). Is the disk full?")
    }
    path = String(cString: made)
  }

  deinit {
    unlink(file)
    rmdir(path)
  }
}
#endif
